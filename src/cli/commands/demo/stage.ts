import { join } from "node:path";
import { encode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { trustFile } from "../../../guard/trust/ledger/item.ts";
import { TrustLedger } from "../../../guard/trust/ledger/ledger.ts";
import cassette from "./cassette.jsonl" with { type: "text" };
import { CHECK, INSTRUCTIONS, layOut } from "./project.ts";

/** The prompt. The recording answers exactly these words. */
export const PROMPT =
  "The tests of this project fail. Find out why, fix the code (not the tests), and show that they pass.";

/**
 * Rules of the demo. It asks nobody, so every other call that needs approval is refused. It does not read the user's
 * configuration, so it is the same everywhere.
 */
export const CONFIG = `# The rules of this run of cinch demo. What no rule allows is refused: nobody is asked.
[permissions]
level = "WorkspaceWrite"
allow = ["Bash:=${CHECK.join(" ")}"]

[memory]
enabled = false
`;

/** Files and folders of one run of the demo. */
export interface Stage {
  /** Folder of everything the demo makes. It stays for people to inspect. */
  readonly folder: string;
  readonly project: string;
  /** The directory that holds CONFIG. */
  readonly config: string;
  readonly cassette: string;
  /** Holds the session store if the user's cannot be used. */
  readonly ownState: string;
}

/** Copies the project, its rules and the recording into the folder. */
export async function setStage(
  world: World,
  folder: string,
  options: { readonly fixed: boolean },
): Promise<Stage> {
  const stage = {
    folder,
    project: join(folder, "project"),
    config: join(folder, "config"),
    cassette: join(folder, "cassette.jsonl"),
    ownState: join(folder, "state"),
  };
  await layOut(world, stage.project, options);
  await world.files.makeDirectory(stage.config);
  await world.files.writeAtomic(join(stage.config, "config.toml"), CONFIG);
  await world.files.writeAtomic(stage.cassette, cassette);
  await acknowledge(world, stage);
  return stage;
}

/** Acknowledges the project's instructions with the content that comes with the program. */
export async function acknowledge(
  world: World,
  { project, config }: Pick<Stage, "project" | "config">,
): Promise<void> {
  const { path: name, text, mode } = INSTRUCTIONS;
  const path = join(await world.files.realpath(project), name);
  const files = [trustFile("", encode(text), mode)];
  const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
  await ledger.approve([{ kind: "context-file", path, scope: "project", files }]);
}

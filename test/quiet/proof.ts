import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOnlyEnvironment } from "../../src/base/child-environment.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { inspectCommand } from "../../src/guard/permissions/inspection/inspect-command.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { literalOf } from "../../src/shell/analysis.ts";
import { chance } from "../support/chance.ts";
import { Lines } from "./lines.ts";
import type { Options } from "./options.ts";
import { optionsHere } from "./options.ts";
import { unsafe } from "./unsafe.ts";
import { watch } from "./watch.ts";
import type { HostileWorkspace } from "./workspace.ts";
import { makeWorkspace } from "./workspace.ts";

export interface Proof {
  /** Lines that were made, and those of them that were judged to only read, and ran. */
  readonly made: number;
  readonly ran: number;
  readonly failures: readonly string[];
}

const BATCH = 400;
const FAILURES_MAX = 50;
const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Returns environments that a user may have; the last of these in one batch of eight. */
function environments({ root, home }: HostileWorkspace): readonly Readonly<Record<string, string>>[] {
  const plain = { PATH: SYSTEM_PATH, HOME: home, LANG: "C.UTF-8", USER: "u", TERM: "xterm" };
  const steered = {
    ...plain,
    PATH: `.:${root}/0:${SYSTEM_PATH}`,
    GIT_DIR: join(root, "evil/.git"),
    GIT_EXTERNAL_DIFF: join(root, "0/ls"),
    GIT_TRACE: join(root, "PWNED"),
    BASH_ENV: join(root, "0/ls"),
  };
  return [plain, plain, plain, plain, plain, plain, plain, steered];
}

/**
 * Makes lines until so many were judged to only read, runs those with the real programs, and gives what any of them did
 * beyond reading the workspace (PERM-04).
 */
export async function prove(
  count: number,
  seed: number,
  onBatch: (proof: Proof) => void = () => undefined,
): Promise<Proof> {
  const options = optionsHere();
  const failures: string[] = [];
  let [made, ran] = [0, 0];
  for (let batch = 0; ran < count && failures.length < FAILURES_MAX; batch++) {
    const done = await oneBatch(Math.min(BATCH, count - ran), seed * 1_000_003 + batch, batch, options);
    made += done.made;
    ran += done.ran;
    failures.push(...done.failures);
    onBatch({ made, ran, failures });
  }
  return { made, ran, failures };
}

async function oneBatch(count: number, seed: number, batch: number, options: Options): Promise<Proof> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cinch-quiet-")));
  try {
    const place = makeWorkspace(folder);
    const all = environments(place);
    const env = all[batch % all.length] ?? {};
    const source = new Lines(chance(seed), options, place);
    const quiet: Judged[] = [];
    const seen = new Set<string>();
    let made = 0;
    while (quiet.length < count) {
      const line = source.next();
      made++;
      if (seen.has(line)) continue;
      seen.add(line);
      const names = await namesIfQuiet(line, place, env);
      if (names !== undefined) quiet.push({ line, names });
    }
    return { made, ran: quiet.length, failures: await failuresOf(quiet, place, env) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Judged {
  readonly line: string;
  /** Programs that the judgement found in the line. */
  readonly names: readonly string[];
}

/** Returns the effects of each line beyond reading. */
export async function failuresOf(
  judged: readonly Judged[],
  place: HostileWorkspace,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const calls = await watch(
    judged.map(({ line }) => line),
    place.root,
    readOnlyEnvironment(env),
  );
  return judged.flatMap(({ line, names }, at) => {
    const problem = unsafe(calls[at] ?? [], names, place);
    return problem === undefined ? [] : [`${JSON.stringify(line)}: ${problem}`];
  });
}

/** The names of the programs in a line that is judged to only read; undefined for any other. */
async function namesIfQuiet(
  command: string,
  { root, home }: HostileWorkspace,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[] | undefined> {
  const world = hostWorld(SILENT_LOG);
  const place = { root, scratch: join(root, "../scratch"), home };
  const target = { kind: "command", command, cwd: root } as const;
  const { analysis, approvalReason: loud } = await inspectCommand(target, place, {
    files: world.files,
    world,
    env,
    ownDirectories: [],
  });
  return loud === undefined ? analysis.commands.map(({ name }) => literalOf(name) ?? "") : undefined;
}

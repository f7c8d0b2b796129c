import { join } from "node:path";
import { unreachable } from "../../../base/assert.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { World } from "../../../base/world.ts";
import type { ProtectedPlace, Sandbox, UnavailablePolicy } from "../../../session/guard/sandbox.ts";
import { bubblewrap, installed, notInstalled } from "../bubblewrap/bubblewrap.ts";
import type { SandboxSettings } from "../config.ts";
import { container } from "../container/container.ts";
import { seatbelt } from "../seatbelt/seatbelt.ts";
import type { KeyFiles } from "./key-files.ts";

/** What the sandbox of a session is made from. */
export interface SandboxSources {
  readonly world: World;
  /** The workspace, resolved. */
  readonly root: string;
  readonly paths: HarnessPaths;
  /** As the environment names it. */
  readonly home?: string;
  /** The user's: it may name other places of credentials than the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Merged, of `config.toml` and the profile. */
  readonly settings: SandboxSettings;
  /** Further places to hide, which the project's own settings name: absolute, below `~/`, or below the workspace. */
  projectHidden(): Promise<readonly string[]>;
  /** What deny rules forbid, asked for after `projectHidden`: a repository's rules are known by then. */
  denied?(): { readonly hidden: readonly string[]; readonly readOnly: readonly ProtectedPlace[] };
  /** Keys that have another name in the workspace are hidden there too. Absent: none is known. */
  readonly keys?: KeyFiles;
  /** The user's `PATH`. */
  readonly path?: string;
  /** See `EngineOptions.relayCommand`. */
  readonly relayCommand?: readonly [string, ...string[]];
  /** What is asked is answered with yes, which the person is told where there is no sandbox. */
  readonly autoApprove?: boolean;
  /** Whether of the repository's git directory, which lies elsewhere, only what a commit takes is written: of a sub-agent's worktree. */
  readonly gitIsParents?: true;
  /** In place of what the settings name. */
  readonly backend?: Sandbox;
  /** Told once, when a command finds that there is no sandbox. */
  onUnavailable(text: string): void;
}

/** Where no backend is wanted, commands run as they always did, and the gate asks for each. */
export const NOT_WANTED = 'there is no sandbox: backend = "none" under [sandbox]';

/** What commands would run in, as far as that is known without running one. */
export type ExpectedSandbox =
  | { readonly kind: "backend"; readonly name: string }
  | { readonly kind: "none"; readonly why: string; readonly policy: UnavailablePolicy };

export async function expectedSandbox(
  sources: Pick<SandboxSources, "world" | "settings" | "path">,
): Promise<ExpectedSandbox> {
  const { backend, unavailable } = sources.settings;
  if (backend === "none") return { kind: "none", why: NOT_WANTED, policy: "ask" };
  const { name } = backendFor(sources);
  if (name !== "bubblewrap") return { kind: "backend", name };
  const found = await installed(sources.world, sources.path);
  if (found.kind === "missing")
    return {
      kind: "none",
      why: `there is no sandbox: ${notInstalled(found.problem)}`,
      policy: unavailable,
    };
  return { kind: "backend", name };
}

/** `auto` is what the platform brings. */
export function backendFor(sources: Pick<SandboxSources, "world" | "settings" | "path">): Sandbox {
  const { world, settings, path } = sources;
  const { backend, image = "" } = settings;
  const platformsOwn = world.machine.platform === "darwin" ? "seatbelt" : "bubblewrap";
  const name = backend === "auto" || backend === "none" ? platformsOwn : backend;
  switch (name) {
    case "bubblewrap":
      return bubblewrap({ world, path });
    case "seatbelt":
      return seatbelt({ world });
    case "container":
      return container({ world, path, image });
    default:
      return unreachable(name);
  }
}

/** Beside `recordsOf`: what git obeyed before the commands that run now. */
export function runningOf({ paths }: Pick<SandboxSources, "paths">): string {
  return join(paths.state, "sandboxes", "running");
}

/** Below cinch's own state, which no command sees. */
export function recordsOf({ paths }: Pick<SandboxSources, "paths">): string {
  return join(paths.state, "sandboxes");
}

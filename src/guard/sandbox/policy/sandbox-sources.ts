import { join } from "node:path";
import { unreachable } from "../../../base/assert.ts";
import { defined } from "../../../base/defined.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { World } from "../../../base/world.ts";
import type {
  Confinement,
  ProtectedPath,
  Sandbox,
  UnavailablePolicy,
} from "../../../session/guard/sandbox.ts";
import { bubblewrap, findBubblewrap, notInstalledText } from "../bubblewrap/bubblewrap.ts";
import type { KeptProof } from "../bubblewrap/kept-proof.ts";
import type { SandboxSettings } from "../config.ts";
import { container } from "../container/container.ts";
import type { Sockets } from "../proxy/proxy.ts";
import { seatbelt } from "../seatbelt/seatbelt.ts";
import type { KeyFiles } from "./key-files.ts";
import type { ProgramSearch } from "./trusted-program.ts";

/** Way out of a sandbox to a list of hosts. */
export interface SandboxRelay {
  /** See `EngineOptions.relayCommand`. */
  readonly command: readonly [string, ...string[]];
  /** Loads the sockets of the machine. */
  sockets(): Promise<Sockets>;
}

/** Dependencies and settings of the sandbox of one session. */
export interface SandboxSources {
  readonly world: World;
  /** The workspace, resolved. */
  readonly root: string;
  /** Folders added to the workspace: written and protected as it is. Resolved. */
  readonly added?: readonly string[];
  readonly paths: HarnessPaths;
  /** The home directory as the environment names it. */
  readonly home?: string;
  /** The user's environment: it may name other credential paths than the usual ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Sandbox settings, merged from `config.toml` and the profile. */
  readonly settings: SandboxSettings;
  /**
   * Returns further paths to hide, from the project's settings: absolute, below `~/`, or relative to the workspace.
   */
  projectHidden(): Promise<readonly string[]>;
  /** Returns the paths that deny rules cover. Called after `projectHidden`, when a repository's rules are known. */
  denied?(): { readonly hidden: readonly string[]; readonly readOnly: readonly ProtectedPath[] };
  /** Key files; another name of one in the workspace is hidden too. Default: no key is known. */
  readonly keys?: KeyFiles;
  /** The folders in which cinch looks for the programs that confine. Absent: only the usual ones. */
  readonly programs?: ProgramSearch;
  /** Lets commands out to a list of hosts. Absent: they have no network, whatever the list says. */
  readonly relay?: SandboxRelay;
  /** True if every question is answered with yes. The notice about a missing sandbox says so. */
  readonly autoApprove?: boolean;
  /**
   * True for a sub-agent's worktree: of the repository's git directory, which lies elsewhere, only what a commit
   * writes can be written.
   */
  readonly writesCommitsOnly?: true;
  /** The session's workspace, if `root` is a sub-agent's worktree. Its commands can make links there. Resolved. */
  readonly workspace?: string;
  /** Proof that an earlier session has made of the sandbox. Absent: each backend tries it. */
  readonly proof?: KeptProof;
  /** Backend to use instead of the one that the settings name. */
  readonly backend?: Sandbox;
  /** Called once for each state in which a command finds no sandbox, with its SandboxUnavailable. */
  onUnavailable(text: string): void;
  /** Called once for each setting that the sandbox does not carry out, with its SandboxSettingUnmet. */
  onNotice(text: string): void;
}

/** Reason given when no backend is wanted: commands run unconfined, and the gate asks for each. */
export const SANDBOX_DISABLED = 'there is no sandbox: backend = "none" under [sandbox]';

/** Sandbox in which commands would run, as far as that is known without running one. */
export type ExpectedSandbox =
  | { readonly kind: "backend"; readonly name: string }
  | { readonly kind: "none"; readonly why: string; readonly policy: UnavailablePolicy };

export async function expectedSandbox(
  sources: Pick<SandboxSources, "world" | "settings" | "programs">,
): Promise<ExpectedSandbox> {
  const { backend, unavailable } = sources.settings;
  if (backend === "none") return { kind: "none", why: SANDBOX_DISABLED, policy: "ask" };
  const { name } = backendFor(sources);
  if (name !== "bubblewrap") return { kind: "backend", name };
  const found = await findBubblewrap(sources.world, sources.programs);
  if (found.kind === "missing")
    return {
      kind: "none",
      why: `there is no sandbox: ${notInstalledText(found.problem)}`,
      policy: unavailable,
    };
  return { kind: "backend", name };
}

/** Returns the confinement of a command in a sandbox that works, before a person grants it more hosts. */
export function workingConfinement(
  sources: Pick<SandboxSources, "world" | "settings" | "programs"> & {
    readonly relay?: Pick<SandboxRelay, "command">;
  },
): Extract<Confinement, { kind: "working" }> {
  const { network } = sources.settings;
  if (!enforcesHosts(backendFor(sources).name, sources)) return { kind: "working", network: "off" };
  return { kind: "working", network: network.length === 0 ? "off" : network, takesHosts: true };
}

/** Returns true if a sandbox of this backend can let commands out to a list of hosts alone. */
export function enforcesHosts(backend: string, { relay }: { readonly relay?: unknown }): boolean {
  return backend === "bubblewrap" && relay !== undefined;
}

/** Returns the backend that the settings name. `auto` means the platform's. @param proof see `BubblewrapOptions`. */
export function backendFor(
  sources: Pick<SandboxSources, "world" | "settings" | "programs">,
  proof?: KeptProof,
): Sandbox {
  const { world, settings, programs } = sources;
  const { backend, image = "" } = settings;
  const platformsOwn = world.machine.platform === "darwin" ? "seatbelt" : "bubblewrap";
  const name = backend === "auto" || backend === "none" ? platformsOwn : backend;
  switch (name) {
    case "bubblewrap":
      return bubblewrap({ world, programs, ...defined({ proof }) });
    case "seatbelt":
      return seatbelt({ world });
    case "container":
      return container({ world, programs, image });
    default:
      return unreachable(name);
  }
}

/** Returns the folder, beside `sandboxRecordsFolder`, that holds the state of git before the commands that run now. */
export function runRecordsFolder({ paths }: Pick<SandboxSources, "paths">): string {
  return join(paths.state, "sandboxes", "running");
}

/** Returns the folder of sandbox records, below cinch's own state, which no command sees. */
export function sandboxRecordsFolder({ paths }: Pick<SandboxSources, "paths">): string {
  return join(paths.state, "sandboxes");
}

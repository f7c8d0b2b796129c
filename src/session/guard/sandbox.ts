import type { SpawnOptions } from "../../base/world.ts";

/**
 * A way to run a command so that it reaches only what it may (SBX-01, SBX-02).
 *
 * A sandbox is a boundary, never a judge: a command that runs in it was permitted before (SBX-03).
 */
export interface Sandbox {
  /** "bubblewrap", "seatbelt", "container". */
  readonly name: string;
  /**
   * Examines the paths of a policy, and proves with one small command that the sandbox works. The disk is not examined
   * again for each command, so the owner of the result must prepare again when those paths have changed.
   */
  prepare(policy: SandboxPolicy): Promise<SandboxState>;
  /**
   * Notes that a command could not be confined. Returns true if only an earlier session had proven the sandbox: the
   * next preparation tries it. Absent: each session proves it.
   */
  doubt?(): Promise<boolean>;
  /** Confines a search program to one folder. Undefined if that does not work here, absent if the backend cannot. */
  prepareSearch?(place: SearchAccess): Promise<Confine | undefined>;
}

/** Paths that a search may read, and nothing else of the host. Each is absolute and resolved. */
export interface SearchAccess {
  readonly root: string;
  /** Paths below the root that must not be read. */
  readonly hidden: readonly string[];
}

/** Access of a confined command. Every path is absolute and resolved. */
export interface SandboxPolicy {
  /** The workspace: writable unless it is among `readOnly`. */
  readonly root: string;
  /** Writable besides the root; each exists. */
  readonly writable: readonly string[];
  /** Paths in what is writable, or the whole of it, that must not change, even if they do not exist yet (S26). */
  readonly readOnly: readonly ProtectedPath[];
  /** Paths that cannot be read: credentials, cinch's own files. Those that do not exist are ignored. */
  readonly hidden: readonly string[];
  /**
   * Folders that stay readable though they lie in what is replaced: of `PATH`, the home, or the repository of a
   * worktree, below the machine's `/tmp`.
   */
  readonly visible: readonly string[];
  /** Folder of this session alone that replaces `/tmp`. */
  readonly temporary: string;
  /** Folder of this session alone that no command sees, for the sandbox's own files. */
  readonly workshop: string;
  readonly network: NetworkPolicy;
}

export interface ProtectedPath {
  readonly path: string;
  /** Kind of the entry; if it does not exist, nothing of this kind may be created. */
  readonly kind: "file" | "directory";
  /** Open to commands that end with their call: their changes there are examined before anything else uses them. */
  readonly onlyInBackground?: true;
  /** Its creation is not prevented: an empty entry there would do harm. */
  readonly onlyWhereThere?: true;
}

/** Returns the paths that commands which end with their call must not change. */
export function readOnlyInForeground({ readOnly }: SandboxPolicy): readonly ProtectedPath[] {
  return readOnly.filter(({ onlyInBackground }) => onlyInBackground !== true);
}

export type NetworkPolicy =
  | { readonly kind: "off" }
  /**
   * A network that holds only a proxy. `enter` stands before a command to start it there, and `proxy` is the proxy's
   * address in it. `direct` are the names of the network itself, which programs reach without the proxy.
   */
  | {
      readonly kind: "proxy";
      readonly enter: readonly string[];
      readonly proxy: string;
      readonly direct: readonly string[];
    };

export type SandboxState =
  /**
   * `made`: empty entries that the sandbox creates on the disk while it exists; the owner of the session removes them.
   */
  | { readonly kind: "working"; readonly confine: Confine; readonly made: readonly string[] }
  /**
   * Reason why there is no sandbox on this machine, in a sentence, and a remedy for a person. `forWorkspace`: this
   * machine has one, but for no workspace with this path, whatever is in it.
   */
  | {
      readonly kind: "unavailable";
      readonly why: string;
      readonly remedy: string;
      readonly forWorkspace?: true;
    }
  /** The policy of this session cannot be applied: no command runs, whatever `unavailable` says. */
  | (SandboxRefusal & { readonly kind: "refused"; readonly made: readonly string[] });

/** Reason why a session has no sandbox though this machine has one, and a remedy for a person. */
export interface SandboxRefusal {
  readonly why: string;
  readonly remedy: string;
  /** The path of the policy that it is about, resolved. Absent if it is about several, or none. */
  readonly place?: string;
}

/** Returns what happens to commands in a session whose sandbox does not work. */
export function policyWithout(
  state: Exclude<SandboxState, { kind: "working" }>,
  unavailable: UnavailablePolicy,
): UnavailablePolicy {
  return state.kind === "refused" ? "refuse" : unavailable;
}

export interface Confine {
  /** Returns the program to start instead of a command. Quick: reads nothing. `background`: it outlives its call. */
  wrap(options: SpawnOptions, how?: "background"): SpawnOptions;
  /**
   * Returns why the sandbox could not be set up, from the first words of standard error; undefined if it was, and the
   * command itself wrote them.
   */
  failure(stderr: string): string | undefined;
  /** True if a command gets the standard input of its process, so that one can be `held`. */
  readonly passesInput?: true;
  /** Absolute paths of the host that a command finds empty or missing, to explain its failures. */
  readonly hidden?: readonly string[];
  /** Absolute paths that it cannot change, inside of what it can. */
  readonly readOnly?: readonly string[];
  /** Absolute paths of the folders that it can write. */
  readonly writable?: readonly string[];
}

/** Returns the paths of a policy that can explain a failure of a command. */
export function protectedPathsOf(
  policy: SandboxPolicy,
): Required<Pick<Confine, "hidden" | "readOnly" | "writable">> {
  return {
    hidden: policy.hidden,
    readOnly: policy.readOnly.map(({ path }) => path),
    writable: [policy.root, ...policy.writable, policy.temporary, "/tmp", "/var/tmp", "/dev"],
  };
}

/** Confinement of the commands that the permission gate judges. */
export type Confinement =
  | {
      readonly kind: "working";
      readonly network: "off" | readonly string[];
      /** True if a person can let it reach further hosts. */
      readonly takesHosts?: true;
    }
  /**
   * `refuse`: no command runs at all; `ask`: every command that is no known read needs approval. `refusal`: why the
   * sandbox of this machine is not applied. Absent: there is none.
   */
  | {
      readonly kind: "none";
      readonly why: string;
      readonly policy: UnavailablePolicy;
      readonly refusal?: SandboxRefusal;
    };

export const UNAVAILABLE_POLICIES = ["ask", "refuse"] as const;
export type UnavailablePolicy = (typeof UNAVAILABLE_POLICIES)[number];

export const SANDBOX_BACKENDS = ["auto", "bubblewrap", "seatbelt", "container", "none"] as const;

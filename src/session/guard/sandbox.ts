import type { SpawnOptions } from "../../base/world.ts";

/**
 * One way to run a command so that it reaches only what it may (SBX-01, SBX-02).
 *
 * A sandbox is a boundary, never a judge: what runs in it was permitted before (SBX-03).
 */
export interface Sandbox {
  /** "bubblewrap", "seatbelt", "container". */
  readonly name: string;
  /**
   * Looks at the places of a policy, and shows with one small command that what holds there really holds. The disk is not
   * looked at again for each command, so whoever keeps the result prepares anew when those places have changed.
   */
  prepare(policy: SandboxPolicy): Promise<SandboxState>;
  /** Confines a search program to one folder. Undefined where that does not work here, absent where the backend cannot. */
  prepareSearch?(place: SearchPlace): Promise<Confine | undefined>;
}

/** Paths that a search may read, and nothing else of the host. Each is absolute and resolved. */
export interface SearchPlace {
  readonly root: string;
  /** Below the root, and not to be read. */
  readonly hidden: readonly string[];
}

/** What a confined command may reach. Every path is absolute and resolved. */
export interface SandboxPolicy {
  /** The workspace: writable unless it is among `readOnly`. */
  readonly root: string;
  /** Writable beside it; each exists. */
  readonly writable: readonly string[];
  /** In what is writable, or the whole of it, and yet not to be changed: also where nothing is there yet (S26). */
  readonly readOnly: readonly ProtectedPlace[];
  /** Cannot be read: credentials, cinch's own files. Those that do not exist count for nothing. */
  readonly hidden: readonly string[];
  /**
   * Folders that stay readable though they lie in what is replaced: of `PATH`, the home, or the repository of a worktree, below
   * the machine's `/tmp`.
   */
  readonly visible: readonly string[];
  /** A folder of this session alone, which stands in the place of `/tmp`. */
  readonly temporary: string;
  /** A folder of this session alone that no command sees: what the sandbox itself needs lies there. */
  readonly workshop: string;
  readonly network: NetworkPolicy;
}

export interface ProtectedPlace {
  readonly path: string;
  /** What would be there, where nothing is: it is kept from being made. */
  readonly kind: "file" | "directory";
  /** Open to commands that end with their call: what these leave there is looked at before anything else uses it. */
  readonly onlyInBackground?: true;
  /** Not kept from being made: an empty one in its place would do harm. */
  readonly onlyWhereThere?: true;
}

/** Returns what commands that end with their call must not change. */
export function readOnlyInForeground({ readOnly }: SandboxPolicy): readonly ProtectedPlace[] {
  return readOnly.filter(({ onlyInBackground }) => onlyInBackground !== true);
}

export type NetworkPolicy =
  | { readonly kind: "off" }
  /**
   * A network that holds nothing but a proxy: `enter` stands before a command to start it there, `proxy` is the proxy's
   * address in it, and `direct` are the names of the network itself, which programs reach without the proxy.
   */
  | {
      readonly kind: "proxy";
      readonly enter: readonly string[];
      readonly proxy: string;
      readonly direct: readonly string[];
    };

export type SandboxState =
  /** `made`: empty places that the sandbox makes on the disk while it stands; whoever ends the session removes them. */
  | { readonly kind: "working"; readonly confine: Confine; readonly made: readonly string[] }
  /** Why there is none, in a sentence, and what a person can do about it. */
  | { readonly kind: "unavailable"; readonly why: string; readonly remedy: string };

export interface Confine {
  /**
   * Returns what to start in place of a command. Quick: nothing is looked up. `background`: it goes on when its call has ended.
   */
  wrap(options: SpawnOptions, how?: "background"): SpawnOptions;
  /**
   * Why the sandbox could not be set up, out of the first words of standard error; undefined where it was, and what
   * speaks there is the command.
   */
  failure(stderr: string): string | undefined;
  /** Absolute: what of the host a command finds empty or missing, to tell it by. */
  readonly hidden?: readonly string[];
  /** Absolute: what it cannot change, though it lies in what it can. */
  readonly readOnly?: readonly string[];
  /** Absolute: the folders that it can write. */
  readonly writable?: readonly string[];
}

/** Returns the places of a policy that a failure of a command can be told by. */
export function placesOf(policy: SandboxPolicy): Required<Pick<Confine, "hidden" | "readOnly" | "writable">> {
  return {
    hidden: policy.hidden,
    readOnly: policy.readOnly.map(({ path }) => path),
    writable: [policy.root, ...policy.writable, policy.temporary, "/tmp", "/var/tmp", "/dev"],
  };
}

/** What the permission gate must know of the commands that it judges. */
export type Confinement =
  | {
      readonly kind: "working";
      readonly network: "off" | readonly string[];
      /** A person can let it reach further hosts. */
      readonly takesHosts?: true;
    }
  /** `refuse`: no command runs at all; `ask`: every one that is not a known read is asked for. */
  | { readonly kind: "none"; readonly why: string; readonly policy: UnavailablePolicy };

export const UNAVAILABLE_POLICIES = ["ask", "refuse"] as const;
export type UnavailablePolicy = (typeof UNAVAILABLE_POLICIES)[number];

export const SANDBOX_BACKENDS = ["auto", "bubblewrap", "seatbelt", "container", "none"] as const;

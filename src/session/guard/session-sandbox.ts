import type { Child } from "../../base/world.ts";
import type { CallPlan } from "../../tools/tool.ts";
import type { Refusal } from "./hosts.ts";
import type { Confine, Confinement } from "./sandbox.ts";

/** The sandbox of one session, as the middleware needs it. */
export interface SessionSandbox {
  /** What confines the command of this very plan, as the gate has judged it. */
  current(plan: CallPlan): Promise<CurrentSandbox>;
  /** Somebody else than a confined command wrote these files; without `paths`, any: they are no news after the next one. */
  accept(paths?: readonly string[]): Promise<void>;
  /** Lets commands that start from now on reach further hosts, until the session ends: a person has said so. */
  grant(hosts: readonly string[]): Promise<void>;
  /** Sandbox for searches of a place, absolute and resolved; undefined if none works for searches. */
  search(place: string): Promise<Confine | undefined>;
}

/** `none`: there is no sandbox, by the user's word or for want of one, and the gate has judged the command as one that runs without. */
export type CurrentSandbox =
  | {
      readonly kind: "working";
      readonly confine: Confine;
      readonly network: "off" | readonly string[];
      /** Takes each process of the command: one that goes on after its call is looked after when it ends. */
      follow(child: Child): void;
      /** Puts right what the command left that must not be there, and returns the notes. To be called once, when its call ends. */
      afterwards(): Promise<Aftermath>;
      /** Only puts it right, where there is no result to note it in; the notes come with the next command. */
      sweep(): Promise<void>;
    }
  | { readonly kind: "none"; readonly refuse?: string };

export interface Aftermath {
  /** What the model and the person must be told. */
  readonly notes: readonly string[];
  /** Hosts that the proxy refused while the command ran, as the proxy itself saw them. */
  readonly refused: readonly Refusal[];
  /** The command sent something that the network of its sandbox has no way for, as the kernel has counted. */
  readonly unrouted: boolean;
}

/** The sandbox of one session: it is prepared when the first command needs it, and anew when what it stands on changed. */
export interface OpenSandbox extends Omit<SessionSandbox, "search">, AsyncDisposable {
  /** What the gate judges a command by. The verdict counts for this very plan, once. */
  confinement(plan: CallPlan): Promise<Confinement>;
}

/** The sandboxes of one session: of its workspace, and of each worktree that a sub-agent works in. */
export interface SessionSandboxes extends OpenSandbox, Pick<SessionSandbox, "search"> {
  /** The one of a workspace, by its root. */
  at(root: string): OpenSandbox & Pick<SessionSandbox, "search">;
  /** A worktree is gone: so is what its sandbox stood on. */
  leave(root: string): Promise<void>;
}

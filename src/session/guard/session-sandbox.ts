import type { Child } from "../../base/world.ts";
import type { CallPlan } from "../../tools/tool.ts";
import type { ProxyRefusal } from "./hosts.ts";
import type { Confine, Confinement } from "./sandbox.ts";

/** The sandbox of one session, as the middleware needs it. */
export interface SessionSandbox {
  /** Returns the sandbox for the command of this very plan, as the gate judged it. */
  current(plan: CallPlan): Promise<CurrentSandbox>;
  /**
   * Notes that these files were not written by a confined command; without `paths`, any file. They are no news after
   * the next command.
   */
  accept(paths?: readonly string[]): Promise<void>;
  /** Lets commands that start from now on reach further hosts, until the session ends: a person has allowed it. */
  grant(hosts: readonly string[]): Promise<void>;
  /**
   * Returns the sandbox for searches of a place, absolute and resolved; undefined if none works for searches.
   */
  search(place: string): Promise<Confine | undefined>;
}

/**
 * `none`: there is no sandbox, by the user's choice or because none works, and the gate has judged the command as an
 * unconfined one.
 */
export type CurrentSandbox =
  | {
      readonly kind: "working";
      readonly confine: Confine;
      readonly network: "off" | readonly string[];
      /**
       * Resolves when the run is recorded, so that a later session finds it after a kill: nothing may begin before.
       * Rejects with a ToolFailure if the disk does not take the record in time.
       */
      readonly recorded: Promise<unknown>;
      /** Takes each process of the command: for one that outlives its call, cleaning up waits for its end. */
      follow(child: Child): void;
      /** Removes what the command left and must not exist, and returns the notes. Call it once, when the call ends. */
      afterwards(): Promise<Aftermath>;
      /** Cleans up without a result to note it in; the notes come with the next command. */
      sweep(): Promise<void>;
    }
  | { readonly kind: "none"; readonly refuse?: string };

export interface Aftermath {
  /** Notes for the model and the person. */
  readonly notes: readonly string[];
  /** Hosts that the proxy itself refused while the command ran. */
  readonly refused: readonly ProxyRefusal[];
  /** True if the command sent packets for which the network of its sandbox has no route, as the kernel counted. */
  readonly unrouted: boolean;
  /** True if nothing ran, and the trial of an earlier session is refuted by that: the sandbox is tried next time. */
  readonly isRefuted: boolean;
}

/** The sandbox of one session. It is prepared when the first command needs it, and again when its paths changed. */
export interface OpenSandbox extends Omit<SessionSandbox, "search">, AsyncDisposable {
  /** Returns the confinement by which the gate judges a command. The verdict is valid for this very plan, once. */
  confinement(plan: CallPlan): Promise<Confinement>;
}

/** The sandboxes of one session: of its workspace, and of each worktree of a sub-agent. */
export interface SessionSandboxes extends OpenSandbox, Pick<SessionSandbox, "search"> {
  /** Returns the sandbox of a workspace, by its root. */
  at(root: string): OpenSandbox & Pick<SessionSandbox, "search">;
  /** Forgets the sandbox of a worktree that is gone. */
  leave(root: string): Promise<void>;
}

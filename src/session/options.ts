import type { Duplex } from "node:stream";
import type { HarnessPaths } from "../base/files/harness-paths.ts";
import type { World } from "../base/world.ts";
import type { SessionWishes } from "./plan.ts";

/** Options of one engine. */
export interface EngineOptions {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly workingDir: string;
  /** Wishes that its sessions start with: what a person or a program asked for. */
  readonly wishes: SessionWishes;
  /** Name, or path of a file that must exist. Default: the configuration's, else `default`. */
  readonly profile?: string;
  /** `provider:name`. */
  readonly model?: string;
  /** File for every provider request and answer, unredacted (`cinch debug --raw`). */
  readonly rawDump?: string;
  /** Play a `replay:` model word by word, for people who watch. */
  readonly paced?: boolean;
  readonly resume?: ResumeRequest;
  /**
   * Command that lets confined commands out to a list of hosts; a port and the path of a socket are appended. Absent:
   * they have no network, whatever the list says.
   */
  readonly relayCommand?: readonly [string, ...string[]];
  /** Folder of the machine key. Default: the configuration directory. */
  readonly keyDirectory?: string;
  /** Shows a text on the person's desktop and resolves to true if it was shown; absent: there is no desktop. */
  readonly tellDesktop?: (text: string) => Promise<boolean>;
  /** Called before the wait for a database that is brought up to date (SES-02). */
  readonly onUpgrade?: () => void;
  /** Returns the addresses that the engine listens on now; absent: none. */
  readonly listeners?: () => readonly string[];
  /** Origins whose pages may talk to the engine (AUTH-06); absent: none. */
  readonly origins?: readonly string[];
  /** Derive the key of the log from a passphrase that everybody knows. */
  readonly insecureDevKey?: boolean;
}

/** Session to resume. */
export type ResumeRequest =
  /** A session or log id. */
  | { readonly kind: "id"; readonly id: string }
  /** The newest session of the working directory. */
  | { readonly kind: "last" };

/** Handles to reach the desktop of the user. */
export interface DesktopContext {
  readonly world: Pick<World, "clock" | "log" | "machine" | "spawn">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** User id of this process; 0 where the system has none. */
  readonly uid: number;
  /** Opens a Unix socket by its path; an abstract one begins with a zero. Rejects with the system's error. */
  readonly connect: (path: string, signal: AbortSignal) => Promise<Duplex>;
}

/** A notification for a person at the desktop. */
export interface DesktopNotice {
  readonly title: string;
  readonly text: string;
  /** Milliseconds after which it is of no use and goes away. */
  readonly forMs: number;
}

export interface Desktop {
  /**
   * Shows a notice, and takes it back when the signal aborts; without a signal it stays as long as the desktop lets it.
   * Resolves to true if a service of the desktop took it. Failures go to the operational log.
   *
   * The text goes over a socket and never through arguments, which every user of the machine can read. Programs of
   * the same user can still read their session's bus: that is the limit of this way to reach a person.
   */
  show(notice: DesktopNotice, until?: AbortSignal): Promise<boolean>;
}

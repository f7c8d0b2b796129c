import type { World } from "../../base/world.ts";
import type { HelperClient } from "../../credentials/helper/client.ts";
import type { Plugin } from "../../features/plugins/registration/plugin.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Level } from "../../tools/tool-facts.ts";
import type { OrphanFate } from "../history/unfinished.ts";

/** Where cinch keeps its own files: the `cinch` folders of the XDG base directories. */
export interface HarnessPaths {
  readonly config: string;
  readonly data: string;
  readonly state: string;
}

/** How one engine is started. */
export interface HarnessOptions {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly workingDir: string;
  /** A name, or the path of a file that must exist. Absent: the configuration's, else `default`. */
  readonly profile?: string;
  /** `provider:name`. */
  readonly model?: string;
  /** How hard the model is to think. Absent: as configuration and profile say. */
  readonly effort?: EffortWord;
  readonly level?: Level;
  readonly autoApprove: boolean;
  readonly strictPermissions: boolean;
  /** Begin in plan mode (ENG-21). */
  readonly planMode?: boolean;
  /** Whether a person can answer. False: what would ask is refused at once (PERM-12). */
  readonly attended: boolean;
  /**
   * Whether whoever answers can look at a project's files first; as `attended` where absent. A script on a pipe cannot:
   * with it, a file that nobody has acknowledged ends the start (TOFU-04).
   */
  readonly asksTrust?: boolean;
  /** Load nothing of the project: none of its instructions, none of its settings. */
  readonly withoutProject?: boolean;
  /** Load nothing of `~/.agents`, which the user's programs share. */
  readonly withoutShared?: boolean;
  /** Let the project's hooks run, once each file of them was acknowledged (HOOK-02). */
  readonly allowProjectHooks?: boolean;
  /** A lock file that approves what it names, beside the user's own answers (TOFU-05). Absolute. */
  readonly lockfile?: string;
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  /** Milliseconds for one turn, with its sub-agents and waits (ENG-29). */
  readonly maxTimeMs?: number;
  /** When the whole run is over, by the monotonic clock: for a run of one prompt. */
  readonly endsAtMs?: number;
  /** A cassette file to write (PROV-08). */
  readonly record?: string;
  /** A file for every provider request and answer, unredacted (`cinch debug --raw`). */
  readonly rawDump?: string;
  /** Play a `replay:` model word by word, for people who watch. */
  readonly paced?: boolean;
  readonly resume?: ResumeRequest;
  /** Decision about calls that the resumed session's last run left open. Absent: a person is asked. */
  readonly orphans?: OrphanFate;
  /** Plugins of whoever builds this engine in: nobody is asked about them. */
  readonly plugins?: readonly Plugin[];
  /**
   * The user's environment. Keys are read from it, unless a helper holds them, and taken out of what tools give their
   * children.
   */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * What is started, with a port and a socket's path behind it, to let confined commands out to a list of hosts. Absent:
   * they have no network, whatever the list says.
   */
  readonly relayCommand?: readonly [string, ...string[]];
  /** The process that holds the keys, where this one must never see them (CRED-03). */
  readonly helper?: HelperClient;
  /** Where the machine key is; absent: in the configuration directory. */
  readonly keyDirectory?: string;
  /** Shows a text on the person's desktop, and tells whether one has taken it; absent: there is none. */
  readonly tellDesktop?: (text: string) => Promise<boolean>;
  /** Where the engine listens now; absent: nowhere. */
  readonly listeners?: () => readonly string[];
  /** Derive the key of the log from a passphrase that everybody knows. */
  readonly insecureDevKey?: boolean;
}

export type ResumeRequest =
  /** A session or log id. */
  | { readonly kind: "id"; readonly id: string }
  /** The newest session of the working directory. */
  | { readonly kind: "last" };

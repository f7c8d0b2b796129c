import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Level } from "../../tools/tool-facts.ts";
import type { SessionPoint } from "../../view/session-point.ts";
import type { AttachRequest } from "../access/attach-request.ts";
import type { JudgeFiles } from "../guard/trust.ts";
import type { EngineHandles } from "../host.ts";
import type { SessionPlan } from "../plan.ts";

/** Exit codes of cinch. Scripts depend on them; a test pins them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  limit: 4,
  trust: 5,
  cancelled: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * One subcommand as plain data: parser, help, hints, word lists and the documentation are derived from it.
 *
 * A folder holds it: `command.ts` exports this value, `run.ts` the code. `command.ts` is on the start path of every
 * run: it imports types and other plain data only, and `load` is the only way to the code.
 */
export interface CliCommand<Context extends CliContext = CliContext> extends CliAction {
  /** The word behind `cinch`. */
  readonly name: string;
  /** At most 26 characters, for the list of commands. */
  readonly brief: string;
  /** A few sentences that a user needs beside summary and flags. */
  readonly about?: string;
  /** The flags of this command. A verb takes those that it names. */
  readonly flags: readonly CliFlag[];
  /** Verbs that follow the name. The one named "" is meant if the next word is no verb. */
  readonly verbs?: readonly CliVerb[];
  /** Two that show what it is for. A test runs them. */
  readonly examples: readonly [CliExample, CliExample, ...CliExample[]];
  /** The page about it below `docs/`, such as "memory.md". */
  readonly page?: string;
  load(): Promise<CliModule<Context>>;
}

/** The code of a subcommand. */
export interface CliModule<Context extends CliContext = CliContext> {
  /** @throws HarnessError, whose reason decides the exit code. `UsageInvalid` is exit code 2. */
  run(context: Context): Promise<ExitCode>;
}

/** A verb of a subcommand, such as `list` in `cinch memory list`. */
export interface CliVerb extends CliAction {
  readonly name: string;
  /** Names of the command's own flags that this verb takes. */
  readonly flags: readonly string[];
  readonly examples: readonly [CliExample, ...CliExample[]];
}

/** Facts that a subcommand and a verb share. A verb inherits `settings` and `needs` from its command. */
export interface CliAction {
  /** One sentence that begins with a verb. */
  readonly summary: string;
  /** Positional arguments in their order. Default: none. */
  readonly words?: readonly CliWord[];
  /** Advice if there is a word too many. With it, the word is not repeated: it may be a secret. */
  readonly tooMany?: string;
  /** Flags that say how a session is run or found, and mean the same everywhere. */
  readonly settings?: readonly SettingName[];
  /** Groups of flags; of each group, at least one must be given. */
  readonly required?: readonly (readonly string[])[];
  /** Default: nothing. */
  readonly needs?: CliNeed;
  /** Needs the capability token of the environment, which no engine of its own may see. */
  readonly readsToken?: boolean;
  readonly examples: readonly CliExample[];
}

/**
 * Engine that a command works with.
 *
 * - `engine`: runs an engine, with the user's keys, in a process of its own.
 * - `shared-engine`: works with the engine that all clients of the user share, and starts it if there is none.
 * - `shared-engine-at-terminal`: the same at a terminal; elsewhere as `engine`.
 * - `running-engine`: works only with an engine that runs, such as `cinch serve`.
 */
export type CliNeed = "nothing" | "engine" | "shared-engine" | "shared-engine-at-terminal" | "running-engine";

/** A positional argument. */
export interface CliWord {
  /** In capitals: "NAME". */
  readonly name: string;
  readonly help: string;
  readonly optional?: boolean;
  /** Any number of them. Only the last one. */
  readonly many?: boolean;
  /** A flag that may give it instead. */
  readonly flag?: string;
}

/** A flag. Its name takes a value in every command or in none, because flags may stand before the command's name. */
export interface CliFlag {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  readonly kind: FlagKind;
  /** In capitals, or the words to choose from; absent for a switch. */
  readonly placeholder?: string;
  /** Command that lists the values it takes. */
  readonly valuesFrom?: string;
  /** One or two short sentences. */
  readonly help: string;
  /** Flags that may not be given with it. */
  readonly excludes?: readonly string[];
  /** Flags of which one must be given with it. */
  readonly needs?: readonly string[];
  /** A flag that asks for the same of a command that does not take this one. */
  readonly instead?: string;
}

/**
 * Kind of a flag's value; it decides how the text is read.
 *
 * `duration` is a number of milliseconds, `place` a turn or event, `optional-text` is true if no value follows. A flag
 * of `texts` may be given several times.
 */
export type FlagKind =
  | "switch"
  | "text"
  | "texts"
  | "optional-text"
  | "duration"
  | "place"
  | { readonly oneOf: readonly string[] }
  | { readonly whole: readonly [min: number, max: number] }
  | { readonly number: readonly [min: number, max: number] };

/** The value of a flag in the code: undefined if it was not given, false for a switch. */
export type FlagValue<Kind extends FlagKind = FlagKind> = Kind extends "switch"
  ? boolean
  : Kind extends "text"
    ? string | undefined
    : Kind extends "texts"
      ? readonly string[] | undefined
      : Kind extends "optional-text"
        ? string | true | undefined
        : Kind extends "duration"
          ? number | undefined
          : Kind extends "place"
            ? SessionPoint | undefined
            : Kind extends { readonly oneOf: readonly (infer Word)[] }
              ? Word | undefined
              : number | undefined;

/** The values of a list of flags by name. */
export type FlagValues<Flags extends readonly CliFlag[]> = {
  readonly [Flag in Flags[number] as Flag["name"]]: FlagValue<Flag["kind"]>;
};

/** An example in the help. The product's own parser reads it in a test. */
export interface CliExample {
  /** The line to type: "cinch memory list". */
  readonly line: string;
  /** Its effect, in a few words. */
  readonly does: string;
  /** Something that a test lacks: it parses the line and does not run it. */
  readonly needs?: "a key" | "a person" | "another program" | "its own test";
}

/** Flags of a session. `COMMON_SETTINGS` are those of nearly every command. */
export type SettingName =
  | (typeof COMMON_SETTINGS)[number]
  | "add-dir"
  | "allow"
  | "allow-project-hooks"
  | "append-system-prompt"
  | "auto-approve"
  | "continue"
  | "effort"
  | "level"
  | "lockfile"
  | "max-cost"
  | "max-time"
  | "max-turns"
  | "model"
  | "orphans"
  | "plan"
  | "quiet-cost"
  | "record"
  | "resume"
  | "strict-permissions"
  | "without-project";

/** Settings of nearly every command: place, profile and log. */
export const COMMON_SETTINGS = ["profile", "cwd", "log-to-stderr", "log-level", "insecure-dev-key"] as const;

/** The settings of a command line, as far as they are plain values. */
export interface CliSettings {
  readonly profile?: string;
  /** `provider:name`. */
  readonly model?: string;
  readonly level?: Level;
  readonly effort?: EffortWord;
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  readonly maxTimeMs?: number;
  readonly appendSystemPrompt?: string;
  readonly allow?: readonly string[];
  readonly addDirs?: readonly string[];
}

/** Standard output or standard error. */
export interface CliOutput {
  /**
   * Ends once the system has taken the bytes.
   * @throws HarnessError OutputUnwritable when the disk is full. A reader that has gone ends the run.
   */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** Width of the terminal; absent if it is none, or unknown. */
  readonly columns?: number | undefined;
}

/** Handles that a subcommand may use. The properties of the machine are opened at their first use. */
export interface CliContext<
  Flags extends readonly CliFlag[] = readonly CliFlag[],
  Verb extends string = string,
> {
  /** The verb; "" for a command without one. */
  readonly verb: Verb;
  /** The positional arguments. Their number is checked. */
  readonly words: readonly string[];
  readonly flags: FlagValues<Flags>;
  readonly settings: CliSettings;
  readonly world: World;
  readonly paths: HarnessPaths;
  /** The folder to work in, resolved. */
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Output for the answer or the JSON, and nothing else. */
  readonly stdout: CliOutput;
  /** Output for everything else. Writing never fails. */
  readonly stderr: CliOutput;
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /**
   * Reads standard input to its end; undefined if it is a terminal, closed or silent.
   * @throws HarnessError UsageInvalid if it is no text or too long.
   */
  readInput(): Promise<string | undefined>;
  /**
   * Checks the profile and the model that the settings name, as a later session would.
   * @returns sentences for the user.
   * @throws HarnessError ProfileMissing, ConfigInvalid, UnknownProvider, UnknownModel …
   */
  checkSettings(): Promise<readonly string[]>;
  /** Reads the settings of a session here. @throws HarnessError ConfigInvalid, ProfileMissing, TrustRefused. */
  readSettings(): Promise<ReadSettings>;
  /**
   * Returns the handles that an engine here gives to its features. Starts nothing.
   * @throws HarnessError ConfigInvalid.
   */
  engineHandles(): Promise<EngineHandles>;
  /**
   * Checks the profile of an unattended run: the one that is named, or the default.
   * @throws HarnessError for one that a model may have changed.
   */
  checkScheduledProfile(named: string | undefined, cwd: string): Promise<void>;
  /**
   * Returns the names of the skills that a session here would find, acknowledged or not.
   * @throws HarnessError as `readSettings`.
   */
  skillNames(): Promise<readonly string[]>;
  /** Opens an engine in this process, with the settings, in which nobody can be asked. Needs `engine`. */
  openEngine(): Promise<UnattendedEngine>;
  /** Returns the exit code of the reason of an error. */
  exitCodeOf(reason: string): ExitCode;
}

/** Settings of a session that would start here, for commands that list or check what it would find. */
export interface ReadSettings extends Pick<SessionPlan, "config" | "profile"> {
  /** Judges files as the session does. Records nothing. */
  readonly judge: JudgeFiles;
  /** Returns why a model name cannot be used, from the settings alone; undefined if nothing is known against it. */
  modelProblem(model: string): Promise<string | undefined>;
}

/** An engine that runs sessions without questions to people. */
export interface UnattendedEngine extends AsyncDisposable {
  attach(client: AttachRequest): Promise<Connection>;
  /** @throws HarnessError if the session cannot be opened. */
  openUnattended(request: CommandOf<"CreateSession">): Promise<SessionId>;
}

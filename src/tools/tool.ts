import type { CallId, ClientId, SessionId } from "../base/ids.ts";
import type { JsonSchema } from "../base/json.ts";
import type { Reason } from "../base/reasons.ts";
import type { FileInfo, World } from "../base/world.ts";
import type { ResultContent } from "../protocol/content.ts";
import type { Event } from "../protocol/events/events.ts";
import type { Level, ToolFacts } from "./tool-facts.ts";

export const DESCRIPTION_CHARACTERS_MAX = 250;

/** The argument that an alias stands for, and the conversion of its value, if any. */
type Alias = string | { readonly argument: string; read(value: unknown): unknown };

/** Other names that models use for the arguments of a tool. */
export type Aliases = Readonly<Record<string, Alias>>;

/**
 * A tool the model can call ([A] § seam 2).
 *
 * A call has two steps. `plan` reads the input and returns what will be touched, without side effects. The permission
 * gate judges that plan, and `run` gets exactly that plan (PERM-10).
 *
 * Tools of cinch carry all of their facts. A tool of an MCP server, a plugin or an embedder carries the required
 * ones; a missing fact counts as the strictest: an unknown effect, never auto-allowed, foreign output.
 */
export interface Tool<Plan extends CallPlan = CallPlan> extends Partial<ToolFacts> {
  readonly name: string;
  /** Its name with the MCP server's own spelling of the tool: users may write either. */
  readonly spelled?: string;
  /** Description for the model; at most `DESCRIPTION_CHARACTERS_MAX` characters (TOOL-08). */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /**
   * Other names of its arguments. Present if the tool reads nothing but what its schema names. See `readArguments`.
   */
  readonly aliases?: Aliases;
  readonly mutating: boolean;
  readonly level: Level;
  /** Time limit of one call. Default `TOOL_MS_MAX`. */
  readonly msMax?: number;
  /**
   * True if it is rare or one of many: not declared to the model, but found by ToolSearch and called through
   * CallTool (LIB-07).
   */
  readonly lazy?: boolean;
  /**
   * True if its calls may begin before the log has their intent, and change nothing before `ToolContext.intentSafe` has
   * resolved.
   */
  readonly awaitsIntent?: true;
  /** Returns why only a person may allow its calls now, whatever rules and flags say. */
  personOnly?(): string | undefined;
  /** Set for the replacement of a missing tool: its name is what the model wrote, at any length. */
  readonly missing?: true;

  /**
   * Determines what one call will do. The input has passed `inputSchema`.
   * @throws ToolFailure if the input cannot be carried out (no such file, outside the workspace …).
   */
  plan(input: unknown, context: ToolContext): Promise<Plan>;

  /**
   * Runs the plan.
   * @throws ToolFailure for a failure that the model should see; any other error is a bug and reported as one.
   */
  run(plan: Plan, context: ToolContext): Promise<ToolOutput>;
}

/** Everything a call will touch. The permission gate judges this and nothing else. */
export interface CallPlan {
  /** One line that names the call: for `Bash` its command, for `Read` and similar tools `Read:path`, … (PERM-09). */
  readonly summary: string;
  readonly target: CallTarget;
  /** State of the one file or directory that the call is about, when it was planned. Absent: unknown, or none. */
  readonly info?: FileInfo;
  /** Set if this call needs another level than the tool's. */
  readonly level?: Level;
  /** Reason for that level, for the permission question: the end of a sentence after "since". */
  readonly levelWhy?: string;
  /** Absolute, resolved path that the call's search program reads. */
  readonly searches?: string;
  /** Reason why only a person may allow this call, whatever rules and flags say. */
  readonly personOnly?: string;
  /** Set by the gate if a person has accepted a part of the change that the call makes to its file. */
  readonly accepted?: AcceptedChange;
  /** Set if this call changes nothing, or if what it starts obeys plan mode itself: plan mode allows it. */
  readonly inPlanMode?: true;
}

/** The part of a change of one file that a person has accepted. */
export interface AcceptedChange {
  /** SHA-256 in hexadecimal of the file that the person saw; absent if it did not exist. No other file is written. */
  readonly sha256?: string;
  /** The whole new text of the file. */
  readonly text: string;
  /** Says to the model which hunks were applied and which refused. */
  readonly report: string;
}

export type CallTarget =
  | { readonly kind: "none" }
  | { readonly kind: "paths"; readonly paths: readonly PathUse[] }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly cwd: string;
      /** Set to run it on the host, not in the sandbox. */
      readonly outside?: true;
      /** Set if it continues after the end of its call. */
      readonly background?: true;
    }
  | { readonly kind: "url"; readonly url: string };

export interface PathUse {
  /** Absolute, every symlink resolved (for a new file: that of its nearest existing parent). */
  readonly path: string;
  readonly access: "read" | "write";
  /** Absolute path as the call spelled it, if a symlink leads from it to `path`: rules judge both (S22). */
  readonly spelled?: string;
  /** Path of a key file that this is a hard link to: rules judge it too. Set by the gate. */
  readonly linked?: string;
}

/** Result of a call, for the model and for clients. */
export interface ToolOutput {
  readonly content: readonly ResultContent[];
  readonly isError?: boolean;
  /** Set by the time limit, for the ledger: the call was ended before it was done. */
  readonly timedOut?: boolean;
  /** Set if the call was refused, so that nothing of it ran: the reason, which is reported as a separate error. */
  readonly refusal?: Reason;
  /** Set if the call reports the end of a command that another call started without the user's secrets. */
  readonly ended?: { readonly command: string; readonly failed: boolean };
}

/** A failure that the model sees as the result of its call and can plan around (ENG-03). */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export type HiddenPart = "name" | "content";

/** Context of one call. */
export interface ToolContext {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly session: SessionId;
  readonly callId: CallId;
  readonly originator: ClientId;
  readonly turn: number;
  readonly workspace: Workspace;
  /**
   * Returns true if the gate hides one file from a call that is allowed for a directory above it: its content, or its
   * existence. The path is absolute and resolved. Absent: nothing is hidden.
   */
  readonly withholds?: (path: string, what: HiddenPart) => boolean;
  /** Set for a call of a sub-agent. */
  readonly within?: SubAgentContext;
  /** Set if a person was asked about this call and allowed it. */
  readonly byPerson?: true;
  /** Set for a command that a person runs by themselves: it is no call of the model. */
  readonly byUser?: true;
  /** Set if commands of this call also get the user's variables that hold secrets. */
  readonly hasSecrets?: true;
  /** Set if the gate has found that this command changes nothing. Absent: unknown. */
  readonly onlyReads?: true;
  /**
   * Resolves when the intent of this call survives a loss of power: nothing may change before. Set only for a tool that
   * `awaitsIntent`; for others it has resolved. Absent: nothing to wait for.
   */
  readonly intentSafe?: () => Promise<void>;
  /**
   * Shows partial output to clients; it is never sent to the model.
   * @param command set by a command: clients then also see its last lines.
   */
  progress(partial: string, command?: CommandProgress): void;
  /** Publishes other events: TodoChanged, TaskChanged, CustomEvent … */
  emit(event: Event): void;
}

/** Numbers of a command that runs. */
export interface CommandProgress {
  /** Bytes and lines that it has written so far. */
  readonly bytes: number;
  readonly lines: number;
  readonly elapsedMs: number;
  /** Set if so much was shown that the text only updates the last lines. */
  readonly tailOnly?: true;
}

/** The sub-agent that a call or event belongs to (ENG-10). */
export interface SubAgentContext {
  /** Call of the parent agent that it answers. */
  readonly parentCall: CallId;
  /** The agent kinds from the session's own agent to this sub-agent. */
  readonly agents: readonly string[];
}

/** Directory of a session, and its file knowledge. One per session; the only mutable state that tools share. */
export interface Workspace {
  /** Absolute and resolved: the root that paths are judged against. */
  readonly root: string;
  /** Further folders in which calls work as in the root (`--add-dir`). Absolute and resolved. */
  readonly added?: readonly string[];
  /** Folders that agents of this session and of others may write. Default: those of this workspace. */
  readonly writable?: { readonly all: readonly string[] };
  /** Bash's current directory; starts at the root and follows `cd`. */
  cwd: string;
  /** State of each file that the model has seen, by resolved path: the base of the stale-file check (TOOL-01). */
  readonly seen: Map<string, SeenFile>;
  /** Environment of child processes: the user's, without secrets and without variables that control the runtime. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's variables that hold secrets. Only a command that a person allows outside the sandbox gets them. */
  readonly withheld?: Readonly<Record<string, string>>;
  /**
   * Redacts the session's secrets in a text that arrives in pieces. Absent: only secrets recognised by their form.
   */
  readonly redacting?: () => PieceFilter;
  /** Folder for files of tools (spilled output), which the model can read with Read. */
  readonly scratch: string;
  /** Further folders that may be read like the workspace: copies of acknowledged skills. Absolute and resolved. */
  readonly readable?: Set<string>;
}

/** Changes a text that arrives in pieces; text that it holds back comes with a later piece or at the end. */
export interface PieceFilter {
  push(piece: string): string;
  end(): string;
}

export interface SeenFile {
  readonly modifiedMs: number;
  readonly size: number;
  readonly sha256: string;
}

/** Source of tools: the built-ins, an MCP server, a plugin (TOOL-06). */
export interface ToolSource {
  /** For people and for conflicts: "builtin", "mcp:github", "plugin:acme". */
  readonly name: string;
  tools(): readonly Tool[];
  /** Set by a source that learns of its tools while the session runs; `tools` then returns those known so far. */
  readonly late?: LateTools;
}

/** Discovery of tools that an external program supplies. */
export interface LateTools {
  /** True if the first request waits for them, so that it declares them; else ToolSearch finds them. */
  readonly awaited: boolean;
  /** Their origins, which ToolSearch names to the model if they are not declared. Absent: none to name. */
  readonly origins?: readonly string[];
  /**
   * Resolves when the tools are known, or known to be absent for now. Starts what that needs, and takes no longer
   * than the source's time limit.
   * @throws the signal's reason, and nothing else.
   */
  ready(signal: AbortSignal): Promise<void>;
}

import type { CallId, ClientId, SessionId } from "../base/ids.ts";
import type { JsonSchema } from "../base/json.ts";
import type { Reason } from "../base/reasons.ts";
import type { World } from "../base/world.ts";
import type { ResultContent } from "../protocol/content.ts";
import type { Event } from "../protocol/events/events.ts";
import type { Level, ToolFacts } from "./tool-facts.ts";

export const DESCRIPTION_CHARACTERS_MAX = 250;

/** The argument that another name stands for, and how its value is read where that differs. */
type Alias = string | { readonly argument: string; read(value: unknown): unknown };

/** Other names that models use for the arguments of a tool. */
export type Aliases = Readonly<Record<string, Alias>>;

/**
 * A tool the model can call ([A] § seam 2).
 *
 * A call has two halves. `plan` reads the input and says what will be touched, without side effects; the permission
 * gate judges that plan, and exactly that plan is what `run` is given (PERM-10).
 *
 * Tools of cinch itself carry all of their facts. A tool of an MCP server, a plugin or an embedder carries those it must;
 * a missing fact counts as the strictest: an unknown effect, never auto-allowed, foreign output.
 */
export interface Tool<Plan extends CallPlan = CallPlan> extends Partial<ToolFacts> {
  readonly name: string;
  /** Its name with its own part as the MCP server spells it that it is of: people may write either. */
  readonly spelled?: string;
  /** Description for the model; at most `DESCRIPTION_CHARACTERS_MAX` characters (TOOL-08). */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Present where the tool reads nothing but what its schema names: other names for that. See `readArguments`. */
  readonly aliases?: Aliases;
  readonly mutating: boolean;
  readonly level: Level;
  /** How long one call may take. Absent: `TOOL_MS_MAX`. */
  readonly msMax?: number;
  /** Rare or numerous: not declared to the model, but found by ToolSearch and called through CallTool (LIB-07). */
  readonly lazy?: boolean;
  /** Stands in for a tool that is not there: its name is what the model said, as long as that was. */
  readonly missing?: true;

  /**
   * Resolves what one call will do. The input has passed `inputSchema`.
   * @throws ToolFailure when the input cannot be carried out (no such file, outside the workspace …).
   */
  plan(input: unknown, context: ToolContext): Promise<Plan>;

  /**
   * Does it.
   * @throws ToolFailure for a failure that the model should see; anything else thrown is a bug and is told so.
   */
  run(plan: Plan, context: ToolContext): Promise<ToolOutput>;
}

/** What a call will touch: the permission gate judges this and nothing else. */
export interface CallPlan {
  /** One line that names the call: `Bash` its command, `Read` and its like `Read:path`, … (PERM-09). */
  readonly summary: string;
  readonly target: CallTarget;
  /** Set where this very call needs another level than the tool in general. */
  readonly level?: Level;
  /** Why it does, for the person who is asked: a half sentence behind "since". */
  readonly levelWhy?: string;
  /** Absolute and resolved: what the call starts a search program for, which reads it by paths. */
  readonly searches?: string;
  /** Why nobody but a person may let this very call through, whatever rules and flags say. */
  readonly personOnly?: string;
  /** This very call changes nothing, or what it starts is held to plan mode itself: plan mode lets it through. */
  readonly inPlanMode?: true;
}

export type CallTarget =
  | { readonly kind: "none" }
  | { readonly kind: "paths"; readonly paths: readonly PathUse[] }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly cwd: string;
      /** Set where it is to run on the host, and not in the sandbox. */
      readonly outside?: true;
      /** Set where it goes on when its call has ended. */
      readonly background?: true;
    }
  | { readonly kind: "url"; readonly url: string };

export interface PathUse {
  /** Absolute, every symlink resolved (for a new file: of its nearest existing parent). */
  readonly path: string;
  readonly access: "read" | "write";
  /** The path as the call spelled it, absolute, where a symlink leads from it to `path`: rules judge both (S22). */
  readonly spelled?: string;
  /** The path of a key file that this is another name of (a hard link): rules judge it too. Set by the gate. */
  readonly linked?: string;
}

/** Result of a call, for the model and for clients. */
export interface ToolOutput {
  readonly content: readonly ResultContent[];
  readonly isError?: boolean;
  /** Set by the time limit, for the ledger: the call was ended before it was done. */
  readonly timedOut?: boolean;
  /** Set where nobody let the call through, so that nothing of it ran: the reason, which is told as an error of its own. */
  readonly refusal?: Reason;
  /** Set where the call tells the end of a command that another call began, which was kept from the user's secrets. */
  readonly ended?: { readonly command: string; readonly failed: boolean };
}

/** A failure that the model sees as the result of its call and can plan around (ENG-03). */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export type Withheld = "name" | "content";

/** The surroundings of one call. */
export interface ToolContext {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly session: SessionId;
  readonly callId: CallId;
  readonly originator: ClientId;
  readonly turn: number;
  readonly workspace: Workspace;
  /**
   * Whether the gate keeps one file from a call that it let through for a directory above it: its content, or that it
   * exists. The path is absolute and resolved. Absent: it keeps nothing.
   */
  readonly withholds?: (path: string, what: Withheld) => boolean;
  /** Set for a call of a sub-agent. */
  readonly within?: Within;
  /** A person was asked about this very call, and said yes. */
  readonly byPerson?: true;
  /** Commands of this call get the user's variables that hold secrets too. */
  readonly hasSecrets?: true;
  /** The gate has found that this very command changes nothing. Absent: nobody knows. */
  readonly onlyReads?: true;
  /** Partial output for people who watch; shown, never sent to the model. */
  progress(partial: string): void;
  /** Side-channel events: TodoChanged, TaskChanged, CustomEvent … */
  emit(event: Event): void;
}

/** The sub-agent that something belongs to (ENG-10). */
export interface Within {
  /** The call of the agent above that it answers. */
  readonly parentCall: CallId;
  /** The kinds of the sub-agents from the session's own agent down to it, itself last. */
  readonly agents: readonly string[];
}

/** Where a session works, and what it has seen there. One per session; the only mutable thing tools share. */
export interface Workspace {
  /** Absolute and resolved: the root that paths are judged against. */
  readonly root: string;
  /** Where Bash is now; starts at the root and follows `cd`. */
  cwd: string;
  /** What the model knows of each file, by resolved path: the base of the stale-file check (TOOL-01). */
  readonly seen: Map<string, SeenFile>;
  /** The environment that child processes get: the user's own, less secrets and less what drives our runtime. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's variables that hold secrets: only a command gets them that a person lets run outside the sandbox. */
  readonly withheld?: Readonly<Record<string, string>>;
  /** Takes the session's secrets out of a text that arrives in pieces. Absent: those alone that can be told by their form. */
  readonly redacting?: () => PieceFilter;
  /** Where tools may keep files of their own (spilled output), readable by the model through Read. */
  readonly scratch: string;
  /** Folders elsewhere that may be read like the workspace: copies of acknowledged skills. Absolute and resolved. */
  readonly readable?: Set<string>;
}

/** Changes a text that arrives in pieces; what it holds back comes with a later piece or at the end. */
export interface PieceFilter {
  push(piece: string): string;
  end(): string;
}

export interface SeenFile {
  readonly modifiedMs: number;
  readonly size: number;
  readonly sha256: string;
}

/** Where tools come from: the built-ins, an MCP server, a plugin (TOOL-06). */
export interface ToolSource {
  /** For people and for conflicts: "builtin", "mcp:github", "plugin:acme". */
  readonly name: string;
  tools(): readonly Tool[];
  /** Given by a source that learns of its tools while the session runs; `tools` then tells what it knows now. */
  readonly late?: LateTools;
}

/** How a source comes to know its tools where something outside has to tell them. */
export interface LateTools {
  /** Whether the first request waits for them, so that they are declared in it; else ToolSearch finds them. */
  readonly awaited: boolean;
  /** What they come from, in names that ToolSearch tells the model of where they are not declared; absent: nothing to tell. */
  readonly origins?: readonly string[];
  /**
   * Resolves once it is known what tools there are, or that there are none for now. Begins what has to be begun for that,
   * and takes no longer than the source's own time limit.
   * @throws the signal's reason, and nothing else.
   */
  ready(signal: AbortSignal): Promise<void>;
}

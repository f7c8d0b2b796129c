import type { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Command, CommandOf } from "../../protocol/commands/commands.ts";
import type { AcceptedOf, ResultOfCommand } from "../../protocol/commands/results.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { Costs } from "../../view/costs/cost-book.ts";
import type { KnownTask } from "../../view/session/tasks.ts";
import type { Turns } from "../../view/session/turns.ts";
import type { WaitingInput } from "../../view/session/waiting.ts";
import type { SlashCommand } from "../../view/slash/slash.ts";

/** The way that a text took to a clipboard, or the reason why it took none. */
export type CopyResult = "terminal" | "tmux" | "too-long" | "no-terminal";

/** State of a session and actions of a client that a slash command may use. */
export interface SlashContext {
  readonly session: SessionId;
  /** Returns all costs of the session so far, or the refusal. */
  readCosts(): Promise<Costs | HarnessError>;
  readonly busy: boolean;
  /** Width of the screen in columns; undefined if unknown. */
  readonly columns: number | undefined;
  readonly planMode: boolean;
  readonly tasks: readonly KnownTask[];
  /** Summary of the memories read and written so far. */
  readonly memories: string;
  /** The model in use, as `provider:name`. */
  readonly model: string;
  /** Notes that the engine has accepted another model, before an event names it. */
  modelChosen(model: string): void;
  /** Folders that were added to the workspace (`--add-dir`). */
  readonly folders: readonly string[];
  readonly turns: Turns;
  say(text: string): Promise<void>;
  /** Sends a command; prints and returns a refusal. */
  send(command: Command): Promise<HarnessError | undefined>;
  /** Sends a command; returns its result. Prints a refusal and returns undefined. */
  request<Sent extends Command>(command: Sent): Promise<ResultOfCommand<Sent["kind"]> | undefined>;
  /** Sends a command; returns the answer, or the refusal. */
  answerTo<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError>;
  /** Sends a query; returns the answer or the refusal. */
  query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError>;
  /** Returns the session that a text names. Prints a refusal and returns undefined. */
  find(text: string): Promise<ResultOf<"FindSession"> | undefined>;
  /** Runs a slash command through the query or command that the engine lists for it. */
  standFor(name: string, command: Pick<SlashCommand, "args" | "rest">): Promise<void>;
  readonly nowMs: number;
  /** True for a screen reader: tables and changes are written with words. Default: false. */
  readonly isSpoken?: boolean;
  /** Notes that another session replaces this one: later lines are for that one. */
  switched(): void;
  /** Request for a session like the one that this client was started with; undefined if it cannot begin any. */
  readonly fresh: CommandOf<"CreateSession"> | undefined;
  /** Puts a text into the clipboard, and prints which way it took or why it took none. */
  copy(text: string): Promise<void>;
  /** Leaves this session for another live one, with the last event of its past. */
  goTo(next: { readonly session: SessionId; readonly model: string; readonly past: EventSeq }): void;
  /** Asks the user a yes/no question at this client alone; undefined without an answer. */
  confirm(text: string): Promise<boolean | undefined>;
  /** Asks for a secret that is not shown; undefined if the user gives up. Absent: no terminal here could hide it. */
  readonly askSecret?: (question: string) => Promise<string | undefined>;
  /** True if the engine was reached at a network address. */
  readonly overNetwork: boolean;
  /** Closes such a question; returns true if one was open. */
  takeBack(): boolean;
  cancel(): Promise<void>;
  /** Inputs that were accepted and have not started. */
  readonly waiting: readonly WaitingInput[];
  /** Returns the session's commands as the engine lists them, else the built-in ones. */
  listCommands(): Promise<readonly SlashCommandInfo[]>;
  /** Returns a listed command, or one of cinch that is answered and not offered. */
  findCommand(isMeant: (info: SlashCommandInfo) => boolean): Promise<SlashCommandInfo | undefined>;
  /** Sends a text to the model as the user's input, and shows it. */
  sendPrompt(text: string): Promise<void>;
  /** Sends a text to the model together with a skill. */
  useSkill(text: string, skill: string): Promise<void>;
  /** Sends a text to a sub-agent of this kind instead of the model. */
  askAgent(text: string, agent: string): Promise<void>;
  /** Sends a text to the running turn. */
  steer(text: string): Promise<void>;
  /** Drops the first text that could not be sent. Returns false if none is kept. */
  drop(): boolean;
  /** Clears the screen; returns false if there is none. */
  clear(): boolean;
  quit(): Promise<void>;
}

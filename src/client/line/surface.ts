import type { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Command } from "../../protocol/commands/commands.ts";
import type { AcceptedOf, ResultOfCommand } from "../../protocol/commands/results.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { Costs } from "../../view/costs/cost-book.ts";
import type { KnownTask } from "../../view/session/tasks.ts";
import type { Turns } from "../../view/session/turns.ts";
import type { WaitingInput } from "../../view/session/waiting.ts";
import type { SlashCommand } from "../../view/slash/slash.ts";

/** What a command can see of the line client, and do with it. */
export interface CommandSurface {
  readonly session: SessionId;
  readonly costs: Costs;
  readonly busy: boolean;
  /** How wide the screen is; undefined where that is not known. */
  readonly columns: number | undefined;
  readonly planMode: boolean;
  readonly tasks: readonly KnownTask[];
  /** What was done with memories so far, in words. */
  readonly memories: string;
  model: string;
  /** What the person has allowed for this session, as rules. */
  rules: readonly string[];
  readonly turns: Turns;
  say(text: string): Promise<void>;
  /** Sends a command; a refusal is told and comes back. */
  send(command: Command): Promise<HarnessError | undefined>;
  /** Sends a command; returns its result, or undefined where it was refused, which is printed. */
  request<Sent extends Command>(command: Sent): Promise<ResultOfCommand<Sent["kind"]> | undefined>;
  /** Sends a command; returns the answer, or the refusal. */
  answerTo<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError>;
  /** Asks a query; returns the answer, or the refusal. */
  query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError>;
  /** Returns the session that a person means; undefined where it is refused, which is printed. */
  find(text: string): Promise<ResultOf<"FindSession"> | undefined>;
  /** Carries out a command by the query or command that it stands for, as the engine lists it. */
  standFor(name: string, command: Pick<SlashCommand, "args" | "rest">): Promise<void>;
  readonly nowMs: number;
  /** Another session takes the place of this one: what is typed from now on is for that one. */
  switched(): void;
  /** Leaves this session for another one, which is live. */
  goTo(session: SessionId, model: string): void;
  /** Asks the person something that is for this client alone: yes or no; undefined where nobody can answer, or does. */
  confirm(text: string): Promise<boolean | undefined>;
  /** Takes such a question back; true where one was open. */
  takeBack(): boolean;
  cancel(): Promise<void>;
  /** What was accepted and has not begun. */
  readonly waiting: readonly WaitingInput[];
  /** Every command of this session, as the engine lists them; the common ones where it does not. */
  listCommands(): Promise<readonly SlashCommandInfo[]>;
  /** Sends a text to the model as the person's own. */
  sendPrompt(text: string): Promise<void>;
  /** Sends a text for the model, to be worked on with a skill. */
  useSkill(text: string, skill: string): Promise<void>;
  /** Gives a text to a sub-agent of a kind, in the place of the model. */
  askAgent(text: string, agent: string): Promise<void>;
  /** Sends a text for the turn that runs. */
  steer(text: string): Promise<void>;
  /** Forgets the text that was kept. */
  drop(): void;
  /** Clears the screen; false where that cannot be done. */
  clear(): boolean;
  quit(): Promise<void>;
}

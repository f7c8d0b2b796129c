import type { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Accepted, Command } from "../../protocol/commands/commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { Costs } from "../../view/costs/cost-book.ts";
import type { KnownTask } from "../../view/session/tasks.ts";
import type { Turns } from "../../view/session/turns.ts";
import type { WaitingInput } from "../../view/session/waiting.ts";

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
  /** Sends a command; gives what it answered with, or undefined where it was refused, which is told. */
  request(command: Command): Promise<unknown>;
  /** Sends a command; gives the answer, or the refusal. */
  answerTo(command: Command): Promise<Accepted | HarnessError>;
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

import type { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Command } from "../../protocol/commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { Costs } from "../kit/cost-book.ts";
import type { KnownTask } from "../kit/tasks.ts";
import type { WaitingInput } from "../kit/waiting.ts";
import type { AgentsSurface } from "./agents.ts";
import type { ProfilesSurface } from "./profiles.ts";
import type { RewindSurface } from "./rewind.ts";
import type { SessionsSurface } from "./sessions.ts";
import type { SkillsSurface } from "./skills.ts";

/** What a command can see of the line client, and do with it. */
export interface CommandSurface
  extends RewindSurface,
    SessionsSurface,
    ProfilesSurface,
    SkillsSurface,
    AgentsSurface {
  readonly session: SessionId;
  readonly costs: Costs;
  readonly busy: boolean;
  readonly planMode: boolean;
  readonly tasks: readonly KnownTask[];
  /** What was done with memories so far, in words. */
  readonly memories: string;
  model: string;
  /** What the person has allowed for this session, as rules. */
  rules: readonly string[];
  say(text: string): Promise<void>;
  /** Sends a command; a refusal is told and comes back. */
  send(command: Command): Promise<HarnessError | undefined>;
  cancel(): Promise<void>;
  /** What was accepted and has not begun. */
  readonly waiting: readonly WaitingInput[];
  /** Every command of this session, as the engine lists them; the common ones where it does not. */
  listCommands(): Promise<readonly SlashCommandInfo[]>;
  /** Sends a text to the model as the person's own. */
  sendPrompt(text: string): Promise<void>;
  /** Sends a text for the turn that runs. */
  steer(text: string): Promise<void>;
  /** Forgets the text that was kept. */
  drop(): void;
  /** Clears the screen; false where that cannot be done. */
  clear(): boolean;
  quit(): Promise<void>;
}

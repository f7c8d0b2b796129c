import type { Accepted, CommandOf } from "../protocol/commands/commands.ts";
import type { AttachedClient } from "./access/client.ts";

/** Commands of one session that are carried out by what it is composed of. */
export type PartCommand = "EnterPlanMode" | "ExitPlanMode" | "ReloadSkills" | "ManageMcp" | "StopTask";

/**
 * What carries them out, by their kind. Resolves once the command is accepted.
 * @throws HarnessError where it is refused.
 */
export type SessionCommands = {
  readonly [Kind in PartCommand]?: (command: CommandOf<Kind>, client: AttachedClient) => Promise<Accepted>;
};

import type { Accepted, CommandOf } from "../protocol/commands/commands.ts";
import type { AttachedClient } from "./access/client.ts";

/** What is done with a session as such, whether it runs or has ended. */
export interface SessionKeeping {
  /** A new session of this one up to the end of a turn (SES-08): its id is answered, and its log in the result. */
  branch(command: CommandOf<"BranchSession">): Promise<Accepted>;
  /** Keeps it from expiring, or no longer (SES-06). */
  pin(command: CommandOf<"PinSession">): Promise<Accepted>;
}

/**
 * Carries out the custom commands of one namespace, which it owns (BUS-06).
 * @throws HarnessError where it does not know the verb, or refuses.
 */
export type NamespaceOwner = (
  command: CommandOf<"CustomCommand">,
  client: AttachedClient,
) => Promise<Accepted>;

/** Commands that are served for sessions that run and for those that have ended. */
export const KEEPING_COMMANDS = ["BranchSession", "PinSession", "CustomCommand"] as const;
export type KeepingCommand = CommandOf<(typeof KEEPING_COMMANDS)[number]>;

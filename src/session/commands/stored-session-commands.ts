import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../access/client.ts";

/** Commands that are served for running and for ended sessions. */
export type StoredSessionCommand =
  | "BranchSession"
  | "PinSession"
  | "ExportSession"
  | "DismissExpiring"
  | "MuteSession";

/**
 * Handlers of commands about a session as a whole, running or ended.
 *
 * BranchSession answers with the new session's id, its log and the event (SES-08); PinSession keeps a session
 * from expiring (SES-06); ExportSession writes a new file and answers with its path (SES-10); DismissExpiring
 * hides the warning about contents that expire within a week; MuteSession has an agent's session notify its
 * followers only (CTL-12).
 */
export type StoredSessionCommands = {
  readonly [Kind in StoredSessionCommand]: (
    command: CommandOf<Kind>,
    client: AttachedClient,
  ) => Promise<Accepted>;
};

/**
 * Handles the custom commands of one namespace, which it owns (BUS-06).
 * @throws HarnessError if it does not know the verb, or refuses.
 */
export type NamespaceOwner = (
  command: CommandOf<"CustomCommand">,
  client: AttachedClient,
) => Promise<Accepted>;

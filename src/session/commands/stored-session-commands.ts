import type { Accepted, Command, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../access/client.ts";

/** Commands that are served for running and for ended sessions. */
const STORED_SESSION_COMMANDS = [
  "BranchSession",
  "PinSession",
  "ExportSession",
  "DismissExpiring",
  "MuteSession",
  "AskAutoAttach",
  "AnswerAutoAttach",
  "RenameSession",
  "ArchiveSession",
  "DeleteSession",
  "MarkRead",
  "SetDraft",
] as const;

export type StoredSessionCommand = (typeof STORED_SESSION_COMMANDS)[number];

export function isStoredSessionCommand(command: Command): command is CommandOf<StoredSessionCommand> {
  return STORED_SESSION_COMMANDS.some((kind) => kind === command.kind);
}

/**
 * Handlers of commands about a session as a whole, running or ended.
 *
 * BranchSession answers with the new session's id, its log and the event (SES-08); PinSession keeps a session
 * from expiring (SES-06); ExportSession writes a new file and answers with its path (SES-10); DismissExpiring
 * hides the warning about contents that expire within a week; MuteSession has an agent's session notify its
 * followers only, AskAutoAttach asks people about the sessions of a program, AnswerAutoAttach stores their answer
 * (CTL-12). The others are about what people keep beside a session (CTL-19).
 */
export type StoredSessionCommands = {
  readonly [Kind in StoredSessionCommand]: (
    command: CommandOf<Kind>,
    client: AttachedClient,
  ) => Promise<Accepted>;
};

/** Hands a command to its handler. */
export function carryOutStored(
  commands: StoredSessionCommands,
  command: CommandOf<StoredSessionCommand>,
  client: AttachedClient,
): Promise<Accepted> {
  // The handler of a kind takes the commands of this kind.
  const handle = commands[command.kind] as StoredSessionHandler;
  return handle(command, client);
}

/** Carries out a command of any of these kinds. */
export type StoredSessionHandler = (
  command: CommandOf<StoredSessionCommand>,
  client: AttachedClient,
) => Promise<Accepted>;

/**
 * Handles the custom commands of one namespace, which it owns (BUS-06).
 * @throws HarnessError if it does not know the verb, or refuses.
 */
export type NamespaceOwner = (
  command: CommandOf<"CustomCommand">,
  client: AttachedClient,
) => Promise<Accepted>;

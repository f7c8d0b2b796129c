import type { CommandKind, CommandOf, EngineCommandKind } from "../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../protocol/commands/results.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { AttachRequest } from "../access/attach-request.ts";
import type { AttachedClient } from "../access/client.ts";
import type { StoredSessionCommand } from "./stored-session-commands.ts";

/** Commands that the engine, the session itself or the keeping of stored sessions handles. */
type OwnCommand =
  | StoredSessionCommand
  | EngineCommandKind
  | "SwitchProfile"
  | "CustomCommand"
  | "SendInput"
  | "WithdrawInput"
  | "CancelTurn"
  | "AnswerPermission"
  | "Answer"
  | "SetModel"
  | "SetLevel"
  | "EditInput"
  | "MoveInput"
  | "RevokeRule"
  | "PromoteRule"
  | "CompactSession"
  | "RewindSession"
  | "RunShell"
  | "StopShell"
  | "EndSession"
  | "AttachSession"
  | "DetachSession";

/** Commands of one session that features handle: all others. */
export type FeatureCommand = Exclude<CommandKind, OwnCommand>;

/**
 * Handlers of commands by kind. Each resolves once the command is accepted.
 * @throws HarnessError if it is refused.
 */
export type SessionCommands = {
  readonly [Kind in FeatureCommand]?: (
    command: CommandOf<Kind>,
    client: AttachedClient,
  ) => Promise<AcceptedOf<Kind>>;
};

/** Client that asks. The hub has checked that it may ask this query. */
export interface QueryContext extends Pick<AttachRequest, "identityClass" | "scope"> {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Answers queries of one kind.
 * @throws HarnessError if it refuses; the signal's reason.
 */
export type QueryHandler<Kind extends QueryKind> = (
  query: QueryOf<Kind>,
  asking: QueryContext,
) => Promise<ResultOf<Kind>>;

/**
 * Handlers by kind: of the engine, or of one session. A query that names a running session goes to its handler first.
 */
export type QueryHandlers = { readonly [Kind in QueryKind]?: QueryHandler<Kind> };

/**
 * Sends a query and resolves with its answer.
 * @throws HarnessError if it is refused.
 */
export type AskQuery = <Kind extends QueryKind>(
  query: QueryOf<Kind>,
  asking: QueryContext,
) => Promise<ResultOf<Kind>>;

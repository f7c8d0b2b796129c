import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { AttachRequest } from "../access/attach-request.ts";
import type { AttachedClient } from "../access/client.ts";

/** Commands of one session that are carried out by what it is composed of. */
export type PartCommand = "EnterPlanMode" | "ExitPlanMode" | "ReloadSkills" | "ManageMcp" | "StopTask";

/**
 * What carries them out, by their kind. Resolves once the command is accepted.
 * @throws HarnessError where it is refused.
 */
export type SessionCommands = {
  readonly [Kind in PartCommand]?: (command: CommandOf<Kind>, client: AttachedClient) => Promise<Accepted>;
};

/** Who asks. The hub has checked that this client may ask this query. */
export interface QueryContext extends Pick<AttachRequest, "identityClass" | "scope"> {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Answers queries of one kind. @throws HarnessError where it refuses; the signal's reason. */
export type QueryHandler<Kind extends QueryKind> = (
  query: QueryOf<Kind>,
  asking: QueryContext,
) => Promise<ResultOf<Kind>>;

/** Handlers by kind: of the engine, or of one session. A query that names a running session goes to its handler first. */
export type QueryHandlers = { readonly [Kind in QueryKind]?: QueryHandler<Kind> };

/** Sends a query and resolves with its answer. @throws HarnessError where it is refused. */
export type AskQuery = <Kind extends QueryKind>(
  query: QueryOf<Kind>,
  asking: QueryContext,
) => Promise<ResultOf<Kind>>;

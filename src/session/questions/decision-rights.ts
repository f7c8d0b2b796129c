import { HarnessError } from "../../base/errors.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import type { CommandOf, SessionCommandKind } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../access/client.ts";
import { RIGHTS } from "../access/rights.ts";
import { assertHuman } from "./questions.ts";

/** Facts about the session that a command is for. */
export interface DecisionContext {
  /** True if an agent opened its open run. */
  readonly isAgents: boolean;
  /** Client that started the running turn. */
  readonly turnOf?: ClientId | undefined;
}

type SessionCommand = CommandOf<SessionCommandKind>;

/**
 * Refuses an agent a command that is for people, or that decides over a person's session: see `RIGHTS`.
 * @throws HarnessError InvalidCommand, Forbidden.
 */
export function assertMayDecide(
  { kind, sessionId }: SessionCommand,
  client: AttachedClient,
  decided: (id: SessionId) => DecisionContext,
): void {
  const right = RIGHTS[kind];
  if (right === "person") assertHuman(client, kind);
  if (right !== "decide" || client.identityClass === "human") return;
  // The session is known to be among those of the token.
  if (client.scope !== undefined && client.scope.sessions !== "all") return;
  const { isAgents, turnOf } = decided(sessionId);
  if (isAgents || (kind === "CancelTurn" && turnOf === client.id)) return;
  throw new HarnessError("Forbidden", {
    what: `${kind} in a session that a person began and that its claims do not name`,
  });
}

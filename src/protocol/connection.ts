import type { ClientId, EventSeq, SessionId } from "../base/ids.ts";
import type { Accepted, Command } from "./commands/commands.ts";
import type { Envelope } from "./events/envelope.ts";
import type { Handshake } from "./handshake.ts";
import type { QueryKind } from "./kinds.ts";
import type { QueryOf, ResultOf } from "./queries/queries.ts";

/** Who acts: a person or a proxy for one, or another agent ([A] hard rule 11). Set when a client attaches. */
export type IdentityClass = "human" | "agent";

/**
 * One client's connection to an engine, whatever the wire: the same envelopes, order and refusals everywhere.
 *
 * Disposing it detaches; nothing that runs is stopped by that.
 */
export interface Connection extends AsyncDisposable {
  readonly clientId: ClientId;
  readonly identityClass: IdentityClass;

  /** Must come first; any command before it is refused with `HandshakeRequired`. */
  handshake(clientVersion: string): Promise<Handshake>;

  /**
   * Sends one command and waits until it is accepted (and, where it must be, durable).
   * @throws HarnessError when it is refused.
   */
  send(command: Command): Promise<Accepted>;

  /**
   * Asks the engine for something and changes nothing.
   * @throws HarnessError where it is refused; the signal's reason.
   */
  query<Kind extends QueryKind>(query: QueryOf<Kind>, signal?: AbortSignal): Promise<ResultOf<Kind>>;

  /**
   * Every event with an id above `since` in order, then live ones, without gap or duplicate.
   *
   * Ends with SessionEnded, or when the signal aborts. Leaving the loop unsubscribes.
   */
  subscribe(session: SessionId, options: SubscribeOptions): AsyncIterable<Envelope>;

  /**
   * The run that goes on with a session, where its engine was started anew meanwhile; else the session itself. Commands
   * and subscriptions take either id. Absent: what is in one process ends with it.
   */
  runOf?(session: SessionId): SessionId;
}

export interface SubscribeOptions {
  /** The last event that the client has seen; 0 for all of the log, absent for live events only. */
  readonly since?: EventSeq;
  readonly signal: AbortSignal;
}

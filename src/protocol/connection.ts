import type { ClientId, EventSeq, SessionId } from "../base/ids.ts";
import type { Accepted, Command } from "./commands/commands.ts";
import type { AttachedFile, AttachmentInfo } from "./content.ts";
import type { Envelope } from "./events/envelope.ts";
import type { NewsItem } from "./events/news.ts";
import type { Handshake } from "./handshake.ts";
import type { QueryKind } from "./kinds.ts";
import type { QueryOf, ResultOf } from "./queries/queries.ts";

/** Class of a client: a person or their proxy, or another agent ([A] hard rule 11). Set when a client attaches. */
export type IdentityClass = "human" | "agent";

/**
 * One client's connection to an engine. Envelopes, order and refusals are the same on every transport.
 *
 * Disposing it detaches and stops nothing that runs.
 */
export interface Connection extends AsyncDisposable {
  readonly clientId: ClientId;
  readonly identityClass: IdentityClass;

  /** Must come first; any command before it is refused with `HandshakeRequired`. */
  handshake(clientVersion: string): Promise<Handshake>;

  /**
   * Sends one command and waits until it is accepted (and durable, if required).
   * @throws HarnessError when it is refused.
   */
  send(command: Command): Promise<Accepted>;

  /**
   * Stores a file for inputs of a session, which name it in a block `{type: "attachment", id}`. Absent: this transport
   * carries none.
   * @throws HarnessError when it is refused.
   */
  attach?(session: SessionId, file: AttachedFile): Promise<AttachmentInfo>;

  /**
   * Queries the engine without changing anything.
   * @throws HarnessError when it is refused; the signal's reason.
   */
  query<Kind extends QueryKind>(query: QueryOf<Kind>, signal?: AbortSignal): Promise<ResultOf<Kind>>;

  /**
   * Returns every event with an id above `since` in order, then live ones, without gap or duplicate. Without `since`,
   * a session that continues after a crash begins with its `StreamGap`, until its next turn has begun.
   *
   * Ends with SessionEnded, or when the signal aborts. Leaving the loop unsubscribes.
   */
  subscribe(session: SessionId, options: SubscribeOptions): AsyncIterable<Envelope>;

  /**
   * Yields a SessionChanged of every session that the client may see, NewsReady, then changes: at most four in a second
   * of one session, and always its newest state. A reader that is slow misses states in between.
   *
   * Ends when the signal aborts or the engine stops. Leaving the loop unsubscribes. Absent: the engine serves no news.
   * Since protocol 0.3.0.
   */
  news?(options: NewsOptions): AsyncIterable<NewsItem>;

  /**
   * Returns the run that continues a session, if its engine was restarted; else the session itself. Commands and
   * subscriptions accept either id. Absent: a session in the same process ends with it.
   */
  runOf?(session: SessionId): SessionId;
}

export interface NewsOptions {
  readonly signal: AbortSignal;
  /** True: stored sessions too. Default: those that run. */
  readonly past?: boolean;
  /** Name of a reader, whose marks `info.unread` counts from, as ListSessions does. Since protocol 0.3.0. */
  readonly reader?: string;
}

export interface SubscribeOptions {
  /** The last event that the client has seen; 0 for the whole log, absent for live events only. */
  readonly since?: EventSeq;
  readonly signal: AbortSignal;
  /**
   * Set by a reader that shows no delta before its turn has ended: deltas may come later and in larger pieces. A
   * transport may ignore it.
   */
  readonly deltasMayWait?: boolean;
  /** True: also ToolArgsDelta events, the arguments of calls while the model writes them. Default: false. */
  readonly args?: boolean;
}

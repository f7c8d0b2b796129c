import type { EventSeq, SessionId } from "../base/ids.ts";
import type { Connection, NewsOptions } from "../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../protocol/content.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { NewsItem } from "../protocol/events/news.ts";
import type { AttachRequest, ClientWire } from "./access/attach-request.ts";
import type { ServedFeatures } from "./access/handshake.ts";
import type { Scope } from "./access/scope.ts";
import type { AskQuery } from "./commands/query-handlers.ts";

/** Memory for one file while a client uploads it. Dispose it when the file is stored or has failed. */
export interface UploadHold extends Disposable {
  /** Takes room for a piece, before it is kept. @throws HarnessError UploadsBusy. */
  add(bytes: number): void;
}

/** A connection as an engine gives it to transports: it serves everything. */
export interface ServedConnection extends Connection {
  news(options: NewsOptions): AsyncIterable<NewsItem>;
  /** Yields the items of `news` that are due together, for a transport that writes them at once. */
  newsInBatches(options: NewsOptions): AsyncIterable<readonly NewsItem[]>;
  attach(session: SessionId, file: AttachedFile): Promise<AttachmentInfo>;
  /** Takes part in the memory that all uploads of the engine share. */
  holdUpload(): UploadHold;
  /** Returns the same client as it acts by one way: a client may use several listeners, each request by its own. */
  over(wire: ClientWire): ServedConnection;
}

/** An engine as a transport sees it. Rules live behind it; a transport only carries. */
export interface EnginePort {
  attach(request: AttachRequest): ServedConnection;
  /** Answers a query of a client that need not be attached. */
  readonly query: AskQuery;
  /**
   * Yields the events of a session's log above an event, in order, with a StreamGap for those whose content has
   * expired. Ends at the event that was the last one at the call.
   * @throws HarnessError Forbidden, UnknownSession.
   */
  log(id: SessionId, since: EventSeq, scope: Scope): AsyncIterable<Envelope>;
  readonly served: ServedFeatures;
  /** Differs with each start of the engine. */
  readonly engineId: string;
}

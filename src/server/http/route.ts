import type * as z from "zod";
import type { ClientId } from "../../base/ids.ts";
import type { Reason } from "../../base/reasons.ts";
import type { Exchange, HttpAnswer } from "../../base/world.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import type { TokenGrant, TransportKind } from "../../session/access/authority.ts";
import type { ServedConnection } from "../../session/engine-port.ts";

/** One address of the control plane and its handler. The OpenAPI document is made from the table of all of them. */
export interface HttpRoute {
  readonly method: Method;
  /** `/v1/sessions/{id}/events`: a name in braces is one segment, decoded. */
  readonly path: string;
  readonly access: Access;
  /** Place of the token; absent: X-Harness-Token. */
  readonly carrier?: Carrier;
  /** True for a body of any type. Absent: a body is JSON. */
  readonly takesBytes?: true;
  /** Absent: the OpenAPI document leaves it out. */
  readonly doc?: RouteDoc;
  /** Handles a request. A thrown error is answered as its reason; one without a reason as a bare InternalError. */
  handle(call: RouteRequest): Promise<HttpAnswer>;
}

export type Method = "GET" | "POST" | "DELETE";

export type Access =
  /** Answered without a token; a token that is sent is checked. */
  | "public"
  | "token"
  /** Like "public" on the Unix socket, like "token" elsewhere. */
  | "local";

export type Carrier =
  | "header"
  /** `Authorization: Bearer`. */
  | "bearer"
  /** X-Harness-Token, or the subprotocol `cinch.token.<token>`: for browsers' WebSockets. */
  | "subprotocol";

/** Description of a route in the OpenAPI document. Refusals that every route shares are not named. */
export interface RouteDoc {
  readonly summary: string;
  /** Schema of each parameter in the path; text if absent. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  readonly query?: Readonly<Record<string, QueryDoc>>;
  readonly body?: z.ZodType;
  /** True if the body is the bytes of a file. */
  readonly bytesBody?: true;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  readonly refusals?: readonly Reason[];
}

export interface QueryDoc {
  readonly about: string;
  readonly schema: z.ZodType;
}

export interface AnswerDoc {
  readonly about: string;
  readonly schema?: z.ZodType;
  /** Absent: JSON. */
  readonly type?: "text/event-stream";
}

/** One request that has passed every check of HTTP. */
export interface RouteRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly wire: TransportKind;
  /** Peer that asks, as far as the transport knows it. */
  readonly peer: string;
  /** Absent only if the route needs none. */
  readonly grant?: TokenGrant;
  readonly exchange: Exchange;
  /** Aborts when the client has left, and when the server is closed. */
  readonly signal: AbortSignal;
  /** Reads the body. @throws HarnessError InvalidBody, BodyTooLarge, BodyTooSlow. */
  json(): Promise<unknown>;
  /**
   * Reads the body as it is, for a route that `takesBytes`; `onPiece` as in `BodyReading`.
   * @throws HarnessError as `json`.
   */
  bytes(bytesMax: number, onPiece?: (bytes: number) => void): Promise<Uint8Array>;
  /**
   * Returns the client that this request acts as: that of X-Harness-Client, else the default client of its token. The
   * answer's X-Harness-Client names it. X-Harness-Version, if sent, is its handshake.
   * @throws HarnessError TokenMissing, UnknownClient, TooManyClients, HandshakeVersionMismatch.
   */
  connection(): Promise<ServedConnection>;
  /** Makes the handshake of that client. @throws HarnessError as `connection`. */
  handshake(version: string): Promise<Handshake>;
  /**
   * Returns the protocol version of the client: X-Harness-Version of this request, else its handshake; undefined if it
   * has sent none. @throws HarnessError as `connection`.
   */
  clientVersion(): Promise<string | undefined>;
  /**
   * Makes another client for this token, with its handshake.
   * @throws HarnessError TokenMissing, TooManyClients, HandshakeVersionMismatch.
   */
  newClient(
    label: string,
    version: string,
  ): Promise<{ readonly client: ClientId; readonly handshake: Handshake }>;
  /**
   * Answers with server-sent events. The next piece is requested when the one before was taken; the signal aborts when
   * the client has left, its token has ended, or the server is closed.
   */
  stream(pieces: (signal: AbortSignal) => AsyncGenerator<string>): Response;
  /** Calls back once, when the token of this request is about to expire. */
  onExpiring(onExpiring: (expiresAt: number) => void): Disposable;
}

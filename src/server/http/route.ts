import type * as z from "zod";
import type { ClientId } from "../../base/ids.ts";
import type { Reason } from "../../base/reasons.ts";
import type { Exchange, HttpAnswer } from "../../base/world.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import type { Grant, Wire } from "../../session/access/authority.ts";

/** One address of the control plane and what it does. The table of all of them is what the OpenAPI document says. */
export interface Route {
  readonly method: Method;
  /** `/v1/sessions/{id}/events`: a name in braces is one segment, decoded. */
  readonly path: string;
  readonly access: Access;
  /** Where the token stands; absent: in X-Harness-Token. */
  readonly carrier?: Carrier;
  /** Absent: the OpenAPI document leaves it out. */
  readonly doc?: RouteDoc;
  /** What it throws is answered as its reason; what has none as a bare InternalError. */
  handle(call: HttpCall): Promise<HttpAnswer>;
}

export type Method = "GET" | "POST" | "DELETE";

export type Access =
  /** Answered without a token; one that is there is checked. */
  | "public"
  | "token"
  /** As "public" on the Unix socket, as "token" elsewhere. */
  | "local";

export type Carrier =
  | "header"
  /** `Authorization: Bearer`. */
  | "bearer"
  /** X-Harness-Token, or the subprotocol `cinch.token.<token>`: for browsers' WebSockets. */
  | "subprotocol";

/** What the OpenAPI document says of a route. Refusals that every route shares are not named. */
export interface RouteDoc {
  readonly summary: string;
  /** The schema of each parameter in the path; text where absent. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  readonly query?: Readonly<Record<string, QueryDoc>>;
  readonly body?: z.ZodType;
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

/** One request that has passed every check that is about HTTP. */
export interface HttpCall {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly wire: Wire;
  /** Who asks, as far as the wire tells that. */
  readonly peer: string;
  /** Absent only where the route needs none. */
  readonly grant?: Grant;
  readonly exchange: Exchange;
  /** Aborts when the client has gone, and when the server is closed. */
  readonly signal: AbortSignal;
  /** The body. @throws HarnessError InvalidBody, BodyTooLarge, BodyTooSlow. */
  json(): Promise<unknown>;
  /**
   * The client that this request acts as: that of X-Harness-Client, else the token's own. The answer's X-Harness-Client
   * names it. X-Harness-Version is its handshake, where it is there.
   * @throws HarnessError TokenMissing, UnknownClient, TooManyClients, HandshakeVersionMismatch.
   */
  connection(): Promise<Connection>;
  /** Makes the handshake of that client. @throws HarnessError as `connection`. */
  handshake(version: string): Promise<Handshake>;
  /**
   * Returns the protocol version that the client speaks: X-Harness-Version of this request, else its handshake; undefined
   * where it has said none. @throws HarnessError as `connection`.
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
   * Answers with server-sent events. The next piece is asked for when the one before was taken; the signal aborts when
   * the client has gone, its token has ended, or the server is closed.
   */
  stream(pieces: (signal: AbortSignal) => AsyncGenerator<string>): Response;
  /** Calls back once, when the token of this request is about to expire. */
  onExpiring(told: (expiresAt: number) => void): Disposable;
}

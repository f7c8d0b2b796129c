/** A client of cinch engines, for Node, Bun, Deno and browsers. */
export type { CreateOptions, Sessions } from "./client.ts";
export { Client } from "./client.ts";
export type { ConnectOptions } from "./connect.ts";
export { connect } from "./connect.ts";
export type { Reason } from "./errors.ts";
export { CinchError, EngineUnreachable } from "./errors.ts";
export type { ConnectionState } from "./follow.ts";
export type { Fetch, TokenSource } from "./http.ts";
export type { Limits } from "./limits.ts";
export { LIMITS } from "./limits.ts";
export type { NewsOptions } from "./news.ts";
export type * from "./protocol.ts";
export { EVENT_KINDS, PROTOCOL_VERSION } from "./protocol.ts";
export type {
  AcceptedOf,
  AttachOptions,
  EventOptions,
  Input,
  InputOptions,
  PermissionOptions,
  SessionCommand,
  SignalOption,
  StreamOptions,
} from "./session.ts";
export { Session } from "./session.ts";
export type { WebSocketClass, WebSocketLike } from "./socket.ts";
export type { Minted, TokenClaims, Tokens } from "./tokens.ts";
export type { TurnResult, TurnUsage } from "./turn.ts";
export { TurnSum } from "./turn.ts";

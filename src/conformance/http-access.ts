import type { WebSocketLike } from "../view/web-socket.ts";

/** Access to one server over HTTP, provided by the caller of the suite. */
export interface HttpAccess {
  /** Requests a path. Sends the headers unchanged, including `Host` and `Origin`; does not follow redirects. */
  fetch(path: string, init: HttpInit): Promise<Response>;
  /** Opens a WebSocket at a path, offering these subprotocols. */
  openSocket(path: string, protocols: readonly string[]): WebSocketLike;
  /** Set if the server is reached over its Unix socket, where promises about network listeners cannot be seen. */
  readonly isUnix?: true;
}

export interface HttpInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** Clock of the suite, which the server may share. */
export interface SuiteClock {
  /** Returns milliseconds since some fixed moment. */
  monotonic(): number;
  /** Calls back once after `ms`; disposing cancels it. */
  timer(ms: number, callback: () => void): Disposable;
  /** Set if the server's time advances only with `pass`: scenarios that call it run alone. */
  readonly isShared?: true;
  /** Lets `ms` of the server's time pass. */
  pass(ms: number, signal: AbortSignal): Promise<void>;
}

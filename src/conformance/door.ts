import type { WebSocketLike } from "../view/web-socket.ts";

/** How one server is reached over HTTP, and with what: the machine's part, handed in by whoever runs the suite. */
export interface HttpDoor {
  /** Asks for a path. Headers are sent as they are given, `Host` and `Origin` among them. Redirects are not followed. */
  fetch(path: string, init: DoorInit): Promise<Response>;
  /** Opens a WebSocket at a path, offering these subprotocols. */
  openSocket(path: string, protocols: readonly string[]): WebSocketLike;
}

export interface DoorInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** The time of the suite, and of the server where both share one clock. */
export interface SuiteClock {
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  /** Calls back once after `ms`, unless disposed before. */
  timer(ms: number, callback: () => void): Disposable;
  /** The server's time passes when it is let: scenarios that do that are walked by themselves. */
  readonly isShared?: true;
  /** Lets so much of the server's time pass. */
  pass(ms: number, signal: AbortSignal): Promise<void>;
}

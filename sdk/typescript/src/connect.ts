import { Client } from "./client.ts";
import { Engine } from "./engine.ts";
import { EngineUnreachable, invalidAnswer } from "./errors.ts";
import type { ConnectionState } from "./follow.ts";
import type { Fetch, TokenSource } from "./http.ts";
import { Http } from "./http.ts";
import type { Limits } from "./limits.ts";
import { LIMITS } from "./limits.ts";
import type { Handshake } from "./protocol.ts";
import { PROTOCOL_VERSION } from "./protocol.ts";
import type { WebSocketClass } from "./socket.ts";
import { socketStretches } from "./socket.ts";
import { sseStretches } from "./stretch.ts";

export interface ConnectOptions {
  /** Address of the engine: `http://127.0.0.1:8421`; `http://localhost` with a `fetch` that connects elsewhere. */
  readonly url: string;
  /** From `cinch token`. */
  readonly token: TokenSource;
  /** Transport of events: "sse" (default), which is read only as fast as you read; or "websocket". */
  readonly wire?: "sse" | "websocket";
  /** Makes a client of its own under this name, for programs that share a token; a token has at most 64 in an hour. */
  readonly label?: string;
  /** Function that sends requests. Default: the platform's. */
  readonly fetch?: Fetch;
  /** The class of sockets; the platform's where it is absent. Node has one from version 22 on. */
  readonly WebSocket?: WebSocketClass;
  readonly limits?: Partial<Limits>;
  /** Called when the events of a session break off, and when they continue. */
  readonly onState?: (state: ConnectionState) => void;
  /** For connecting alone; everything else takes its own. */
  readonly signal?: AbortSignal;
}

/**
 * Makes the handshake with an engine.
 * @throws CinchError EngineUnreachable; HandshakeVersionMismatch; what the engine says of the token; InvalidAnswer
 * where something else answers there.
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  const url = checkedUrl(options.url);
  const limits = { ...LIMITS, ...options.limits };
  // Bound to nothing: a browser's `fetch` refuses to be called as a method of something else.
  const platform: Fetch = (address, init) => globalThis.fetch(address, init);
  const http = new Http({ url, token: options.token, fetch: options.fetch ?? platform, limits });
  const { label, wire = "sse", onState } = options;
  const open =
    wire === "sse"
      ? sseStretches(http, limits)
      : socketStretches({ http, limits, label, socketClass: options.WebSocket ?? platformSocket() });
  const engine = new Engine({ http, limits, open, label, onState });
  const handshake = await engine.shake(PROTOCOL_VERSION, options.signal);
  const { protocol_version, event_kinds } = Object(handshake) as Record<string, unknown>;
  if (typeof protocol_version !== "string" || !Array.isArray(event_kinds))
    throw invalidAnswer(url, "its handshake says no version");
  return new Client(engine, handshake as Handshake);
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isWell =
    parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.search === "" && parsed.hash === "";
  if (isWell && parsed.username === "" && parsed.password === "") return parsed.href.replace(/\/+$/, "");
  throw new TypeError(
    "url: it takes the address of an engine, such as http://127.0.0.1:8421, without a query",
  );
}

function platformSocket(): WebSocketClass {
  const { WebSocket: found } = globalThis as { readonly WebSocket?: WebSocketClass };
  if (found !== undefined) return found;
  throw new EngineUnreachable(
    'This platform has no WebSocket. Pass a class as `WebSocket`, or leave `wire: "websocket"` out.',
  );
}

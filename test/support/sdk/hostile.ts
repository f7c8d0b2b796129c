import type { Socket } from "bun";

/** Handles one request as a hostile server: writes bytes, and continues or disconnects. */
type Behaviour = (socket: Peer, request: Asked) => void;

export interface Asked {
  readonly method: string;
  /** Behind the name of the behaviour. */
  readonly path: string;
  readonly lastEventId: number;
}

interface Peer {
  write(text: string): void;
  end(): void;
  /** Writes again and again, as long as somebody takes it. */
  writeForEver(text: string): void;
  /** Writes a byte now and then: never quite silent. */
  drip(text: string): void;
}

export interface HostileServer extends Disposable {
  /** Behind it comes the name of a behaviour. */
  readonly url: string;
  readonly asked: readonly Asked[];
}

interface Held {
  text: string;
  pending: string;
  isEndless: boolean;
  timer: ReturnType<typeof setInterval> | undefined;
}

const SESSION = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV";
/** One that is told to go on in the place of the other, and is never begun. */
const UNBEGUN = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAW";
const DRIP_MS = 20;

/**
 * A server on this machine that is no engine, or a bad one: `/NAME/v1/…` is answered as the behaviour of that
 * name does.
 */
export function startHostile(): HostileServer {
  const asked: Asked[] = [];
  const server = Bun.listen<Held>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: "", pending: "", isEndless: false, timer: undefined };
      },
      data(socket, bytes) {
        const held = socket.data;
        held.text += bytes.toString();
        if (!held.text.includes("\r\n\r\n")) return;
        const [, method = "", name = "", path = ""] = /^(\w+) \/([\w-]+)(\S*) HTTP/.exec(held.text) ?? [];
        const lastEventId = Number(/^last-event-id: *(\d+)/im.exec(held.text)?.[1] ?? 0);
        held.text = "";
        const request = { method, path, lastEventId };
        asked.push(request);
        (BEHAVIOURS[name] ?? hangUp)(peerOf(socket), request);
      },
      drain: flush,
      close: (socket) => clearInterval(socket.data.timer),
      error: () => undefined,
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    [Symbol.dispose]: () => server.stop(true),
  };
}

function flush(socket: Socket<Held>): void {
  const held = socket.data;
  for (let rounds = 0; held.pending !== "" && rounds < 64; rounds++) {
    const text = held.pending;
    const written = socket.write(text);
    if (written < text.length) {
      held.pending = text.slice(Math.max(0, written));
      return;
    }
    held.pending = held.isEndless ? text : "";
  }
  if (held.isEndless) setImmediate(() => flush(socket));
}

function peerOf(socket: Socket<Held>): Peer {
  return {
    write(text) {
      socket.data.pending += text;
      flush(socket);
    },
    end: () => void socket.end(),
    writeForEver(text) {
      socket.data.isEndless = true;
      socket.data.pending += text;
      flush(socket);
    },
    drip(text) {
      let at = 0;
      socket.data.timer = setInterval(() => socket.write(text[at++ % text.length] ?? ""), DRIP_MS);
    },
  };
}

function hangUp(peer: Peer): void {
  peer.end();
}

function answer(peer: Peer, status: string, type: string, body: string, more = ""): void {
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
  peer.write(
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${length}connection: close\r\n${more}\r\n${body}`,
  );
  peer.end();
}

function json(peer: Peer, body: unknown, status = "200 OK"): void {
  answer(peer, status, "application/json", JSON.stringify(body));
}

/** A good engine, but for one address. */
function but(suffix: string, then: Behaviour): Behaviour {
  return (peer, request) => {
    const { path } = request;
    if (path.split("?")[0]?.endsWith(suffix)) then(peer, request);
    else if (path.startsWith("/v1/handshake")) json(peer, { protocol_version: "0.2.0", event_kinds: [] });
    else if (path.startsWith("/v1/runtime")) json(peer, { pid: 1, started_at: "then" });
    else json(peer, { session: SESSION, events: 0 });
  };
}

const STREAM = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: ok\n\n";

function events(then: Behaviour): Behaviour {
  return but("/events", (peer, request) => {
    peer.write(STREAM);
    then(peer, request);
  });
}

function frame(id: number, kind = "TextDelta", payload: unknown = { text: "x" }): string {
  const envelope = { id, kind, session: SESSION, ts: "2026-01-01T00:00:00.000Z", payload };
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(envelope)}\n\n`;
}

/** Without its name, as engines of protocol 0.2 send it. */
function bare(text: string): string {
  return text.replaceAll(/^event: .*\n/gm, "");
}

function end(id: number): string {
  return frame(id, "SessionEnded", { reason: "user" });
}

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  html: (peer) => answer(peer, "200 OK", "text/html", "<h1>It works!</h1>"),
  array: (peer) => json(peer, []),
  text: (peer) => answer(peer, "500 Internal Server Error", "text/plain", "oops"),
  "no-reason": (peer) => json(peer, { error: "no" }, "403 Forbidden"),
  mismatch: (peer) => json(peer, { reason: "HandshakeVersionMismatch", message: "no" }, "409 Conflict"),
  elsewhere: (peer) => answer(peer, "302 Found", "text/plain", "", "location: /stolen/\r\n"),
  "elsewhere-too": (peer) =>
    answer(peer, "307 Temporary Redirect", "text/plain", "", "location: /stolen/\r\n"),
  endless(peer) {
    peer.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n[");
    peer.writeForEver("0,".repeat(4_096));
  },
  cut(peer) {
    peer.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"protocol');
    peer.end();
  },
  silent: () => undefined,
  drip: (peer) => peer.drip("HTTP/1.1 200 OK\r\nx-a: b\r\nx-c: d\r\n".repeat(1_000)),
  "hang-up": hangUp,
  "no-http"(peer) {
    peer.write("SSH-2.0-OpenSSH_9.2\r\n");
    peer.end();
  },
  "command-lost": but("/input", hangUp),
  "command-garbage": but("/input", (peer) => json(peer, "yes")),
  "events-html": but("/events", (peer) => answer(peer, "200 OK", "text/html", "<h1>It works!</h1>")),
  "events-garbage": events((peer) => peer.write("data: {nonsense\n\n")),
  "events-no-id": events((peer) => peer.write('data: {"kind":"TextDelta","session":"s","payload":{}}\n\n')),
  "events-no-object": events((peer) => peer.write("data: null\n\n")),
  "events-missing": events((peer) => peer.write(frame(1) + frame(3))),
  "events-long": events((peer) => peer.writeForEver(`data: ${"x".repeat(8_192)}`)),
  "events-many-lines": events((peer) => peer.writeForEver(`data: ${"x".repeat(8_192)}\n`)),
  "events-silent": events(() => undefined),
  "events-refused": events((peer) =>
    peer.write('event: refused\ndata: {"reason":"Forbidden","message":"no"}\n\n'),
  ),
  "events-refused-garbage": events((peer) => peer.write("event: refused\ndata: no\n\n")),
  "events-again": events((peer) => peer.write(frame(1) + frame(1) + frame(2) + frame(1) + end(3))),
  "events-bare": events((peer) => peer.write(bare(frame(1) + frame(2) + end(3)))),
  "events-other-names": events((peer) => peer.write(`event: ping\ndata: no\n\n${frame(1)}${end(2)}`)),
  "events-unknown": events((peer) => peer.write(frame(1, "Newer") + frame(2) + end(3))),
  "events-gap": events((peer) =>
    peer.write(frame(7, "StreamGap", { from: 1, to: 7, reason: "ttl" }) + frame(8) + end(9)),
  ),
  "events-unbegun"(peer, request) {
    const { path, lastEventId } = request;
    if (path.includes(UNBEGUN)) json(peer, { reason: "UnknownSession", message: "no" }, "404 Not Found");
    else if (path.includes("/events")) {
      const switched = { from: "a", to: "b", next: UNBEGUN, inPlace: true };
      peer.write(STREAM + (lastEventId === 0 ? frame(1, "ProfileSwitched", switched) + end(2) : end(3)));
      peer.end();
    } else if (path.includes(SESSION)) json(peer, { session: SESSION, events: 3, live: false });
    else but("nowhere", hangUp)(peer, request);
  },
  "events-cut": events((peer, { lastEventId }) => {
    const next = lastEventId + 1;
    peer.write(next === 6 ? end(6) : frame(next) + frame(next + 1).slice(0, 30));
    peer.end();
  }),
};

/** Expected outcome of each in a client: the reason, or the ids of the events. */
export const EXPECTED: Readonly<Record<string, string | readonly number[]>> = {
  html: "InvalidAnswer",
  array: "InvalidAnswer",
  text: "InvalidAnswer",
  "no-reason": "InvalidAnswer",
  mismatch: "HandshakeVersionMismatch",
  elsewhere: "InvalidAnswer",
  "elsewhere-too": "InvalidAnswer",
  endless: "InvalidAnswer",
  cut: "EngineUnreachable",
  silent: "EngineUnreachable",
  drip: "EngineUnreachable",
  "hang-up": "EngineUnreachable",
  "no-http": "EngineUnreachable",
  "command-lost": "ConnectionLost",
  "command-garbage": "InvalidAnswer",
  "events-html": "InvalidAnswer",
  "events-garbage": "InvalidEvent",
  "events-no-id": "InvalidEvent",
  "events-no-object": "InvalidEvent",
  "events-missing": "InvalidEvent",
  "events-long": "InvalidAnswer",
  "events-many-lines": "InvalidAnswer",
  "events-silent": "EngineUnreachable",
  "events-refused": "Forbidden",
  "events-refused-garbage": "InvalidAnswer",
  "events-again": [1, 2, 3],
  "events-bare": [1, 2, 3],
  "events-other-names": [1, 2],
  "events-unknown": [2, 3],
  "events-gap": [7, 8, 9],
  "events-unbegun": [1, 2, 3],
  "events-cut": [1, 2, 3, 4, 5, 6],
};

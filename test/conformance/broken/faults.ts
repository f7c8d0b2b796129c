import type { TransportName } from "../../../src/conformance/transports/transport.ts";
import type { Accepted, Command } from "../../../src/protocol/commands/commands.ts";
import type { Connection, NewsOptions, SubscribeOptions } from "../../../src/protocol/connection.ts";
import type { AttachedFile } from "../../../src/protocol/content.ts";
import type { Envelope } from "../../../src/protocol/events/envelope.ts";
import type { NewsItem } from "../../../src/protocol/events/news.ts";
import type { QueryKind } from "../../../src/protocol/kinds.ts";
import type { AttachRequest, ClientWire } from "../../../src/session/access/attach-request.ts";
import type { Authority, TokenGrant } from "../../../src/session/access/authority.ts";
import type { EnginePort, ServedConnection } from "../../../src/session/engine-port.ts";
import type { Fault } from "../server.ts";

/** A server that does one thing wrong, and the one scenario that tells. */
export interface Broken {
  readonly scenario: string;
  /** Description of the fault. */
  readonly how: string;
  /** A fault of its own for every server: some of them remember. */
  readonly fault: () => Fault;
  /** Absent: every wire that the scenario is for. */
  readonly wires?: readonly TransportName[];
}

interface ConnectionFaults {
  readonly attach?: (request: AttachRequest) => AttachRequest;
  readonly file?: (file: AttachedFile) => AttachedFile;
  readonly handshake?: (version: string, inner: Connection) => ReturnType<Connection["handshake"]>;
  readonly send?: (command: Command, inner: Connection, port: EnginePort) => Promise<Accepted>;
  /** Sees the kind of each query before it is answered. */
  readonly asked?: (kind: QueryKind) => void;
  readonly subscribe?: (
    inner: Connection,
    session: Parameters<Connection["subscribe"]>[0],
    options: SubscribeOptions,
  ) => AsyncIterable<Envelope>;
  readonly over?: (wire: ClientWire) => ClientWire;
  readonly news?: (
    items: AsyncIterable<NewsItem>,
    options: NewsOptions,
    port: EnginePort,
  ) => AsyncIterable<NewsItem>;
}

/** An engine whose connections do something wrong, whatever the wire. */
export function connectionFault(faults: ConnectionFaults): Fault {
  return {
    engine: (port) => ({
      ...port,
      attach(request) {
        return broken(port.attach(faults.attach?.(request) ?? request));

        function broken(inner: ServedConnection): ServedConnection {
          return {
            clientId: inner.clientId,
            identityClass: inner.identityClass,
            handshake: (version) => faults.handshake?.(version, inner) ?? inner.handshake(version),
            send: (command) => faults.send?.(command, inner, port) ?? inner.send(command),
            attach: (session, file) => inner.attach(session, faults.file?.(file) ?? file),
            holdUpload: () => inner.holdUpload(),
            query(query, signal) {
              faults.asked?.(query.kind);
              return inner.query(query, signal);
            },
            subscribe: (session, options) =>
              faults.subscribe?.(inner, session, options) ?? inner.subscribe(session, options),
            async *newsInBatches(options) {
              for await (const item of this.news(options)) yield [item];
            },
            news: (options) => faults.news?.(inner.news(options), options, port) ?? inner.news(options),
            over: (wire) => broken(inner.over(faults.over?.(wire) ?? wire)),
            [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
          };
        }
      },
    }),
  };
}

/** Events that come out as others, as more or as none. `subscription` is remembered for one reader. */
export function eventFault<State>(
  change: (event: Envelope, subscription: State, options: SubscribeOptions) => readonly unknown[],
  begin: (session: string, options: SubscribeOptions) => State,
): Fault {
  return connectionFault({
    subscribe(inner, session, options) {
      const state = begin(session, options);
      return changed(inner.subscribe(session, options), (event) => change(event, state, options));
    },
  });
}

async function* changed(
  events: AsyncIterable<Envelope>,
  change: (event: Envelope) => readonly unknown[],
): AsyncGenerator<Envelope> {
  for await (const event of events) yield* change(event) as Envelope[];
}

/** News of which some items are left out; `isReady` is true for those after the first list. */
export function newsFault(keeps: (item: NewsItem, isReady: boolean) => boolean): Fault {
  return connectionFault({
    async *news(items) {
      let isReady = false;
      for await (const item of items) {
        if (keeps(item, isReady)) yield item;
        isReady ||= item.kind === "NewsReady";
      }
    },
  });
}

/** Events that a stream replays, as against those that it tells as they happen. */
export function replayFault(
  change: (
    event: Envelope,
    subscription: { isDone: boolean },
    options: SubscribeOptions,
  ) => readonly unknown[],
): Fault {
  const last = new Map<string, number>();
  return eventFault<{ isDone: boolean; readonly upTo: number; readonly session: string }>(
    (event, state, options) => {
      last.set(state.session, Math.max(event.id, last.get(state.session) ?? 0));
      return event.id <= state.upTo ? change(event, state, options) : [event];
    },
    (session) => ({ isDone: false, upTo: last.get(session) ?? 0, session }),
  );
}

/** Each event on its own, whoever reads it and when. */
export function eachEvent(change: (event: Envelope) => unknown): Fault {
  return eventFault(
    (event) => {
      const made = change(event);
      return made === undefined ? [] : [made];
    },
    () => undefined,
  );
}

export function withPayload(event: Envelope, payload: object): unknown {
  return { ...event, payload: { ...event.payload, ...payload } };
}

/** Commands that are carried out as others, or not at all. */
export function commandFault(
  send: (command: Command, inner: Connection, port: EnginePort) => Promise<Accepted>,
): Fault {
  return connectionFault({ send });
}

/** An authority that differs in what is given. */
export function authorityFault(differ: (authority: Authority) => Partial<Authority>): Fault {
  return {
    authority(authority) {
      const same: Authority = {
        verify: (text, wire) => authority.verify(text, wire),
        begin: (claims, peer) => authority.begin(claims, peer),
        confirm: (mintId, code, peer) => authority.confirm(mintId, code, peer),
        mint: (claims, by) => authority.mint(claims, by),
        revoke: (jti) => authority.revoke(jti),
        watch: (grant) => authority.watch(grant),
        [Symbol.asyncDispose]: () => authority[Symbol.asyncDispose](),
      };
      return { ...same, ...differ(authority) };
    },
  };
}

/** Lets a token in that is refused for a reason, as what it was when it was good. */
export function lenientAbout(reason: string): Fault {
  const known = new Map<string, TokenGrant>();
  return authorityFault((authority) => ({
    async verify(text, wire) {
      try {
        const grant = await authority.verify(text, wire);
        known.set(text ?? "", grant);
        return grant;
      } catch (thrown) {
        const grant = known.get(text ?? "");
        if (grant === undefined || (thrown as { reason?: string }).reason !== reason) throw thrown;
        return grant;
      }
    },
  }));
}

/** A request that is changed before the server sees it. */
export function requestFault(change: (request: Request, text: string) => Request | Response): Fault {
  return {
    wire: {
      async request(request) {
        const isPost =
          request.method === "POST" && Number(request.headers.get("content-length") ?? 0) < 1_000_000;
        return change(request, isPost ? await request.clone().text() : "");
      },
    },
  };
}

export function withHeaders(request: Request, change: (headers: Headers) => void): Request {
  const headers = new Headers(request.headers);
  change(headers);
  return new Request(request, { headers });
}

/** An answer that is changed before the client sees it. */
export function answerFault(
  isMeant: (answer: Response, request: Request) => boolean,
  change: (answer: Response, request: Request) => Response | Promise<Response>,
): Fault {
  return {
    wire: { response: (answer, request) => (isMeant(answer, request) ? change(answer, request) : answer) },
  };
}

export async function withBody(answer: Response, change: (body: never) => unknown): Promise<Response> {
  const body = change((await answer.json()) as never);
  return new Response(JSON.stringify(body), answer);
}

export function jsonRefusal(status: number, reason: string): Response {
  return new Response(JSON.stringify({ reason, message: "it is so" }), {
    status,
    headers: { "content-type": "application/json" },
  });
}

/** The text of an event stream, piece by piece. */
export function streamFault(change: (text: string) => string): Fault {
  return answerFault(isStream, (answer) => {
    const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
    const changed = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) =>
        controller.enqueue(encoder.encode(change(decoder.decode(chunk, { stream: true })))),
    });
    return new Response(answer.body?.pipeThrough(changed), answer);
  });
}

export function isStream(answer: Response): boolean {
  return (answer.headers.get("content-type") ?? "").startsWith("text/event-stream");
}

export function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}

export function reasonOf(thrown: unknown): string | undefined {
  return (thrown as { readonly reason?: string }).reason;
}

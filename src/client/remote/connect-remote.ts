import { whileAlive } from "../../base/async/deadline.ts";
import { InOrder } from "../../base/async/in-order.ts";
import { HarnessError, hasReason } from "../../base/errors.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import type { Random } from "../../base/world.ts";
import type { Accepted, Command } from "../../protocol/commands/commands.ts";
import type { Connection, IdentityClass, NewsOptions, SubscribeOptions } from "../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { Link, LinkDependencies, LinkReader, LinkTarget } from "./link.ts";
import { openLink } from "./link.ts";
import { RemoteEvents } from "./remote-events.ts";
import { remoteNews } from "./remote-news.ts";
import type { Greeting, ServerFrame } from "./server-frames.ts";

/** Limits of the wait between attempts, which doubles each time and has jitter. */
export const BACKOFF_MS_MIN = 100;
export const BACKOFF_MS_MAX = 10_000;
/** Longest wait of a command for an unreachable engine. */
export const SEND_WAIT_MS_MAX = 60_000;

export interface ConnectRemoteOptions extends LinkDependencies {
  readonly random: Pick<Random, "number">;
  readonly onState?: (state: RemoteState) => void;
  /** Called when a restarted engine continues a session as a new run. */
  readonly onResumed?: (session: SessionId, run: SessionId) => void;
}

export type RemoteState =
  | { readonly kind: "connected"; readonly engine: string }
  /** `nextMs`: milliseconds until the next attempt. */
  | { readonly kind: "away"; readonly error: HarnessError; readonly nextMs: number };

export type RemoteConnection = Connection & Required<Pick<Connection, "attach" | "runOf" | "news">>;

/**
 * Connects to an engine over a WebSocket, with the same refusals, order and events as in its process (CTL-03,
 * CTL-07, CTL-17).
 *
 * Reconnects after a failure, with growing waits, and continues after the last received event. A command in flight is
 * rejected with ConnectionLost and never sent twice. If the engine restarted, sessions are attached again as new runs,
 * under the ids that the caller knows.
 * @throws HarnessError the refusal of the first attempt.
 */
export async function connectRemote(
  options: ConnectRemoteOptions,
  signal: AbortSignal,
): Promise<RemoteConnection> {
  const remote = new Remote(options);
  try {
    await remote.open(signal);
    return remote;
  } catch (thrown) {
    await remote[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface Waiting {
  readonly kind: string;
  resolve(body: unknown): void;
  reject(error: Error): void;
}

class Remote implements RemoteConnection, LinkReader {
  readonly #options: ConnectRemoteOptions;
  readonly #left = new AbortController();
  readonly #waiting = new Map<number, Waiting>();
  readonly #opening = new Set<Promise<unknown>>();
  /** The newest run of each session whose engine restarted. */
  readonly #runs = new Map<SessionId, SessionId>();
  /** The engine in which each session was last live. */
  readonly #seenIn = new Map<SessionId, string>();
  readonly #reattaching = new Map<SessionId, Promise<boolean>>();
  #link: Promise<Link> | undefined;
  #greeting: Greeting | undefined;
  #number = 0;
  #shaken = false;
  #isAway = false;
  #uploading: Promise<void> = Promise.resolve();
  readonly #sockets = new InOrder<"open">();

  constructor(options: ConnectRemoteOptions) {
    this.#options = options;
  }

  get clientId(): ClientId {
    return this.#known.client;
  }

  get identityClass(): IdentityClass {
    return this.#known.identityClass;
  }

  runOf(session: SessionId): SessionId {
    return this.#runs.get(session) ?? session;
  }

  /** Connects once. @throws HarnessError the refusal. */
  async open(signal: AbortSignal): Promise<void> {
    const opened = openLink(this.#options, {}, this, AbortSignal.any([signal, this.#left.signal]));
    this.#link = opened;
    this.#greeted((await opened).greeting);
  }

  async handshake(clientVersion: string): Promise<Handshake> {
    const body = { protocol_version: clientVersion };
    const answer = (await this.#ask("handshake", "handshake", body)) as Handshake;
    this.#shaken = true;
    return answer;
  }

  async send(command: Command): Promise<Accepted> {
    this.#assertReady();
    // Earlier subscriptions must see the events that this command causes.
    await Promise.allSettled([...this.#opening]);
    const accepted = await this.#sendToRun(command);
    const named = "sessionId" in command ? command.sessionId : undefined;
    const id = accepted.sessionId ?? named;
    // A draft or a mark is also kept of a session that does not run: it does not tell that the session is live here.
    if (id !== undefined && (id !== named || !this.#seenIn.has(id))) this.#seenIn.set(id, this.#known.engine);
    return accepted;
  }

  async query<Kind extends QueryKind>(
    query: QueryOf<Kind>,
    signal: AbortSignal = this.#left.signal,
  ): Promise<ResultOf<Kind>> {
    this.#assertReady();
    const { kind, sessionId } = query as { readonly kind: Kind; readonly sessionId?: SessionId };
    const runNow = () => (sessionId === undefined ? undefined : this.runOf(sessionId));
    const run = runNow();
    const aimed = () => (sessionId === undefined ? query : { ...query, sessionId: runNow() });
    const ask = () => whileAlive(this.#askRenewed(kind, aimed(), "query"), signal);
    // A query changes nothing, so it may be sent again after a lost connection, or to the run that has taken over.
    const answer = await ask().catch((thrown: unknown) => {
      const hasMoved = hasReason(thrown, "UnknownSession") && runNow() !== run;
      if (!hasMoved && !hasReason(thrown, "ConnectionLost")) throw thrown;
      return ask();
    });
    const { readResult } = await import("../../protocol/queries/read-query.ts");
    return readResult(kind, answer);
  }

  /** One file after the other: a socket takes one at a time. A file whose connection was lost is not sent again. */
  async attach(session: SessionId, file: AttachedFile): Promise<AttachmentInfo> {
    this.#assertReady();
    const before = this.#uploading;
    const sent = before.then(() => this.#upload(this.runOf(session), file));
    this.#uploading = sent.then(
      () => undefined,
      () => undefined, // its caller gets the refusal
    );
    return await sent;
  }

  subscribe(session: SessionId, { since, signal, args }: SubscribeOptions): AsyncIterable<Envelope> {
    this.#assertReady();
    const events = new RemoteEvents({
      session,
      since,
      args,
      signal: AbortSignal.any([signal, this.#left.signal]),
      open: async (target, reader, until) => {
        const link = await this.#persist(target, reader, until);
        this.#seenIn.set(session, this.#seenIn.get(session) ?? link.greeting.engine);
        return link;
      },
      pause: (fruitless, until) => this.#options.clock.sleep(backoff(fruitless), until),
      runOf: (id) => this.runOf(id),
      reattach: (id, refused) => this.#hasMoved(id, refused),
      ended: (run) => {
        this.#seenIn.delete(run);
        this.#seenIn.delete(session);
      },
    });
    const { opened } = events;
    this.#opening.add(opened);
    const over = () => void this.#opening.delete(opened);
    opened.then(over, over);
    return events.read();
  }

  news({ signal, ...wanted }: NewsOptions): AsyncIterable<NewsItem> {
    this.#assertReady();
    return remoteNews({
      wanted,
      signal: AbortSignal.any([signal, this.#left.signal]),
      open: (reader, until) => this.#persist({}, reader, until),
      pause: (fruitless, until) => this.#options.clock.sleep(backoff(fruitless), until),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#left.abort(new Error("the client has detached"));
    (await this.#link?.catch(() => undefined))?.close();
    this.closed();
  }

  frame(frame: ServerFrame): void {
    if (!("id" in frame) || frame.id === undefined) return;
    const waiting = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (frame.kind === "error") waiting?.reject(frame.error);
    else if (frame.kind === "accepted" || frame.kind === "result") waiting?.resolve(frame.body);
    else if (frame.kind === "handshake") waiting?.resolve(frame.greeting.handshake);
  }

  closed(): void {
    this.#link = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { kind, reject } of lost) {
      const why = this.#left.signal.reason;
      reject(this.#left.signal.aborted ? why : new HarnessError("ConnectionLost", { kind }));
    }
  }

  async #upload(sessionId: SessionId, file: AttachedFile): Promise<AttachmentInfo> {
    const { attachPieces } = await import("./attach-pieces.ts");
    const link = await this.#ready();
    const ask = async (frame: string, body: object): Promise<unknown> => {
      // A new socket knows nothing of the file.
      if (!link.isOpen) throw new HarnessError("ConnectionLost", { kind: "attach" });
      return await this.#ask("attach", frame, body);
    };
    return await attachPieces(sessionId, file, ask);
  }

  async #sendToRun(command: Command): Promise<Accepted> {
    const { kind } = command;
    if (!("sessionId" in command)) return (await this.#askRenewed(kind, command)) as Accepted;
    const known = command.sessionId;
    const run = this.runOf(known);
    try {
      return (await this.#askRenewed(kind, { ...command, sessionId: run })) as Accepted;
    } catch (thrown) {
      // A refused command had no effect, so it may be sent to the run that has taken over, or takes over now.
      if (!hasReason(thrown, "UnknownSession") || !(await this.#hasMoved(known, run))) throw thrown;
      return (await this.#askRenewed(kind, { ...command, sessionId: this.runOf(known) })) as Accepted;
    }
  }

  /** Asks, and retries once with a new token if the current one has expired. */
  async #askRenewed(kind: string, body: object, frame: "command" | "query" = "command"): Promise<unknown> {
    const link = this.#link;
    try {
      return await this.#ask(kind, frame, body);
    } catch (thrown) {
      if (!hasReason(thrown, "TokenExpired")) throw thrown;
      if (this.#link === link) (await link)?.close();
      return await this.#ask(kind, frame, body);
    }
  }

  async #ask(kind: string, frame: string, body: object): Promise<unknown> {
    let link = await this.#ready();
    while (!link.isOpen) link = await this.#ready(); // it may have closed during the wait
    this.#left.signal.throwIfAborted();
    this.#number += 1;
    const id = this.#number;
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { kind, resolve, reject });
      link.send({ frame, id, body });
    });
  }

  /** Returns the socket for commands; waits up to `SEND_WAIT_MS_MAX` for an unreachable engine. */
  async #ready(): Promise<Link> {
    const limit = new AbortController();
    const { clock } = this.#options;
    using _timer = clock.timer(SEND_WAIT_MS_MAX, () => {
      const detail = `no answer for ${SEND_WAIT_MS_MAX / 1_000} s`;
      limit.abort(new HarnessError("EngineUnreachable", { url: this.#options.url, detail }));
    });
    if (this.#link === undefined) {
      const opening = this.#persist({}, this, this.#left.signal);
      this.#link = opening;
      opening.catch(() => {
        if (this.#link === opening) this.#link = undefined;
      });
    }
    return await whileAlive(this.#link, limit.signal);
  }

  /** Opens a socket, with retries while the refusal is transient. */
  async #persist(target: LinkTarget, reader: LinkReader, signal: AbortSignal): Promise<Link> {
    const { clock, random, onState } = this.#options;
    for (let waitMs = BACKOFF_MS_MIN; ; waitMs = Math.min(2 * waitMs, BACKOFF_MS_MAX)) {
      try {
        // One after the other: to a restarted engine, the first socket makes the client, and the others come as it.
        return await this.#sockets.run("open", async () => {
          const named = { ...target, client: this.clientId };
          const link = await openLink(this.#options, named, reader, signal);
          this.#greeted(link.greeting);
          return link;
        });
      } catch (thrown) {
        if (signal.aborted || !(thrown instanceof HarnessError) || !PASSING.includes(thrown.reason))
          throw thrown;
        const nextMs = Math.round(waitMs * (0.5 + random.number() / 2));
        this.#isAway = true;
        onState?.({ kind: "away", error: thrown, nextMs });
        await clock.sleep(nextMs, signal);
      }
    }
  }

  #greeted(greeting: Greeting): void {
    const isNews = this.#isAway || this.#greeting?.engine !== greeting.engine;
    this.#isAway = false;
    this.#greeting = greeting;
    if (isNews) this.#options.onState?.({ kind: "connected", engine: greeting.engine });
  }

  /** Returns true if another run has taken over from a run of a session, or does so now. */
  async #hasMoved(session: SessionId, run: SessionId): Promise<boolean> {
    return this.runOf(session) !== run || (await this.#reattach(session));
  }

  /** Attaches again to a session of an earlier engine that has not ended; returns false for any other session. */
  async #reattach(session: SessionId): Promise<boolean> {
    const run = this.runOf(session);
    const seenIn = this.#seenIn.get(run) ?? this.#seenIn.get(session);
    if (seenIn === undefined || seenIn === this.#known.engine) return false;
    const under = this.#reattaching.get(session) ?? this.#attachAnew(session, run);
    this.#reattaching.set(session, under);
    return await under.finally(() => this.#reattaching.delete(session));
  }

  async #attachAnew(session: SessionId, run: SessionId): Promise<boolean> {
    const { sessionId = run } = (await this.#ask("AttachSession", "command", {
      kind: "AttachSession",
      sessionId: run,
    })) as Accepted;
    this.#runs.set(session, sessionId);
    for (const id of [session, sessionId]) this.#seenIn.set(id, this.#known.engine);
    this.#options.onResumed?.(session, sessionId);
    return true;
  }

  get #known(): Greeting {
    if (this.#greeting === undefined) throw new HarnessError("HandshakeRequired", {});
    return this.#greeting;
  }

  #assertReady(): void {
    if (!this.#shaken) throw new HarnessError("HandshakeRequired", {});
    this.#left.signal.throwIfAborted();
  }
}

function backoff(times: number): number {
  return Math.min(BACKOFF_MS_MIN * 2 ** times, BACKOFF_MS_MAX);
}

/** Reasons after which a retry may succeed. */
const PASSING: readonly string[] = ["EngineUnreachable", "EngineStopping", "StoreBusy", "TooManyClients"];

import { defined } from "../../base/defined.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { ServerSocket, SocketReader, World } from "../../base/world.ts";
import { readCommand } from "../../protocol/read.ts";
import type { Authority, GrantWatch, TokenGrant, TransportKind } from "../../session/access/authority.ts";
import type { ServedConnection } from "../../session/engine-port.ts";
import { tokenExpiringEvent, tokenExpiringPayload } from "../auth/token-expiring.ts";
import { asRefusal, errorBody } from "../http/answers.ts";
import { httpStatusOf } from "../http/statuses.ts";
import type { ClientFrame } from "./frames.ts";
import { errorFrame, eventFrame, newsItemFrame, readFrame, serverFrame, withSession } from "./frames.ts";
import { SocketUpload } from "./socket-upload.ts";
import type { HeldClient, SocketClients } from "./ws-clients.ts";

/** Time limit for the handshake; a socket without one is then closed. */
export const HANDSHAKE_MS_MAX = 10_000;
/** Frames whose answer a client has not taken yet; above this, or above this many characters of them, it is cut off. */
export const UNANSWERED_FRAMES_MAX = 1_024;
export const UNANSWERED_CHARS_MAX = 67_108_864;

const NORMAL = 1_000;
const GOING_AWAY = 1_001;
/** Close code of a refusal: this and its HTTP status. */
const REFUSED = 4_000;
/** Bytes of a close frame's reason. */
const CLOSE_REASON_CHARS_MAX = 120;

export interface SocketDependencies {
  readonly world: Pick<World, "clock" | "log">;
  readonly authority: Authority;
  readonly clients: SocketClients;
  /** Differs with every start of an engine. */
  readonly engine: string;
  readonly grant: TokenGrant;
  readonly token: string | undefined;
  readonly wire: TransportKind;
  readonly session?: SessionId;
  /** Events above it are sent. */
  readonly since?: EventSeq;
  /** True: with the arguments of calls while the model writes them. */
  readonly args?: boolean;
  /** Called once, when the socket has closed. */
  readonly onLeft: () => void;
}

type UploadKind = "attach" | "attach-piece" | "attach-stop";
type FrameOf<Kind extends ClientFrame["kind"]> = Extract<ClientFrame, { readonly kind: Kind }>;

/** One open WebSocket: reads its frames in order, answers each, and sends the events of its session (CTL-07). */
export class ClientSocket implements SocketReader {
  readonly #dependencies: SocketDependencies;
  readonly #socket: ServerSocket;
  readonly #watch: GrantWatch;
  readonly #stop = new AbortController();
  readonly #shakeLimit: Disposable;
  #client: HeldClient | undefined;
  #last: EventSeq;
  /** Keeps the commands in the order in which they came. */
  #order: Promise<void> = Promise.resolve();
  #unanswered = 0;
  #unansweredChars = 0;
  readonly #ids = new Set<number>();
  #onAnswered: (() => void) | undefined;
  #hasNews = false;
  readonly #file: SocketUpload;
  #isOver = false;

  constructor(dependencies: SocketDependencies, socket: ServerSocket) {
    this.#dependencies = dependencies;
    this.#socket = socket;
    this.#last = dependencies.since ?? 0;
    const { authority, grant, world } = dependencies;
    this.#file = new SocketUpload(world.clock);
    this.#watch = authority.watch(grant);
    this.#shakeLimit = world.clock.timer(HANDSHAKE_MS_MAX, () =>
      this.#cut(new HarnessError("HandshakeRequired", {})),
    );
    const { ended } = this.#watch;
    // Not while the socket opens: this is not its reader yet.
    if (ended.aborted) void Promise.resolve().then(() => this.#cut(ended.reason));
    else ended.addEventListener("abort", () => this.#cut(ended.reason), { once: true });
  }

  message(data: string | Uint8Array): void {
    if (this.#isOver) return;
    this.#unanswered += 1;
    this.#unansweredChars += data.length;
    if (this.#unanswered > UNANSWERED_FRAMES_MAX || this.#unansweredChars > UNANSWERED_CHARS_MAX) {
      this.#cut(new HarnessError("TooManyFrames", { count: `${this.#unanswered}` }));
      return;
    }
    const read = readFrame(data);
    const frame = read.id !== undefined && this.#ids.has(read.id) ? idInUse(read.id) : read;
    if (read === frame && frame.id !== undefined) this.#ids.add(frame.id);
    const answered = (text: string) =>
      void this.#answer(text, data.length, read === frame ? frame.id : undefined);
    this.#order = this.#order.then(() => this.#take(frame, answered));
  }

  closed(): void {
    if (this.#client === undefined) this.#shakeLimit[Symbol.dispose]();
    this.#isOver = true;
    this.#stop.abort(new Error("the socket has closed"));
    this.#watch[Symbol.dispose]();
    this.#file[Symbol.dispose]();
    this.#client?.[Symbol.dispose]();
    this.#dependencies.onLeft();
  }

  /** Closes when all requests have been answered and, if the session has ended, its end has been sent. */
  leave(): void {
    if (this.#dependencies.session === undefined || this.#client === undefined)
      void this.#close(GOING_AWAY, "shutdown");
  }

  /** Closes now, whatever is pending. */
  abandon(): void {
    this.#shut(GOING_AWAY, "shutdown");
  }

  /** Never throws. */
  async #take(frame: ClientFrame, answered: (text: string) => void): Promise<void> {
    const refuse = (thrown: unknown) => {
      this.#tell(thrown);
      answered(errorFrame(frame.id, errorBody(asRefusal(thrown))));
    };
    try {
      if (this.#isOver) return;
      if (frame.kind === "refused") return refuse(frame.error);
      if (frame.kind === "ping") return answered(serverFrame("pong", frame.id, {}));
      if (frame.kind === "handshake") return await this.#shake(frame, answered);
      const connection = this.#client?.connection;
      if (connection === undefined) throw new HarnessError("HandshakeRequired", {});
      const { authority, token, wire, session } = this.#dependencies;
      await authority.verify(token, wire);
      if (frame.kind === "subscribe-news") {
        this.#followNews(connection, frame);
        return answered(serverFrame("accepted", frame.id, {}));
      }
      if (isUpload(frame)) {
        this.#upload(frame, connection).then(
          (body) => answered(serverFrame("accepted", frame.id, body)),
          refuse,
        );
        return;
      }
      if (frame.kind === "query") {
        const { readQuery } = await import("../../protocol/queries/read-query.ts");
        const answer = connection.query(readQuery(frame.query), this.#stop.signal);
        answer.then((body) => answered(serverFrame("result", frame.id, body)), refuse);
        return;
      }
      const command = readCommand(withSession(frame.command, session));
      // Not awaited here: an answer to one may need another command.
      connection.send(command).then((body) => answered(serverFrame("accepted", frame.id, body)), refuse);
    } catch (thrown) {
      refuse(thrown);
      if (thrown instanceof HarnessError && thrown.reason === "TokenRevoked") this.#cut(thrown);
    }
  }

  /** @throws HarnessError HandshakeVersionMismatch. */
  async #shake(
    { id, version, label, client }: FrameOf<"handshake">,
    answered: (text: string) => void,
  ): Promise<void> {
    const { clients, grant, wire, engine, session, since } = this.#dependencies;
    const isFirst = this.#client === undefined;
    const heldClient = this.#client ?? clients.hold({ grant, wire, label, named: client });
    let isHeld = !isFirst;
    try {
      const { connection } = heldClient;
      const body = await connection.handshake(version);
      if (this.#isOver) return;
      this.#client = heldClient;
      isHeld = true;
      const who = { client: connection.clientId, identityClass: connection.identityClass, engine };
      answered(serverFrame("handshake", id, body, { ...who, ...defined({ since }) }));
      if (!isFirst) return;
      this.#shakeLimit[Symbol.dispose]();
      this.#watch.onExpiring((expiresAt) => this.#tellExpiring(expiresAt));
      if (session !== undefined) void this.#follow(connection, session);
    } finally {
      if (!isHeld) heldClient[Symbol.dispose]();
    }
  }

  /** The next event is requested once there was room for the one before: a slow reader costs nothing but the log. */
  async #follow(connection: ServedConnection, session: SessionId): Promise<void> {
    const { since, args } = this.#dependencies;
    const { signal } = this.#stop;
    try {
      const events = connection.subscribe(session, { signal, ...defined({ since, args }) });
      for await (const event of events) {
        this.#last = event.id;
        if (!(await this.#socket.send(eventFrame(event)))) return;
      }
      await this.#close(NORMAL, "the session has ended");
    } catch (thrown) {
      if (!this.#isOver) this.#cut(thrown);
    }
  }

  /** Begins to send the news, once for a socket. @throws HarnessError InvalidFrame the second time. */
  #followNews(connection: ServedConnection, { past, reader }: FrameOf<"subscribe-news">): void {
    if (this.#hasNews) throw new HarnessError("InvalidFrame", { why: "this socket has the news already" });
    this.#hasNews = true;
    const { signal } = this.#stop;
    const items = connection.news({ past, signal, ...defined({ reader }) });
    const follow = async () => {
      for await (const item of items) if (!(await this.#socket.send(newsItemFrame(item)))) return;
    };
    follow().catch((thrown: unknown) => this.#cut(thrown));
  }

  /** Takes a frame at once, in order; no other frame waits while the file is stored. */
  async #upload({ kind, body }: FrameOf<UploadKind>, connection: ServedConnection): Promise<object> {
    if (kind === "attach-piece") return await this.#file.add(body, connection);
    if (kind === "attach") this.#file.begin(withSession(body, this.#dependencies.session), connection);
    else this.#file.stop();
    return {};
  }

  /** Sends it among the events of its session, if it is subscribed to one. */
  #tellExpiring(expiresAt: number): void {
    const { grant, session, world } = this.#dependencies;
    const expiring = { grant, expiresAt };
    const { clock } = world;
    void this.#socket.send(
      session === undefined
        ? serverFrame("expiring", undefined, tokenExpiringPayload(expiring))
        : serverFrame("event", undefined, tokenExpiringEvent(expiring, { session, last: this.#last, clock })),
    );
  }

  async #answer(text: string, chars: number, id: number | undefined): Promise<void> {
    await this.#socket.send(text);
    this.#unanswered -= 1;
    this.#unansweredChars -= chars;
    if (id !== undefined) this.#ids.delete(id);
    if (this.#unanswered === 0) this.#onAnswered?.();
  }

  /** Closes once every frame has its answer, and the reader has been sent all of it. */
  async #close(code: number, reason: string): Promise<void> {
    if (this.#unanswered > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onAnswered = resolve;
      this.#stop.signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    await this.#socket.flushed();
    this.#shut(code, reason);
  }

  /** Ends the socket with a refusal: sent as a frame if there is room for it, and in the close frame too. */
  #cut(thrown: unknown): void {
    if (this.#isOver) return;
    this.#tell(thrown);
    const refusal = asRefusal(thrown);
    void this.#socket.send(errorFrame(undefined, errorBody(refusal)));
    this.#shut(REFUSED + httpStatusOf(refusal.reason), refusal.reason);
  }

  #shut(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop.abort(new Error(reason));
    this.#socket.close(code, reason.slice(0, CLOSE_REASON_CHARS_MAX));
  }

  #tell(thrown: unknown): void {
    const log = this.#dependencies.world.log.for("control.ws");
    if (thrown instanceof HarnessError) log.write("debug", "a frame was refused", { reason: thrown.reason });
    else log.write("error", "a frame failed", { what: messageOf(thrown) });
  }
}

function isUpload(frame: ClientFrame): frame is FrameOf<UploadKind> {
  return frame.kind === "attach" || frame.kind === "attach-piece" || frame.kind === "attach-stop";
}

function idInUse(id: number): ClientFrame {
  return {
    id,
    kind: "refused",
    error: new HarnessError("InvalidFrame", { why: `id: ${id} waits for its answer` }),
  };
}

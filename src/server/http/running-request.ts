import { defined } from "../../base/defined.ts";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import type { ClientId } from "../../base/ids.ts";
import type { Clock, Exchange } from "../../base/world.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import type { Authority, TokenGrant, TransportKind } from "../../session/access/authority.ts";
import { assertVersion } from "../../session/access/handshake.ts";
import type { ServedConnection } from "../../session/engine-port.ts";
import { asRefusal, errorBody, streamAnswer } from "./answers.ts";
import { readBytes, readJson } from "./body.ts";
import type { ClientInUse, HttpClients } from "./clients.ts";
import type { RouteRequest } from "./route.ts";
import { pulledBody, sseFrame } from "./sse.ts";

export interface RunningRequestOptions
  extends Pick<RouteRequest, "request" | "params" | "query" | "wire" | "exchange"> {
  readonly grant: TokenGrant | undefined;
  readonly authority: Authority;
  readonly clients: HttpClients;
  readonly clock: Clock;
  /** Logs the failure of a stream. */
  readonly report: (thrown: unknown) => void;
  /** Called once, when the request and its stream are over. */
  readonly onOver: () => void;
}

/** A request from its checks to the end of its answer or stream, with the clients that it acts as. */
export class RunningRequest implements RouteRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly wire: TransportKind;
  readonly peer: string;
  readonly grant?: TokenGrant;
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
  readonly #options: RunningRequestOptions;
  readonly #aborter = new AbortController();
  readonly #used: ClientInUse[] = [];
  /** X-Harness-Version. */
  readonly #version: string | undefined;
  readonly #onGone = () => this.abort(new Cancelled("client", "the client has gone"));
  #acting: ClientInUse | undefined;
  #isStream = false;
  #isOver = false;

  constructor(options: RunningRequestOptions) {
    const { request, params, query, wire, exchange, grant } = options;
    this.#options = options;
    this.request = request;
    this.params = params;
    this.query = query;
    this.wire = wire;
    this.peer = wire;
    if (grant !== undefined) this.grant = grant;
    this.exchange = exchange;
    this.signal = this.#aborter.signal;
    this.#version = request.headers.get("x-harness-version") ?? undefined;
    if (request.signal.aborted) this.#onGone();
    else request.signal.addEventListener("abort", this.#onGone, { once: true });
  }

  abort(reason: Error): void {
    this.#aborter.abort(reason);
  }

  async json(): Promise<unknown> {
    return await readJson(this.request, this.#options.clock, this.signal);
  }

  async bytes(bytesMax: number, onPiece?: (bytes: number) => void): Promise<Uint8Array> {
    const { clock } = this.#options;
    const { request, signal } = this;
    return await readBytes(request, { clock, signal, bytesMax, ...defined({ onPiece }) });
  }

  async connection(): Promise<ServedConnection> {
    return (await this.#client()).connection;
  }

  async handshake(version: string): Promise<Handshake> {
    return await (await this.#client()).handshake(version);
  }

  async clientVersion(): Promise<string | undefined> {
    return this.#version ?? (await this.#client()).version;
  }

  async newClient(
    label: string,
    version: string,
  ): Promise<{ readonly client: ClientId; readonly handshake: Handshake }> {
    assertVersion(version); // before it has a client
    const made = this.#keep(this.#options.clients.add(this.#holder(), this.wire, label));
    return { client: made.connection.clientId, handshake: await made.handshake(version) };
  }

  stream(pieces: (signal: AbortSignal) => AsyncGenerator<string>): Response {
    const { grant, authority, clock, exchange, report } = this.#options;
    const read = pieces(this.signal);
    this.#isStream = true;
    exchange.keepOpen();
    const watch = grant === undefined ? undefined : authority.watch(grant);
    const onEnded = () => this.#aborter.abort(watch?.ended.reason);
    const leave = () => {
      this.abort(new Cancelled("client", "nobody reads this stream"));
      watch?.ended.removeEventListener("abort", onEnded);
      watch?.[Symbol.dispose]();
      this.#end();
    };
    if (watch?.ended.aborted === true) onEnded();
    watch?.ended.addEventListener("abort", onEnded, { once: true });
    const body = pulledBody(read, {
      clock,
      onLeave: leave,
      failed: (thrown) => {
        report(thrown);
        return sseFrame(errorBody(asRefusal(thrown)), { event: "refused" });
      },
    });
    return streamAnswer(body);
  }

  onExpiring(onExpiring: (expiresAt: number) => void): Disposable {
    const watch = this.#options.authority.watch(this.#holder());
    const notice = watch.onExpiring(onExpiring);
    return {
      [Symbol.dispose]() {
        notice[Symbol.dispose]();
        watch[Symbol.dispose]();
      },
    };
  }

  /** Headers of the answer: the client that the request acted as. */
  headers(): Readonly<Record<string, string>> {
    const id = this.#used.at(-1)?.connection.clientId;
    return defined({ "x-harness-client": id });
  }

  /** Ends the request once its route has answered; a stream ends when it is left. */
  handled(): void {
    if (!this.#isStream) this.#end();
  }

  async #client(): Promise<ClientInUse> {
    const named = this.request.headers.get("x-harness-client");
    this.#acting ??= this.#keep(this.#options.clients.use(this.#holder(), this.wire, named));
    if (this.#version !== undefined && this.#acting.version !== this.#version)
      await this.#acting.handshake(this.#version);
    return this.#acting;
  }

  #keep(client: ClientInUse): ClientInUse {
    this.#used.push(client);
    return client;
  }

  /** @throws HarnessError TokenMissing. */
  #holder(): TokenGrant {
    if (this.grant !== undefined) return this.grant;
    throw new HarnessError("TokenMissing", {});
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.request.signal.removeEventListener("abort", this.#onGone);
    for (const each of this.#used) each[Symbol.dispose]();
    this.#options.onOver();
  }
}

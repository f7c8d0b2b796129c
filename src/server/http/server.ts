import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { Exchange, HttpAnswer, Listening, World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import type { Authority, TokenGrant, TransportKind } from "../../session/access/authority.ts";
import { assertVersion } from "../../session/access/handshake.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { asRefusal, emptyAnswer, errorAnswer } from "./answers.ts";
import { BODY_BYTES_MAX } from "./body.ts";
import { HttpClients } from "./clients.ts";
import {
  assertHost,
  assertJson,
  assertNoToken,
  assertOrigin,
  originHeaders,
  preflightHeaders,
  tokenOf,
} from "./gate.ts";
import { matchRoute } from "./match.ts";
import type { HttpRoute } from "./route.ts";
import type { RunningRequestOptions } from "./running-request.ts";
import { RunningRequest } from "./running-request.ts";

/** A connection without traffic for this long is closed; a stream has its heartbeat. */
export const IDLE_MS_MAX = 60_000;
/** Time that a shutdown waits for answers and streams to end. */
export const DRAIN_MS_MAX = 3_000;
/** A body above the limit is refused with its reason; one above this by the runtime, without one. */
const RUNTIME_BODY_BYTES_MAX = 2 * BODY_BYTES_MAX;

/** An address to serve, with its certificate. */
export type HttpTarget =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "loopback"; readonly hostname: string; readonly port: number; readonly tls?: Tls }
  | { readonly kind: "lan"; readonly hostname: string; readonly port: number; readonly tls: Tls };

/** Certificate and key, as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface HttpDependencies {
  readonly world: Pick<World, "clock" | "listen" | "log">;
  readonly engine: EnginePort;
  readonly authority: Authority;
  readonly routes: readonly HttpRoute[];
  readonly targets: readonly HttpTarget[];
  /** Origins whose pages may talk to the engine; absent: none. */
  readonly origins?: readonly string[];
  /** Absent: `IDLE_MS_MAX`. */
  readonly idleMsMax?: number;
}

/**
 * The listeners of one engine. Disposing it takes no new requests, waits for running ones for at most `DRAIN_MS_MAX`,
 * and closes the rest: streams end by themselves if the engine has ended its sessions before.
 */
export interface HttpServer extends AsyncDisposable {
  /** Addresses in the order of the targets: paths, and URLs with their real ports. */
  readonly addresses: readonly string[];
  /** Refuses every request from now on with EngineStopping; running ones continue. */
  quiesce(): void;
  /** Quiesces, and waits for running requests for at most `DRAIN_MS_MAX`; then those are cut. */
  drain(): Promise<void>;
  /** Running requests and streams. */
  readonly live: number;
  /** Requests since the start. */
  readonly count: number;
}

/** Opens every target, or none. @throws HarnessError UsageInvalid, which names the one that cannot be opened. */
export async function serveHttp(parts: HttpDependencies): Promise<HttpServer> {
  await using undo = new AsyncDisposableStack();
  const front = undo.use(new HttpFront(parts));
  const addresses: string[] = [];
  for (const target of parts.targets) {
    try {
      addresses.push(undo.use(await front.listen(target)).address);
    } catch (thrown) {
      throw notHad(target, thrown);
    }
  }
  const opened = undo.move();
  return {
    addresses,
    quiesce: () => front.quiesce(),
    drain: () => front.drain(),
    get live() {
      return front.live;
    },
    get count() {
      return front.count;
    },
    async [Symbol.asyncDispose]() {
      await front.drain();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Checks every request before its route sees it, on every listener (AUTH-02, AUTH-06). */
class HttpFront implements AsyncDisposable {
  readonly #parts: HttpDependencies;
  readonly #clients: HttpClients;
  readonly #live = new Set<RunningRequest>();
  #isQuiet = false;
  #count = 0;
  #onIdle: (() => void) | undefined;

  constructor(parts: HttpDependencies) {
    this.#parts = parts;
    this.#clients = new HttpClients(parts.engine, parts.world.clock);
  }

  async listen(target: HttpTarget): Promise<Listening> {
    const { kind } = target;
    let hosts: readonly string[] | { readonly port: number } = UNIX_HOSTS;
    const listening = await this.#parts.world.listen({
      target: kind === "unix" ? target : { kind: "tcp", hostname: target.hostname, port: target.port },
      ...(kind === "unix" || target.tls === undefined ? {} : { tls: target.tls }),
      bodyBytesMax: RUNTIME_BODY_BYTES_MAX,
      messageBytesMax: RUNTIME_BODY_BYTES_MAX,
      idleMsMax: this.#parts.idleMsMax ?? IDLE_MS_MAX,
      handle: (request, exchange) => this.#handle(request, exchange, kind, () => hosts),
    });
    if (kind !== "unix") {
      const port = Number(/:(\d+)$/.exec(listening.address)?.[1] ?? 0);
      hosts = kind === "lan" ? { port } : [`localhost:${port}`, `127.0.0.1:${port}`];
    }
    return listening;
  }

  get live(): number {
    return this.#live.size;
  }

  get count(): number {
    return this.#count;
  }

  quiesce(): void {
    this.#isQuiet = true;
  }

  /** Resolves when nothing runs any more, or after `DRAIN_MS_MAX`. */
  async drain(): Promise<void> {
    this.quiesce();
    if (this.#live.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      using _limit = this.#parts.world.clock.timer(DRAIN_MS_MAX, resolve);
      await promise;
    }
    this.#cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cut();
    await this.#clients[Symbol.asyncDispose]();
  }

  async #handle(
    request: Request,
    exchange: Exchange,
    wire: TransportKind,
    hosts: () => readonly string[] | { readonly port: number },
  ): Promise<HttpAnswer> {
    const { headers, method } = request;
    let origin: string | undefined;
    try {
      assertHost(headers, hosts());
      origin = assertOrigin(headers, this.#parts.origins ?? []);
      if (this.#isQuiet) throw new HarnessError("EngineStopping", {});
      if (method === "OPTIONS" && origin !== undefined)
        return emptyAnswer(204, preflightHeaders(origin, headers));
      const answer = await this.#routed(request, exchange, wire);
      return answer instanceof Response ? withHeaders(answer, originHeaders(origin)) : answer;
    } catch (thrown) {
      return withHeaders(this.#refusal(thrown, method), originHeaders(origin));
    }
  }

  async #routed(request: Request, exchange: Exchange, wire: TransportKind): Promise<HttpAnswer> {
    const { headers } = request;
    const url = parsed(request.url);
    assertNoToken(url.searchParams);
    const { route, params } = matchRoute(this.#parts.routes, request.method, url.pathname);
    const carrier = route.carrier ?? "header";
    const token = tokenOf(headers, carrier);
    const isOpen = route.access === "public" || (route.access === "local" && wire === "unix");
    const isBare = isOpen && token === undefined;
    let grant: TokenGrant | undefined;
    try {
      grant = isBare ? undefined : await this.#parts.authority.verify(token, wire);
    } catch (thrown) {
      const refused = this.#refusal(thrown, request.method);
      return refused.status === 401 && carrier === "bearer"
        ? withHeaders(refused, { "www-authenticate": "Bearer" })
        : refused;
    }
    const version = headers.get("x-harness-version");
    // On a public address it is read only with a token: a client finds out there which version this server speaks.
    if (version !== null && grant !== undefined) assertVersion(version);
    if (request.method === "POST" && route.takesBytes !== true) assertJson(headers);
    const call = this.#begin({ request, params, query: url.searchParams, wire, exchange, grant });
    try {
      const answer = await route.handle(call);
      return answer instanceof Response ? withHeaders(answer, call.headers()) : answer;
    } catch (thrown) {
      return withHeaders(this.#refusal(thrown, request.method), call.headers());
    } finally {
      call.handled();
    }
  }

  /** Begins a request: it counts as running until it is over. */
  #begin(
    given: Pick<RunningRequestOptions, "request" | "params" | "query" | "wire" | "exchange" | "grant">,
  ): RunningRequest {
    const { world, authority } = this.#parts;
    const call = new RunningRequest({
      ...given,
      authority,
      clients: this.#clients,
      clock: world.clock,
      report: (thrown) => this.#tell(thrown),
      onOver: () => {
        this.#live.delete(call);
        if (this.#live.size === 0) this.#onIdle?.();
      },
    });
    this.#live.add(call);
    this.#count += 1;
    return call;
  }

  #cut(): void {
    for (const call of this.#live) call.abort(new Cancelled("shutdown", "the control plane was closed"));
  }

  #refusal(thrown: unknown, method: string): Response {
    this.#tell(thrown);
    const refusal = asRefusal(thrown);
    const answer = errorAnswer(refusal);
    const allowed =
      refusal.reason === "MethodNotAllowed" ? Reflect.get(refusal.fields, "allowed") : undefined;
    if (typeof allowed === "string") answer.headers.set("allow", allowed);
    return method === "HEAD" ? emptyAnswer(answer.status, Object.fromEntries(answer.headers)) : answer;
  }

  #tell(thrown: unknown): void {
    const log = this.#parts.world.log.for("control.http");
    if (thrown instanceof HarnessError)
      log.write("debug", "a request was refused", { reason: thrown.reason });
    else log.write("error", "a request failed", { what: messageOf(thrown) });
  }
}

function notHad(target: HttpTarget, thrown: unknown): HarnessError {
  const code = codeOf(thrown) ?? "";
  const isUnix = target.kind === "unix";
  const place = isUnix ? target.path : `${target.hostname}:${target.port}`;
  const taken = isUnix
    ? "something other than an engine's socket is there: move it away"
    : "the port is in use: take another one, or 0 for one that is free";
  const known: Readonly<Record<string, string>> = {
    EADDRINUSE: taken,
    EACCES: "that is not allowed to you",
    EADDRNOTAVAIL: "this machine does not have that address",
  };
  const problem = `nothing can be listened at ${place}: ${known[code] ?? messageOf(thrown)}`;
  return new HarnessError("UsageInvalid", { problem }, { cause: thrown });
}

/** The path of a socket has no name or port. */
const UNIX_HOSTS: readonly string[] = ["localhost", "127.0.0.1"];

function parsed(url: string): URL {
  const found = URL.parse(url);
  if (found === null) throw new HarnessError("InvalidPath", { why: "it is none" });
  return found;
}

function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

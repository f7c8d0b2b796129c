import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson, stringAt } from "../../base/json.ts";
import type { HttpAccess, HttpInit } from "../http-access.ts";
import { Mismatch } from "../mismatch.ts";
import { SseReader } from "./sse.ts";
import type {
  AttachOptions,
  Client,
  CommandAnswer,
  FollowOptions,
  SilenceLimit,
  SuiteTransport,
} from "./transport.ts";
import { EventStream, Refused, refusedAnswer } from "./transport.ts";

/** Returns the transport REST with server-sent events (docs/rest.md). */
export function restTransport(http: HttpAccess): SuiteTransport {
  const free = new Map<string, string[]>();
  return {
    name: "rest",
    async attach(token, { shake, version, ...options }) {
      const client = new RestClient(http, token, { ...options, free: freeOf(free, token) });
      if (shake) await client.become(version);
      return client;
    },
  };
}

/** Returns the unused clients of a token, which are used again because a server limits their number. */
function freeOf(all: Map<string, string[]>, token: string): string[] {
  const free = all.get(token) ?? [];
  all.set(token, free);
  return free;
}

/** A request; `json` is its body as JSON. */
export interface RestAsk {
  readonly method?: string;
  readonly token?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: HttpInit["body"];
  readonly signal: AbortSignal;
  /** Limit on silence until the answer begins. */
  readonly patience?: SilenceLimit | undefined;
}

/** Sends an HTTP request with the common headers. @throws Mismatch if no answer begins in time. */
export async function askRest(http: HttpAccess, path: string, ask: RestAsk): Promise<Response> {
  const { patience } = ask;
  if (patience === undefined) return await request(http, path, ask);
  const silence = new AbortController();
  using _limit = patience.timer(patience.ms, () => silence.abort(new Error("no answer")));
  try {
    return await request(http, path, { ...ask, signal: AbortSignal.any([ask.signal, silence.signal]) });
  } catch (thrown) {
    if (!silence.signal.aborted) throw thrown;
    throw new Mismatch(`an answer to ${path}`, "it comes", `nothing for ${patience.ms / 1_000} s`);
  }
}

async function request(http: HttpAccess, path: string, ask: RestAsk): Promise<Response> {
  const { token, json, headers, signal } = ask;
  const body = json === undefined ? ask.body : JSON.stringify(json);
  return await http.fetch(path, {
    method: ask.method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...defined({ "x-harness-token": token }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...defined({ body }),
    signal,
  });
}

/** Reads an answer: the body of a success, else the refusal. */
export async function answerOf(answer: Response): Promise<CommandAnswer> {
  const parsed = parseJson(await answer.text())?.value;
  if (!answer.ok) return refusedAnswer(parsed, answer.status);
  return { kind: "accepted", body: isObject(parsed) ? parsed : {} };
}

class RestClient implements Client {
  readonly #http: HttpAccess;
  readonly #token: string;
  readonly #signal: AbortSignal;
  readonly #free: string[];
  readonly #patience: SilenceLimit | undefined;
  #id: string | undefined;
  #isOwn = false;

  constructor(
    http: HttpAccess,
    token: string,
    { signal, free, patience }: Pick<AttachOptions, "signal" | "patience"> & { readonly free: string[] },
  ) {
    this.#patience = patience;
    this.#http = http;
    this.#token = token;
    this.#signal = signal;
    this.#free = free;
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** Becomes a new client of the token if the server supports that, else the token's default one. @throws Refused. */
  async become(version: string): Promise<void> {
    this.#id = this.#free.pop();
    this.#isOwn = true;
    if (this.#id !== undefined) return;
    const json = { label: "conformance", version };
    const made = await answerOf(await this.#ask("/v1/clients", { json }));
    if (made.kind === "accepted") this.#id = stringAt(made.body, "client");
    this.#isOwn = this.#id !== undefined;
    const answer = made.kind === "refused" && made.status === 404 ? await this.handshake(version) : made;
    if (answer.kind === "refused") throw new Refused("the handshake", answer);
  }

  async handshake(version: string): Promise<CommandAnswer> {
    return await answerOf(await this.#ask(`/v1/handshake?version=${encodeURIComponent(version)}`, {}));
  }

  async send(command: JsonObject): Promise<CommandAnswer> {
    const { kind, sessionId, ...body } = command;
    const at = `/v1/sessions/${encodeURIComponent(String(sessionId))}`;
    if (kind === "CreateSession") return answerOf(await this.#ask("/v1/sessions", { json: body }));
    if (kind === "EndSession") return answerOf(await this.#ask(at, { method: "DELETE" }));
    const route = ROUTES[String(kind)];
    if (route !== undefined) return answerOf(await this.#ask(`${at}/${route}`, { json: body }));
    return answerOf(await this.#ask(`${at}/command`, { json: command }));
  }

  async follow(session: string, since?: number, { args }: FollowOptions = {}): Promise<EventStream> {
    const leave = new AbortController();
    const signal = AbortSignal.any([this.#signal, leave.signal]);
    const query = new URLSearchParams({
      ...(since === undefined ? {} : { since: `${since}` }),
      ...(args === undefined ? {} : { args: "true" }),
    });
    const path = `/v1/sessions/${encodeURIComponent(session)}/events`;
    const answer = await this.#ask(query.size === 0 ? path : `${path}?${query}`, { signal });
    if (!answer.ok || answer.body === null) {
      const refused = await answerOf(answer);
      throw new Refused("the event stream", refused.kind === "refused" ? refused : refusedAnswer(undefined));
    }
    const { body } = answer;
    const leaveStream = async () => {
      leave.abort(new Error("left"));
      await reading;
    };
    const stream = new EventStream(this.#signal, leaveStream, this.#patience);
    const reading = read(body, stream);
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // An HTTP client disconnects by sending no more requests.
    if (this.#isOwn && this.#id !== undefined) this.#free.push(this.#id);
    this.#isOwn = false;
  }

  async #ask(
    path: string,
    ask: Omit<RestAsk, "signal"> & { readonly signal?: AbortSignal },
  ): Promise<Response> {
    const headers = defined({ "x-harness-client": this.#id });
    const answer = await askRest(this.#http, path, {
      signal: this.#signal,
      patience: this.#patience,
      token: this.#token,
      ...ask,
      headers: { ...headers, ...ask.headers },
    });
    this.#id ??= answer.headers.get("x-harness-client") ?? undefined;
    return answer;
  }
}

/** Commands with a separate address, whose body has their fields. */
const ROUTES: Readonly<Record<string, string>> = {
  SendInput: "input",
  CancelTurn: "cancel",
  AnswerPermission: "permission",
  SetModel: "model",
};

async function read(body: ReadableStream<Uint8Array>, stream: EventStream): Promise<void> {
  const [reader, decoder] = [new SseReader(), new TextDecoder()];
  try {
    for await (const chunk of body) {
      for (const { data, event } of reader.push(decoder.decode(chunk, { stream: true }))) {
        const value = data === undefined || event === "refused" ? undefined : parseJson(data)?.value;
        if (isObject(value)) stream.push(value);
      }
    }
  } catch {
    // The client left or the server broke the stream off: it is over either way.
  } finally {
    stream.end();
  }
}

import { CinchError, connectionLost, invalidAnswer, messageOf, refusalOf, unreachable } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { within } from "./limits.ts";
import { PROTOCOL_VERSION } from "./protocol.ts";

/** Function that sends requests: the platform's `fetch`, or another, such as `unixSocket` of `cinch-client/node`. */
export interface Fetch {
  (url: string, init: RequestInit): Promise<Response>;
  /** Path of the Unix socket that it goes to, for messages. */
  readonly socketPath?: string;
}

/** A capability token, or what gives one: it is asked before each request, so that it may be a new one. */
export type TokenSource = string | (() => string | Promise<string>);

export interface HttpParts {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly token: TokenSource;
  readonly fetch: Fetch;
  readonly limits: Limits;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The client that the engine took this for. */
  readonly client: string | undefined;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly client?: string | undefined;
  readonly body?: object | undefined;
  /** A file as the body, instead of JSON. */
  readonly file?: FileBody | undefined;
  /** Name of the command for messages. A command is never sent twice, and may take longer. */
  readonly command?: string | undefined;
}

export interface FileBody {
  readonly bytes: Uint8Array<ArrayBuffer> | Blob;
  readonly mediaType: string;
}

/** Requests to one engine: each has a limit, and every failure is a `CinchError`, or the signal's reason. */
export class Http {
  readonly #parts: HttpParts;

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  get url(): string {
    return this.#parts.url;
  }

  /** Address or socket of the engine, for messages. */
  get #place(): string {
    return this.#parts.fetch.socketPath ?? this.url;
  }

  async token(): Promise<string> {
    const { token } = this.#parts;
    const text = typeof token === "string" ? token : await token();
    // Whatever the platform said of such a header would show the token.
    if (/^[\x21-\x7e]*$/.test(text)) return text;
    throw new CinchError("TokenInvalid", "The token has characters that no header can have.");
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { limits, url } = this.#parts;
    const { signal, command } = options;
    signal?.throwIfAborted();
    const ms = command === undefined ? limits.answerMs : limits.commandMs;
    const limit = within(ms, signal);
    try {
      const response = await this.#send(method, path, {}, { ...options, signal: limit.signal });
      const text = await textOf(response, limits.answerBytesMax, url);
      const body = parsed(text, response.status, url);
      if (!response.ok) throw refusalOf(body, url, response.status);
      return { status: response.status, body, client: response.headers.get("x-harness-client") ?? undefined };
    } catch (thrown) {
      signal?.throwIfAborted();
      if (limit.isOver()) throw this.#silent(`no answer within ${ms} ms`, command, thrown);
      throw this.#broken(thrown, command);
    } finally {
      limit.done();
    }
  }

  /** The answer of a stream, whose body is the caller's to read or to cancel. */
  async stream(
    path: string,
    headers: Readonly<Record<string, string>>,
    options: { readonly signal: AbortSignal; readonly client?: string | undefined },
  ): Promise<ReadableStream<Uint8Array>> {
    const { limits, url } = this.#parts;
    // The limit is for the answer to begin, not for the stream: its timer ends when that has come.
    const limit = within(limits.answerMs, options.signal);
    try {
      const accept = { accept: "text/event-stream", ...headers };
      const response = await this.#send("GET", path, accept, { ...options, signal: limit.signal });
      if (!response.ok) {
        const text = await textOf(response, limits.answerBytesMax, url);
        throw refusalOf(parsed(text, response.status, url), url, response.status);
      }
      const type = response.headers.get("content-type") ?? "none";
      if (response.body === null || !type.startsWith("text/event-stream"))
        throw invalidAnswer(
          url,
          `a stream of events was asked for, its content type is ${type.slice(0, 100)}`,
        );
      return response.body;
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (limit.isOver()) throw this.#silent(`no answer within ${limits.answerMs} ms`, undefined, thrown);
      throw this.#broken(thrown, undefined);
    } finally {
      limit.done();
    }
  }

  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    { signal, body, file, client }: RequestOptions & { readonly signal: AbortSignal },
  ): Promise<Response> {
    const token = await this.token();
    const response = await this.#parts.fetch(`${this.#parts.url}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...headers,
        "x-harness-token": token,
        "x-harness-version": PROTOCOL_VERSION,
        ...(client === undefined ? {} : { "x-harness-client": client }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(file === undefined ? {} : { "content-type": file.mediaType }),
      },
      signal,
      // The token is for this address alone.
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(file === undefined ? {} : { body: file.bytes }),
    });
    const { status, type } = response;
    if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      throw invalidAnswer(this.url, `it sends requests elsewhere (status ${status})`, { status });
    }
    return response;
  }

  #silent(why: string, command: string | undefined, cause: unknown): Error {
    return command === undefined ? unreachable(this.#place, why, cause) : connectionLost(command, cause);
  }

  /** Turns an error of `fetch` into one that says if the request may have been sent. */
  #broken(thrown: unknown, command: string | undefined): unknown {
    if (thrown instanceof CinchError) return thrown;
    if (command === undefined || wasNeverSent(thrown))
      return unreachable(this.#place, detailOf(thrown), thrown);
    return connectionLost(command, thrown);
  }
}

const NEVER_SENT = /ECONNREFUSED|ConnectionRefused|ENOENT|ENOTFOUND|FailedToOpenSocket|ConnectionFailed/;

function wasNeverSent(thrown: unknown): boolean {
  const { code, cause } = Object(thrown) as { readonly code?: unknown; readonly cause?: unknown };
  return NEVER_SENT.test(String(code)) || (cause !== undefined && cause !== thrown && wasNeverSent(cause));
}

function detailOf(thrown: unknown): string {
  const { cause } = Object(thrown) as { readonly cause?: unknown };
  const inner = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  return `${messageOf(thrown)}${inner}`;
}

/** The whole body as text. @throws CinchError InvalidAnswer above the limit. */
async function textOf(response: Response, bytesMax: number, url: string): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  while (true) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw invalidAnswer(url, `an answer of more than ${bytesMax} bytes`, { status: response.status });
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parsed(text: string, status: number, url: string): unknown {
  if (text === "" && status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidAnswer(url, `status ${status}, and no JSON`, { status, cause });
  }
}

import { CinchError, invalidAnswer } from "./errors.ts";
import type { ConnectionState } from "./follow.ts";
import type { Answer, Http } from "./http.ts";
import type { Limits } from "./limits.ts";
import type { SseFrame } from "./sse.ts";
import type { OpenStretch } from "./stretch.ts";
import { readFrames } from "./stretch.ts";

export interface EngineParts {
  readonly http: Http;
  readonly limits: Limits;
  readonly open: OpenStretch;
  readonly label: string | undefined;
  readonly onState: ((state: ConnectionState) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly body?: object | undefined;
  readonly command?: string | undefined;
}

/** One engine as one client of it: who asks, over whatever number of connections. */
export class Engine {
  readonly #parts: EngineParts;
  readonly #left = new AbortController();
  /** Its process, which another start changes. */
  #process = "";
  #client: string | undefined;
  #clientId: string | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  get url(): string {
    return this.#parts.http.url;
  }

  get limits(): Limits {
    return this.#parts.limits;
  }

  get open(): OpenStretch {
    return this.#parts.open;
  }

  get onState(): EngineParts["onState"] {
    return this.#parts.onState;
  }

  /** Aborts when the client is closed. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** Client id for requests, if it is not the token's default one. */
  get client(): string | undefined {
    return this.#client;
  }

  /** The client that the engine takes this for. */
  get clientId(): string | undefined {
    return this.#client ?? this.#clientId;
  }

  /** The process that answers, as it was last looked at. */
  get process(): string {
    return this.#process;
  }

  close(): void {
    this.#left.abort(new Error("the client was closed"));
  }

  /** The handshake, as a client of its own where there is a label. */
  async shake(version: string, signal: AbortSignal | undefined): Promise<unknown> {
    const { label } = this.#parts;
    const { body } =
      label === undefined
        ? await this.ask("GET", `/v1/handshake?version=${encodeURIComponent(version)}`, { signal })
        : { body: await this.#makeClient(label, signal) };
    await this.look(signal);
    return body;
  }

  /** Asks which process answers now. */
  async look(signal: AbortSignal | undefined): Promise<string> {
    const { body } = await this.ask("GET", "/v1/runtime", { signal });
    const { engine } = Object(body) as Record<string, unknown>;
    this.#process = typeof engine === "string" ? engine : this.#processIn(body);
    return this.#process;
  }

  /** Returns what names the process of an engine before protocol 0.3. */
  #processIn(body: unknown): string {
    const { pid, started_at } = Object(body) as Record<string, unknown>;
    if (typeof pid !== "number" || typeof started_at !== "string")
      throw invalidAnswer(this.url, "it does not say which engine it is");
    return `${pid} ${started_at}`;
  }

  /**
   * One request. Where the engine has forgotten this client, it is made anew: what was refused so was not carried out.
   */
  async ask(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const signal = options.signal === undefined ? this.left : AbortSignal.any([options.signal, this.left]);
    try {
      return this.#seen(
        await this.#parts.http.request(method, path, { ...options, signal, client: this.#client }),
      );
    } catch (thrown) {
      if (!hasReason(thrown, "UnknownClient") || !(await this.renewClient(signal))) throw thrown;
      return this.#seen(
        await this.#parts.http.request(method, path, { ...options, signal, client: this.#client }),
      );
    }
  }

  /** The frames of a stream, as this client, over one connection. */
  frames(
    path: string,
    { signal, onSign }: { readonly signal: AbortSignal; readonly onSign: () => void },
  ): AsyncGenerator<SseFrame, void> {
    const { http, limits } = this.#parts;
    return readFrames({ http, limits, path, headers: {}, client: this.#client, signal, onSign });
  }

  /** Makes this client anew, where it had one of its own. */
  async renewClient(signal: AbortSignal): Promise<boolean> {
    const { label } = this.#parts;
    if (label === undefined) return false;
    await this.#makeClient(label, signal);
    return true;
  }

  async #makeClient(label: string, signal: AbortSignal | undefined): Promise<unknown> {
    const { http } = this.#parts;
    const { body } = await http.request("POST", "/v1/clients", { signal, body: { label } });
    const { client, handshake } = Object(body) as Record<string, unknown>;
    if (typeof client !== "string") throw invalidAnswer(this.url, "it does not say who the client is");
    this.#client = client;
    return handshake;
  }

  #seen(answer: Answer): Answer {
    this.#clientId = answer.client ?? this.#clientId;
    return answer;
  }
}

export function hasReason(thrown: unknown, reason: CinchError["reason"]): thrown is CinchError {
  return thrown instanceof CinchError && thrown.reason === reason;
}

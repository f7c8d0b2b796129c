import type { JsonObject } from "../../base/json.ts";
import { stringAt } from "../../base/json.ts";
import { Mismatch } from "../mismatch.ts";

/** The revision of MCP without sessions; `mcp` names those up to 2025-11-25, which begin with `initialize`. */
export const MCP_REVISION = "2026-07-28";

/** The ways to reach a server that scenarios are walked over. */
export type WireName = "inproc" | "rest" | "ws" | "mcp" | `mcp-${typeof MCP_REVISION}`;

/** One way to reach a server. What comes is handed on as it stands: to read it is the scenarios' business. */
export interface Wire {
  readonly name: WireName;
  /** Set where each client is a process that works with one session: no two can share one. */
  readonly isAlone?: boolean;
  /** Becomes a client, with its handshake unless `shake` is false. Disposing it leaves without a word. */
  attach(token: string, options: AttachOptions): Promise<Client>;
}

export interface AttachOptions {
  readonly shake: boolean;
  /** The protocol version to say. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Longest silence of a server while something is awaited. Absent: no limit but the signal. */
  readonly patience?: Patience;
}

/** A limit on silence: what has not come by then does not come. */
export interface Patience {
  readonly ms: number;
  timer(ms: number, callback: () => void): Disposable;
}

export interface Client extends AsyncDisposable {
  /** As its events name it, where the wire tells that. */
  readonly id: string | undefined;
  handshake(version: string): Promise<Answer>;
  /** Sends a command as it stands: `{kind, sessionId, …}`. */
  send(command: JsonObject): Promise<Answer>;
  /**
   * Follows a session: everything above `since`, or from now on. Resolves once nothing later can be missed.
   * @throws Refusal where the server refuses it.
   */
  follow(session: string, since?: number): Promise<EventStream>;
}

export type Answer = { readonly kind: "accepted"; readonly body: JsonObject } | Refusal;

/** `reason` is empty where the server told none; the status is there on HTTP. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: string;
  readonly message: string;
  readonly status?: number;
}

/** Thrown where a client could not even become one, or follow. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;

  constructor(what: string, refusal: Refusal) {
    super(`${what}: ${refusal.reason === "" ? "refused" : refusal.reason}: ${refusal.message}`);
    this.refusal = refusal;
  }
}

export function refusal(body: unknown, status?: number): Refusal {
  const [reason = "", message = ""] = [stringAt(body, "reason"), stringAt(body, "message")];
  return { kind: "refused", reason, message, ...(status === undefined ? {} : { status }) };
}

/** The events of one session as one client sees them, each as it came. */
export class EventStream implements AsyncDisposable {
  readonly seen: JsonObject[] = [];
  readonly #leave: () => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #patience: Patience | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  #wake: () => void = () => undefined;

  /** @param leave closes it from this side. */
  constructor(signal: AbortSignal, leave: () => Promise<void>, patience?: Patience) {
    this.#signal = signal;
    this.#leave = leave;
    this.#patience = patience;
  }

  push(event: JsonObject): void {
    this.seen.push(event);
    this.#wake();
  }

  /** The server has ended it, or it was left. */
  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
    this.#wake();
  }

  /** Resolves once the server has ended it. @throws the signal's reason. */
  async over(what: string): Promise<void> {
    await this.#until(what, () => this.#isOver);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The first event that is wanted, waited for. @throws Mismatch where the stream ends before; the signal's reason. */
  async until(what: string, wanted: (event: JsonObject) => boolean): Promise<JsonObject> {
    let found: JsonObject | undefined;
    let at = 0;
    await this.#until(what, () => {
      while (found === undefined && at < this.seen.length) {
        const event = this.seen[at];
        at += 1;
        if (event !== undefined && wanted(event)) found = event;
      }
      return found !== undefined || this.#isOver;
    });
    if (found === undefined) throw new Mismatch(what, "it comes", `the stream ended after ${this.#told()}`);
    return found;
  }

  /** The nth event of a kind. */
  async kind(kind: string, nth = 1): Promise<JsonObject> {
    let left = nth;
    return await this.until(`${kind} number ${nth}`, (event) => {
      if (event["kind"] === kind) left -= 1;
      return left === 0;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
    this.end();
  }

  async #until(what: string, isDone: () => boolean): Promise<void> {
    const onAbort = () => this.#wake();
    this.#signal.addEventListener("abort", onAbort);
    try {
      const { ms = 0 } = this.#patience ?? {};
      let isSilent = false;
      while (!isDone()) {
        if (this.#signal.aborted) throw new Mismatch(what, "it comes", `nothing more after ${this.#told()}`);
        if (isSilent)
          throw new Mismatch(what, "it comes", `nothing for ${ms / 1_000} s after ${this.#told()}`);
        using _limit = this.#patience?.timer(ms, () => {
          isSilent = true;
          this.#wake();
        });
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#signal.removeEventListener("abort", onAbort);
    }
  }

  #told(): string {
    const kinds = this.seen.slice(-8).map((event) => stringAt(event, "kind") ?? "?");
    return kinds.length === 0 ? "no event at all" : `… ${kinds.join(", ")}`;
  }
}

import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";
import { stringAt } from "../../base/json.ts";
import { Mismatch } from "../mismatch.ts";

/** The MCP revision without sessions. `mcp` means revisions up to 2025-11-25, which begin with `initialize`. */
export const MCP_REVISION = "2026-07-28";

/** Transports that scenarios run over. */
export type TransportName = "inproc" | "rest" | "ws" | "mcp" | `mcp-${typeof MCP_REVISION}`;

/** A transport to a server. Passes frames on unparsed: the scenarios check them. */
export interface SuiteTransport {
  readonly name: TransportName;
  /** True if each client is a process with one session, so that no two clients share a session. */
  readonly isAlone?: boolean;
  /** Connects a client, with the handshake unless `shake` is false. Disposing it disconnects. */
  attach(token: string, options: AttachOptions): Promise<Client>;
}

export interface AttachOptions {
  readonly shake: boolean;
  /** Protocol version for the handshake. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Limit on the server's silence during a wait. Default: only the signal ends a wait. */
  readonly patience?: SilenceLimit;
}

/** Limit on silence: `ms` without an event end a wait. */
export interface SilenceLimit {
  readonly ms: number;
  timer(ms: number, callback: () => void): Disposable;
}

export interface Client extends AsyncDisposable {
  /** Id of the client in events, if the transport reports it. */
  readonly id: string | undefined;
  handshake(version: string): Promise<CommandAnswer>;
  /** Sends a command unchanged: `{kind, sessionId, …}`. */
  send(command: JsonObject): Promise<CommandAnswer>;
  /**
   * Subscribes to a session: events above `since`, or from now on. Resolves once no later event can be missed.
   * @throws Refused if the server refuses it.
   */
  follow(session: string, since?: number, more?: FollowOptions): Promise<EventStream>;
}

export interface FollowOptions {
  /** Set to also get the arguments of calls while the model writes them. MCP ignores it. */
  readonly args?: true;
}

export type CommandAnswer = { readonly kind: "accepted"; readonly body: JsonObject } | RefusedAnswer;

/** A refusal. `reason` is empty if the server gave none; HTTP answers have a status. */
export interface RefusedAnswer {
  readonly kind: "refused";
  readonly reason: string;
  readonly message: string;
  readonly status?: number;
}

/** Thrown when a client cannot connect or subscribe. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: RefusedAnswer;

  constructor(what: string, refusal: RefusedAnswer) {
    super(`${what}: ${refusal.reason === "" ? "refused" : refusal.reason}: ${refusal.message}`);
    this.refusal = refusal;
  }
}

export function refusedAnswer(body: unknown, status?: number): RefusedAnswer {
  const [reason = "", message = ""] = [stringAt(body, "reason"), stringAt(body, "message")];
  return { kind: "refused", reason, message, ...defined({ status }) };
}

/** The events of one session as one client receives them, unread. */
export class EventStream implements AsyncDisposable {
  readonly seen: JsonObject[] = [];
  readonly #leave: () => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #patience: SilenceLimit | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  #wake: () => void = () => undefined;

  /** @param leave closes the subscription from the client's side. */
  constructor(signal: AbortSignal, leave: () => Promise<void>, patience?: SilenceLimit) {
    this.#signal = signal;
    this.#leave = leave;
    this.#patience = patience;
  }

  push(event: JsonObject): void {
    this.seen.push(event);
    this.#wake();
  }

  /** Marks the stream as ended, by the server or the client. */
  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
    this.#wake();
  }

  /** Waits until the server has ended the stream. @throws Mismatch if it does not. */
  async over(what: string): Promise<void> {
    await this.#until(what, () => this.#isOver);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Waits for the first event that satisfies `wanted`. @throws Mismatch if the stream ends or stays silent. */
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
    if (found === undefined) throw new Mismatch(what, "it comes", `the stream ended after ${this.#report()}`);
    return found;
  }

  /** Waits for the nth event of a kind. @throws Mismatch. */
  async kind(kind: string, nth = 1): Promise<JsonObject> {
    let remaining = nth;
    return await this.until(`${kind} number ${nth}`, (event) => {
      if (event["kind"] === kind) remaining -= 1;
      return remaining === 0;
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
        if (this.#signal.aborted)
          throw new Mismatch(what, "it comes", `nothing more after ${this.#report()}`);
        if (isSilent)
          throw new Mismatch(what, "it comes", `nothing for ${ms / 1_000} s after ${this.#report()}`);
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

  #report(): string {
    const kinds = this.seen.slice(-8).map((event) => stringAt(event, "kind") ?? "?");
    return kinds.length === 0 ? "no event at all" : `… ${kinds.join(", ")}`;
  }
}

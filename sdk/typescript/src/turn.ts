import type { Envelope, EnvelopeOf } from "./protocol.ts";

/** Tokens of the provider calls of a turn and its sub-agents. */
export interface TurnUsage {
  readonly calls: number;
  /** Without the tokens of the cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** The result of a turn, the same as every other client of the engine gives. */
export interface TurnResult {
  /** Text of the last message that had any; empty if none had. */
  readonly text: string;
  /** End reason: "complete" and "yield" are success; "withdrawn" if the input was withdrawn before the turn began. */
  readonly reason: EnvelopeOf<"TurnEnded">["payload"]["reason"] | "withdrawn";
  /** Calls of the provider by the session's own agent. */
  readonly rounds: number;
  /** US dollars, rounded to a millionth; null if the price of a call is unknown, or a call was cut off. */
  readonly costUsd: number | null;
  readonly usage: TurnUsage;
  /** The tools that were called, each once, in the order of their first call. */
  readonly tools: readonly string[];
  /** Calls that did not run because nobody had allowed them. */
  readonly refused: number;
  /** Error of a turn that failed; absent after "complete", "yield" and "cancelled". */
  readonly error?: { readonly reason: string; readonly message: string };
}

/** Errors about a call that was not allowed: the turn goes on, and the model knows. */
const REFUSALS: readonly string[] = ["PermissionDenied", "PermissionTimeout"];
/** After these ends no error is reported. */
const ENDED_WELL: readonly string[] = ["complete", "yield", "cancelled"];
/** At these ends a call may be cut off before its provider has reported usage. */
const CUTS_OFF: readonly string[] = ["cancelled", "error", "time_limit"];

const NO_USAGE: TurnUsage = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/** Adds up the events of one turn. What a sub-agent says and calls is its own; what it costs is the turn's. */
export class TurnSum {
  readonly #tools = new Set<string>();
  /** Calls that have reported their cost, by the call that runs a sub-agent. */
  readonly #calls = new Map<string | undefined, number>();
  #text = "";
  #isOpen = false;
  #usd = 0;
  #usage: TurnUsage = NO_USAGE;
  #unpriced = false;
  #refused = 0;
  #isNew = true;
  /** The last failure; at the end, the one that ended the turn. */
  #error: TurnResult["error"];
  #ended: Pick<TurnResult, "reason" | "rounds"> | undefined;

  add(event: Envelope): void {
    const isFirst = this.#isNew;
    this.#isNew = false;
    this.#addCost(event);
    if (event.parentCall !== undefined) return;
    switch (event.kind) {
      case "ToolCallStarted":
        if (event.payload.shell === true) break; // a person's own command
        this.#tools.add(event.payload.tool);
        this.#isOpen = false;
        break;
      case "ToolResult":
        if (event.payload.shell !== true) this.#isOpen = false;
        break;
      case "TextDelta":
        if (event.payload.text === "") break;
        this.#text = this.#isOpen ? this.#text + event.payload.text : event.payload.text;
        this.#isOpen = true;
        break;
      case "CustomEvent": {
        const { namespace, kind, payload } = event.payload;
        if (namespace !== "cinch" || kind !== "InputDelivered") break;
        this.#isOpen = false;
        // The rounds before it belong to the inputs before it.
        if (isFirst) this.#calls.set(undefined, Number(Object(payload)["round"] ?? 0));
        break;
      }
      case "Error": {
        const { reason, message, severity, details } = event.payload;
        if (REFUSALS.includes(reason)) this.#refused += 1;
        // After a notice, a wait for the provider and a retry the turn continues.
        const goesOn =
          reason === "ProviderSilent" || severity === "notice" || details?.["retryInMs"] !== undefined;
        if (!goesOn && !REFUSALS.includes(reason)) this.#error = { reason, message };
        break;
      }
      case "TurnEnded": {
        const { reason, rounds = 0, error } = event.payload;
        this.#ended = { reason, rounds };
        // An older engine names no error here: the last failure before the end counts.
        if (error !== undefined) this.#error = { reason: error.reason, message: error.message };
        break;
      }
      case "InputWithdrawn":
        if (isFirst) this.#ended = { reason: "withdrawn", rounds: 0 }; // later, it is that of somebody else
        break;
      default:
        break; // the others add nothing
    }
  }

  /** Undefined while the turn runs. */
  get result(): TurnResult | undefined {
    if (this.#ended === undefined) return undefined;
    const error = ENDED_WELL.includes(this.#ended.reason) ? undefined : this.#error;
    return {
      text: this.#text,
      ...this.#ended,
      costUsd: this.#unpriced ? null : dollars(this.#usd),
      usage: this.#usage,
      tools: [...this.#tools],
      refused: this.#refused,
      ...(error === undefined ? {} : { error }),
    };
  }

  #addCost({ kind, parentCall, payload }: Envelope): void {
    const calls = this.#calls.get(parentCall) ?? 0;
    if (kind === "CostIncremented") {
      if (payload.usd === null) this.#unpriced = true;
      else this.#usd += payload.usd;
      const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = payload;
      const usage = this.#usage;
      this.#usage = {
        calls: usage.calls + 1,
        inputTokens: usage.inputTokens + inputTokens,
        outputTokens: usage.outputTokens + outputTokens,
        cacheReadTokens: usage.cacheReadTokens + cacheReadTokens,
        cacheWriteTokens: usage.cacheWriteTokens + cacheWriteTokens,
      };
      if (payload.purpose === undefined) this.#calls.set(parentCall, calls + 1);
    }
    if (kind !== "TurnEnded") return;
    const untold = CUTS_OFF.includes(payload.reason) ? Math.max(0, (payload.rounds ?? 0) - calls) : 0;
    if (untold > 0) this.#unpriced = true;
    this.#usage = { ...this.#usage, calls: this.#usage.calls + untold };
    this.#calls.delete(parentCall);
  }
}

/** Rounds to a millionth of a dollar. Smaller amounts keep two digits that count. */
function dollars(usd: number): number {
  if (usd === 0) return 0;
  const digits = Math.min(100, Math.max(6, 1 - Math.floor(Math.log10(usd))));
  return Number(usd.toFixed(digits));
}

/** Returns true if an event begins the turn of an input. A waiting input may also enter a running turn. */
export function begins(event: Envelope, by: string | undefined, inputId: string | undefined): boolean {
  if (event.parentCall !== undefined) return false;
  if (event.kind === "TurnStarted") {
    const { originator, inputId: began } = event.payload;
    return began === inputId && (inputId !== undefined || by === undefined || originator === by);
  }
  if (event.kind !== "CustomEvent" || inputId === undefined) return false;
  const { namespace, kind, payload } = event.payload;
  return namespace === "cinch" && kind === "InputDelivered" && Object(payload)["inputId"] === inputId;
}

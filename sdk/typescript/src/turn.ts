import type { Envelope, EnvelopeOf } from "./protocol.ts";

/** What a turn came to. */
export interface TurnResult {
  /** What the model said last, behind its last tool call. */
  readonly text: string;
  /** How it ended: "complete" and "yield" are well; "withdrawn" where the input was taken back before it began. */
  readonly reason: EnvelopeOf<"TurnEnded">["payload"]["reason"] | "withdrawn";
  /** Calls of the provider. */
  readonly rounds: number;
  /** US dollars; null where the price of a call is unknown. */
  readonly costUsd: number | null;
  /** The tools that were called, each once, in the order of their first call. */
  readonly tools: readonly string[];
  /** Calls that did not run because nobody had allowed them. */
  readonly refused: number;
  /** The last failure that was told; there may be one in a turn that ended well. */
  readonly error?: { readonly reason: string; readonly message: string };
}

/** Errors that tell of a call that was not let through: the turn goes on, and the model knows. */
const REFUSALS: readonly string[] = ["PermissionDenied", "PermissionTimeout"];

/** Adds up the events of one turn. What a sub-agent says and calls is its own; what it costs is the turn's. */
export class TurnSum {
  readonly #tools = new Set<string>();
  #text = "";
  #costUsd: number | null = 0;
  #refused = 0;
  #isNew = true;
  #error: TurnResult["error"];
  #ended: { readonly reason: TurnResult["reason"]; readonly rounds: number } | undefined;

  add(event: Envelope): void {
    const isFirst = this.#isNew;
    this.#isNew = false;
    if (event.kind === "CostIncremented") {
      const { usd } = event.payload;
      this.#costUsd = this.#costUsd === null || usd === null ? null : this.#costUsd + usd;
    }
    if (event.parentCall !== undefined) return;
    switch (event.kind) {
      case "ToolCallStarted":
        this.#tools.add(event.payload.tool);
        break;
      case "ToolResult":
        this.#text = "";
        break;
      case "TextDelta":
        this.#text += event.payload.text;
        break;
      case "Error": {
        const { reason, message, severity } = event.payload;
        if (REFUSALS.includes(reason)) this.#refused += 1;
        else if (reason !== "ProviderSilent" && severity !== "notice") this.#error = { reason, message };
        break;
      }
      case "TurnEnded":
        this.#ended = { reason: event.payload.reason, rounds: event.payload.rounds ?? 0 };
        break;
      case "InputWithdrawn":
        if (isFirst) this.#ended = { reason: "withdrawn", rounds: 0 }; // later, it is that of somebody else
        break;
      default:
        break; // the others add nothing
    }
  }

  /** Undefined while the turn goes on. */
  get result(): TurnResult | undefined {
    if (this.#ended === undefined) return undefined;
    return {
      text: this.#text,
      ...this.#ended,
      costUsd: this.#costUsd,
      tools: [...this.#tools],
      refused: this.#refused,
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
  }
}

/** Whether an event begins the turn of an input: one that waited may also enter a turn that runs. */
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

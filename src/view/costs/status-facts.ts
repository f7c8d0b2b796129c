import { numberAt } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isShellEvent } from "../event-facts.ts";
import { isTurnEnded, isTurnStarted } from "../turn-marks.ts";
import { contextTokensAfter } from "./context-tokens.ts";

/** Cost of the calls of one provider. */
export interface ProviderCost {
  readonly usd: number;
  /** False if the price of one call is unknown. */
  readonly isKnown: boolean;
}

/** Facts of a session that only its status line shows, as a value. */
export interface StatusFacts {
  /** Costs of the newest turn by the name of the provider, in the order of their first calls. */
  readonly turn: ReadonlyMap<string, ProviderCost>;
  /** Tokens of the newest request and its answer; absent: unknown. */
  readonly contextTokens?: number;
  /** Time of the start of the turn that runs, as the log has it; absent while none runs. */
  readonly turnSince?: string;
  /** Wait before the provider is tried again; absent while none runs. */
  readonly retry?: RetryWait;
}

/** A wait before another attempt, in milliseconds. */
export interface RetryWait {
  /** Its end, in milliseconds since the epoch. */
  readonly endMs: number;
  readonly lengthMs: number;
}

export const NO_STATUS_FACTS: StatusFacts = { turn: new Map() };

/** Events of a turn that come only once the provider is asked again. */
const OF_AN_ATTEMPT: ReadonlySet<Envelope["kind"]> = new Set([
  "TextDelta",
  "ThinkingDelta",
  "ToolArgsDelta",
  "ToolCallStarted",
  "CostIncremented",
  "ModelChanged",
  "CompactionTriggered",
  "Error",
] as const);

/** Returns the facts after one more event; the same value if it changes none. */
export function statusFactsAfter(facts: StatusFacts, envelope: Envelope): StatusFacts {
  if (isTurnStarted(envelope)) return { ...facts, turn: new Map(), turnSince: envelope.ts };
  if (isTurnEnded(envelope) || (envelope.kind === "SessionEnded" && envelope.parentCall === undefined)) {
    const { turnSince: _, retry: __, ...rest } = facts;
    return rest;
  }
  return costsAfter(retryAfter(facts, envelope), envelope);
}

/** Returns the facts with the wait that an event begins, or without the one that it ends. */
function retryAfter(facts: StatusFacts, envelope: Envelope): StatusFacts {
  const { kind, parentCall } = envelope;
  // A command of a person runs beside the wait.
  if (parentCall !== undefined || isShellEvent(envelope) || !OF_AN_ATTEMPT.has(kind)) return facts;
  const lengthMs = kind === "Error" ? numberAt(envelope.payload.details, "retryInMs") : undefined;
  if (lengthMs !== undefined && facts.turnSince !== undefined)
    return { ...facts, retry: { endMs: Date.parse(envelope.ts) + lengthMs, lengthMs } };
  if (facts.retry === undefined) return facts;
  const { retry: _, ...rest } = facts;
  return rest;
}

function costsAfter(facts: StatusFacts, envelope: Envelope): StatusFacts {
  const contextTokens = contextTokensAfter(envelope);
  const next = contextTokens === undefined ? facts : { ...facts, contextTokens };
  if (envelope.kind !== "CostIncremented") return next;
  const { provider, usd } = envelope.payload;
  const before = facts.turn.get(provider) ?? { usd: 0, isKnown: true };
  const cost = { usd: before.usd + (usd ?? 0), isKnown: before.isKnown && usd !== null };
  return { ...next, turn: new Map(facts.turn).set(provider, cost) };
}

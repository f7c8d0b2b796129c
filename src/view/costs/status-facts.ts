import type { Envelope } from "../../protocol/events/envelope.ts";
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
}

export const NO_STATUS_FACTS: StatusFacts = { turn: new Map() };

/** Returns the facts after one more event; the same value if it changes none. */
export function statusFactsAfter(facts: StatusFacts, envelope: Envelope): StatusFacts {
  if (isTurnStarted(envelope)) return { ...facts, turn: new Map(), turnSince: envelope.ts };
  if (isTurnEnded(envelope) || (envelope.kind === "SessionEnded" && envelope.parentCall === undefined)) {
    const { turnSince: _, ...rest } = facts;
    return rest;
  }
  const contextTokens = contextTokensAfter(envelope);
  const next = contextTokens === undefined ? facts : { ...facts, contextTokens };
  if (envelope.kind !== "CostIncremented") return next;
  const { provider, usd } = envelope.payload;
  const before = facts.turn.get(provider) ?? { usd: 0, isKnown: true };
  const cost = { usd: before.usd + (usd ?? 0), isKnown: before.isKnown && usd !== null };
  return { ...next, turn: new Map(facts.turn).set(provider, cost) };
}

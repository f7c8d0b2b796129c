import type { ClientId, InputId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { PayloadOf, TurnEndReason } from "../protocol/events/events.ts";
import type { TurnAnswer } from "../protocol/resources.ts";
import type { Cost } from "./costs/cost.ts";
import { priceOf, tokenUsage } from "./costs/cost.ts";
import type { TurnCosts } from "./costs/turn-costs.ts";
import { addTurnCost, costsAfterRounds, NO_TURN_COSTS } from "./costs/turn-costs.ts";
import { isShellEvent, severityOf } from "./event-facts.ts";
import { isTurnStarted } from "./turn-marks.ts";

/**
 * The result of one turn, the same for every client: command line, REST, MCP, ACP, library and the SDKs.
 *
 * `test/data/turns` holds recorded turns with their results. The SDKs' own copies are tested against them.
 */
export interface TurnResult {
  /** Text of the last message of the session's own agent that had any; empty if none had. */
  readonly text: string;
  /** Absent while the turn runs. */
  readonly reason?: TurnEndReason;
  /** Provider calls of the session's own agent. */
  readonly rounds: number;
  /** Cost of all provider calls, those of sub-agents included. */
  readonly cost: Cost;
  /** Tools that were called, each once, in the order of their first call. */
  readonly tools: readonly string[];
  /** Calls that did not run because nobody had allowed them. */
  readonly refused: number;
  /** Error that ended the turn; absent after `complete`, `yield` and `cancelled`. */
  readonly error?: TurnError;
}

export interface TurnError {
  /** For programs. */
  readonly reason: string;
  /** For people, as a sentence. */
  readonly message: string;
  /** Fields of the message. Absent if the failure has none. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A turn so far, between two events. */
export interface TurnState {
  readonly text: string;
  /** True if the next piece of text continues `text`; false if it starts another message. */
  readonly isOpen: boolean;
  readonly costs: TurnCosts;
  readonly tools: readonly string[];
  readonly refused: number;
  /** Last failure that an Error event reported. The turn may have continued after it. */
  readonly failure?: TurnError;
  readonly ended?: {
    readonly reason: TurnEndReason;
    readonly rounds: number;
    /** Failure that the engine gives for the end. An older engine gives none. */
    readonly error?: TurnError;
  };
}

export const NEW_TURN: TurnState = {
  text: "",
  isOpen: false,
  costs: NO_TURN_COSTS,
  tools: [],
  refused: 0,
};

const REFUSALS = new Set(["PermissionDenied", "PermissionTimeout"]);

/** Returns true for an error about a call that was not allowed: the turn continues, and the model knows. */
export function isRefusal({ reason }: Pick<PayloadOf<"Error">, "reason">): boolean {
  return REFUSALS.has(reason);
}

/** Folds one more event into a turn. Events of sub-agents count for their cost only. */
export function foldTurn(state: TurnState, envelope: Envelope): TurnState {
  if (isTurnStarted(envelope)) return { ...NEW_TURN };
  const costs = addTurnCost(state.costs, envelope);
  const next = costs === state.costs ? state : { ...state, costs };
  if (envelope.parentCall !== undefined || isShellEvent(envelope)) return next;
  switch (envelope.kind) {
    case "TextDelta": {
      const { text } = envelope.payload;
      if (text === "") return next;
      return { ...next, text: next.isOpen ? next.text + text : text, isOpen: true };
    }
    case "ToolCallStarted": {
      const { tool } = envelope.payload;
      const tools = next.tools.includes(tool) ? next.tools : [...next.tools, tool];
      return { ...next, tools, isOpen: false };
    }
    case "ToolResult":
      return { ...next, isOpen: false };
    case "CustomEvent": {
      const delivered = deliveredAt(envelope);
      if (delivered === undefined) return next;
      const isFirst = next === NEW_TURN;
      return { ...next, isOpen: false, ...(isFirst ? { costs: costsAfterRounds(delivered) } : {}) };
    }
    case "Error":
      return withError(next, envelope.payload);
    case "TurnEnded": {
      const { reason, rounds = 0, error } = envelope.payload;
      const failed = error === undefined ? {} : { error: errorOf(error) };
      return { ...next, isOpen: false, ended: { reason, rounds, ...failed } };
    }
    default:
      return next;
  }
}

/**
 * Returns the result of a turn, also of one that still runs.
 *
 * Its error is the one that the end names. In the log of an older engine the end names none: there it is the last
 * failure before the end.
 */
export function turnResult({ text, costs, tools, refused, failure, ended }: TurnState): TurnResult {
  const base = { text, rounds: ended?.rounds ?? 0, cost: costs.total, tools, refused };
  if (ended === undefined) return base;
  const { reason, error = failure } = ended;
  return { ...base, reason, ...(error === undefined || endedWell(reason) ? {} : { error }) };
}

/** Returns a result in its wire form (`?wait=turn`, the tools of MCP). */
export function turnAnswer(result: TurnResult | "withdrawn"): TurnAnswer {
  if (result === "withdrawn") return { ...turnAnswer(turnResult(NEW_TURN)), reason: "withdrawn" };
  const { text, reason = "error", rounds: turns, cost, tools, refused, error } = result;
  const spent = { cost_usd: priceOf(cost), usage: tokenUsage(cost) };
  const facts = { text, reason, turns, ...spent, tools_used: [...tools], refused };
  return error === undefined ? facts : { ...facts, error: { reason: error.reason, message: error.message } };
}

/** An input whose turn is waited for. */
export interface SentInput {
  readonly by: ClientId;
  /** Set if the input had to wait for its turn. */
  readonly inputId?: InputId | undefined;
}

/** Returns true if an event starts the turn of an input. An input that waited may also enter a running turn. */
export function startsTurn(event: Envelope, { by, inputId }: SentInput): boolean {
  if (isTurnStarted(event)) {
    const { originator, inputId: began } = event.payload;
    return began === inputId && (inputId !== undefined || originator === by);
  }
  return event.parentCall === undefined && inputId !== undefined && deliveredInput(event) === inputId;
}

/** Returns the input that an event reports as delivered to the running turn. */
export function deliveredInput(event: Envelope): InputId | undefined {
  return delivery(event)?.["inputId"] as InputId | undefined;
}

/** Returns the rounds that a turn had when an input was delivered to it. */
function deliveredAt(event: Envelope): number | undefined {
  const payload = delivery(event);
  if (payload === undefined) return undefined;
  return typeof payload["round"] === "number" ? payload["round"] : 0;
}

function delivery(event: Envelope): Readonly<Record<string, unknown>> | undefined {
  if (event.kind !== "CustomEvent" || event.payload.namespace !== "cinch") return undefined;
  const { kind, payload } = event.payload;
  return kind === "InputDelivered" && isObject(payload) ? payload : undefined;
}

function withError(state: TurnState, error: PayloadOf<"Error">): TurnState {
  if (isRefusal(error)) return { ...state, refused: state.refused + 1 };
  return severityOf(error) === "error" ? { ...state, failure: errorOf(error) } : state;
}

function errorOf({ reason, message, details }: PayloadOf<"Error">): TurnError {
  return { reason, message, ...(details === undefined ? {} : { details }) };
}

function endedWell(reason: TurnEndReason): boolean {
  return reason === "complete" || reason === "yield" || reason === "cancelled";
}

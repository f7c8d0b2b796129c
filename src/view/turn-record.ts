import { unreachable } from "../base/assert.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { PayloadOf, TurnEndReason } from "../protocol/events/events.ts";
import type { Cost } from "./costs/cost.ts";
import { addCost, NO_COST, settledCost } from "./costs/cost.ts";

/**
 * What a turn came to, folded from its events: the answer, the cost, the tools, how it ended. Clients and scripts
 * read it instead of keeping books of their own.
 */
export interface TurnRecord {
  /** The text of the last message that had any. */
  readonly text: string;
  /** Names of the tools that were called, in the order of their first call. */
  readonly tools: readonly string[];
  readonly cost: Cost;
  /** Calls that did not run because nobody had allowed them. */
  readonly refused: number;
  /** The last error that was told; there may be one in a turn that ended well (a retry). */
  readonly error?: { readonly reason: string; readonly message: string };
  readonly ended?: { readonly reason: TurnEndReason; readonly rounds: number };
  /** The text since the last tool call. */
  readonly current: string;
}

export const NEW_TURN: TurnRecord = { text: "", current: "", tools: [], cost: NO_COST, refused: 0 };

const REFUSALS = new Set(["PermissionDenied", "PermissionTimeout"]);

/** Whether an error tells of a call that was not let through: the turn goes on, and the model knows. */
export function isRefusal({ reason }: Pick<PayloadOf<"Error">, "reason">): boolean {
  return REFUSALS.has(reason);
}

/** The record after one more event. Events of sub-agents count for their cost only. */
export function recordTurn(record: TurnRecord, envelope: Envelope): TurnRecord {
  if (envelope.kind === "CostIncremented") return { ...record, cost: addCost(record.cost, envelope.payload) };
  if (envelope.parentCall !== undefined) return record;
  switch (envelope.kind) {
    case "TextDelta": {
      const current = record.current + envelope.payload.text;
      return { ...record, current, text: current };
    }
    case "ToolCallStarted": {
      const { tool } = envelope.payload;
      const tools = record.tools.includes(tool) ? record.tools : [...record.tools, tool];
      return { ...record, tools, current: "" };
    }
    case "ToolResult":
      return { ...record, current: "" };
    case "Error": {
      const { reason, message, severity } = envelope.payload;
      // A wait that is told, and what a person is to know: nothing has failed.
      if (reason === "ProviderSilent" || severity === "notice") return record;
      if (isRefusal({ reason })) return { ...record, refused: record.refused + 1 };
      return { ...record, error: { reason, message } };
    }
    case "TurnEnded": {
      const { reason, rounds = 0 } = envelope.payload;
      return { ...record, cost: settledCost(record.cost, envelope.payload), ended: { reason, rounds } };
    }
    default:
      return record;
  }
}

/** How a turn's end is told to a person; undefined where it ended as it should. */
export function endingText(reason: TurnEndReason): string | undefined {
  switch (reason) {
    case "complete":
    case "yield":
      return undefined;
    case "cancelled":
      return "cancelled";
    case "error":
      return "ended by an error";
    case "length":
      return "the answer was cut off at the model's output limit";
    case "empty":
      return "the model answered with nothing";
    case "turn_limit":
      return "ended at the limit of rounds";
    case "time_limit":
      return "ended at the time limit";
    case "budget":
      return "ended at the cost cap";
    case "no_progress":
      return "ended because the model repeated itself without progress";
    default:
      return unreachable(reason);
  }
}

import type { CallId, EventSeq } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { EventKind, PayloadOf } from "../../protocol/events/events.ts";
import { isShellEvent } from "../event-facts.ts";
import type { Cost } from "./cost.ts";
import { addCost, NO_COST, sumOfCosts } from "./cost.ts";
import type { SpentBefore } from "./session-costs.ts";
import { NO_SESSION_COSTS, sessionCostsAfter, totalCost } from "./session-costs.ts";

type CacheMiss = NonNullable<PayloadOf<"CostIncremented">["cacheMiss"]>;
export type MissCause = CacheMiss["cause"] | "compaction";

/** Keys that costs are grouped by. */
export const COST_KEYS = ["turn", "model", "purpose", "tool", "child"] as const;
export type CostKey = (typeof COST_KEYS)[number];

/** Kinds of the events that a cost book reads. */
export const COST_EVENTS = [
  "TurnStarted",
  "TurnEnded",
  "ToolCallStarted",
  "ToolResult",
  "CustomEvent",
  "CostIncremented",
  "CompactionTriggered",
  "ProfileSwitched",
] as const satisfies readonly EventKind[];

/** Costs of a session, grouped. The parts of each kind add up to the total. */
export interface Costs {
  readonly total: Cost;
  readonly by: Readonly<Record<CostKey, ReadonlyMap<string, Cost>>>;
  /** Misses of the prompt cache, the newest 1,000, in order. */
  readonly misses: readonly CacheMissAt[];
  /** Costs of the sessions that this one continues under another profile; absent: there are none. */
  readonly before?: SpentBefore;
}

/** Names for costs without a tool, model or child. */
export const PROMPT_ROW = "the prompt";
export const SUMMARY_ROW = "summaries";
export const UNKNOWN_MODEL_ROW = "not told";
export const OWN_ROW = "the session itself";
/** Stands between the tools of one row. */
export const TOOLS_JOINED_BY = " + ";
/** Row that adds up the oldest rows. */
export const EARLIER_ROW = "earlier";
/** Rows of one kind; beyond that the oldest are added up in one. */
export const ROWS_MAX = 10_000;

/** A miss of the prompt cache, and the call that paid for it. */
export interface CacheMissAt {
  /** The id of the CostIncremented event. */
  readonly event: EventSeq;
  readonly turn: string;
  readonly model: string;
  readonly cause: MissCause;
  readonly lostTokens: number;
}

/** Misses that are kept; beyond that the oldest are left out. */
export const MISSES_MAX = 1_000;

/** State of one conversation, the session's own or a sub-agent's, for its next cost. */
interface Strand {
  turn: string;
  model: string | undefined;
  /** Tools whose results stand at the end of the next request; none: the prompt does. */
  newest: Set<string>;
  /** True if the next result is the first of a new request. */
  asked: boolean;
  /** True if its history was shortened after the last request. */
  isShortened: boolean;
}

/**
 * Attributes the costs of a session, event by event, in the order of the log: to turns, to models, to the purpose of
 * the call, to the tools whose results it was sent to read, and to sub-agents.
 *
 * A round belongs to the tools whose results its request carried as the newest, all of them together; the first one of
 * a turn to the prompt. An unknown price stays unknown: it is counted in calls and never as money.
 */
export class CostBook {
  #session = NO_SESSION_COSTS;
  readonly #by: Record<CostKey, Map<string, Cost>> = {
    turn: new Map(),
    model: new Map(),
    purpose: new Map(),
    tool: new Map(),
    child: new Map(),
  };
  readonly #strands = new Map<CallId | undefined, Strand>();
  /** Names of running calls. */
  readonly #tools = new Map<CallId, string>();
  readonly #children = new Map<CallId, string>();
  readonly #misses: CacheMissAt[] = [];

  get costs(): Costs {
    const { before } = this.#session;
    return {
      total: totalCost(this.#session),
      by: this.#by,
      misses: this.#misses,
      ...(before === undefined ? {} : { before }),
    };
  }

  add(envelope: Envelope): void {
    const { calls: before } = totalCost(this.#session);
    this.#session = sessionCostsAfter(this.#session, envelope);
    if (isShellEvent(envelope)) return;
    switch (envelope.kind) {
      case "TurnStarted":
        this.#started(envelope);
        return;
      case "ToolCallStarted":
        this.#tools.set(envelope.payload.callId, envelope.payload.tool);
        return;
      case "ToolResult":
        this.#result(envelope);
        return;
      case "CustomEvent":
        this.#spoken(envelope);
        return;
      case "CostIncremented":
        this.#cost(envelope);
        return;
      case "CompactionTriggered":
        this.#strand(envelope.parentCall).isShortened = true;
        return;
      case "TurnEnded":
        this.#untold(envelope, totalCost(this.#session).calls - before);
        return;
      default:
        return;
    }
  }

  #started({ parentCall, payload }: EnvelopeOf<"TurnStarted">): void {
    const turn = parentCall === undefined ? String(payload.turn) : this.#strand(undefined).turn;
    this.#strands.set(parentCall, newStrand(turn));
  }

  #result({ parentCall, payload }: EnvelopeOf<"ToolResult">): void {
    const strand = this.#strand(parentCall);
    if (strand.asked) strand.newest.clear();
    strand.asked = false;
    strand.newest.add(this.#tools.get(payload.callId) ?? "unknown tool");
    this.#tools.delete(payload.callId);
    this.#strands.delete(payload.callId); // a sub-agent has ended with its call
    this.#children.delete(payload.callId);
  }

  /** Input that a person steered into the turn stands behind the results. */
  #spoken({ parentCall, payload }: EnvelopeOf<"CustomEvent">): void {
    if (payload.namespace !== "cinch" || payload.kind !== "InputDelivered" || !isObject(payload.payload))
      return;
    const strand = this.#strand(parentCall);
    if (strand.asked) strand.newest.clear();
    strand.asked = false;
    strand.newest.add(PROMPT_ROW);
  }

  #cost({ id, parentCall, payload }: EnvelopeOf<"CostIncremented">): void {
    const strand = this.#strand(parentCall);
    const isSummary = payload.purpose === "summary";
    strand.model = `${payload.provider}:${payload.model}`;
    const turn = payload.turn === undefined || parentCall !== undefined ? strand.turn : String(payload.turn);
    this.#count(addCost(NO_COST, payload), {
      turn,
      model: strand.model,
      purpose: isSummary ? SUMMARY_ROW : "turns",
      tool: isSummary ? SUMMARY_ROW : toolsOf(strand),
      child: this.#child(parentCall),
    });
    if (isSummary) return;
    strand.asked = true;
    if (payload.cacheMiss !== undefined) this.#missed(payload.cacheMiss, { event: id, turn, strand });
    strand.isShortened = false;
  }

  #missed(
    { cause, lostTokens }: CacheMiss,
    { event, turn, strand }: { readonly event: EventSeq; readonly turn: string; readonly strand: Strand },
  ): void {
    const { model = UNKNOWN_MODEL_ROW, isShortened } = strand;
    const named = cause === "history_changed" && isShortened ? "compaction" : cause;
    this.#misses.push({ event, turn, model, cause: named, lostTokens });
    if (this.#misses.length > MISSES_MAX) this.#misses.shift();
  }

  /** Attributes calls that an ended turn never reported. */
  #untold({ parentCall }: Envelope, untold: number): void {
    if (untold === 0) return;
    const strand = this.#strand(parentCall);
    this.#count(
      { ...NO_COST, calls: untold, unpricedCalls: untold },
      {
        turn: strand.turn,
        model: strand.model ?? UNKNOWN_MODEL_ROW,
        purpose: "turns",
        tool: toolsOf(strand),
        child: this.#child(parentCall),
      },
    );
  }

  #count(cost: Cost, keys: Readonly<Record<CostKey, string>>): void {
    for (const key of COST_KEYS) {
      const part = this.#by[key];
      part.set(keys[key], sumOfCosts(part.get(keys[key]) ?? NO_COST, cost));
      if (part.size > ROWS_MAX) foldOldest(part);
    }
  }

  #strand(parentCall: CallId | undefined): Strand {
    const known = this.#strands.get(parentCall);
    if (known !== undefined) return known;
    const made = newStrand(parentCall === undefined ? "0" : this.#strand(undefined).turn);
    this.#strands.set(parentCall, made);
    return made;
  }

  #child(parentCall: CallId | undefined): string {
    if (parentCall === undefined) return OWN_ROW;
    const known = this.#children.get(parentCall);
    if (known !== undefined) return known;
    const name = `${this.#tools.get(parentCall) ?? "sub-agent"} ${parentCall}`;
    this.#children.set(parentCall, name);
    return name;
  }
}

/** Adds the oldest row to `EARLIER_ROW`. */
function foldOldest(part: Map<string, Cost>): void {
  const [first, second] = part.entries().take(2).toArray();
  const [name, cost] = (first?.[0] === EARLIER_ROW ? second : first) ?? [EARLIER_ROW, NO_COST];
  part.delete(name);
  part.set(EARLIER_ROW, sumOfCosts(part.get(EARLIER_ROW) ?? NO_COST, cost));
}

function newStrand(turn: string): Strand {
  return { turn, model: undefined, newest: new Set(), asked: false, isShortened: false };
}

function toolsOf({ newest }: Strand): string {
  return newest.size === 0 ? PROMPT_ROW : [...newest].sort().join(TOOLS_JOINED_BY);
}

import type { EventSeq } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { shortened } from "../../base/text/text.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import { inputTexts } from "../input-text.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";
import { isTurnEnded, isTurnStarted } from "../turn-marks.ts";

/** Turns that have a summary; older ones are known by their event only. */
const TURNS_MAX = 500;
const WORDS_CHARACTERS_MAX = 60;

/** Summary of a turn. */
export interface TurnSummary {
  readonly turn: number;
  /** The event that started it. */
  readonly event: EventSeq;
  /** First words of its input; nothing in them can drive a terminal. */
  readonly words: string;
  /** The turn that the model had read last before it; 0 for none. */
  readonly before: EventSeq;
  /** The event that ended it; absent while it runs, and if its run broke off. */
  readonly ended?: EventSeq;
}

/** A point in the conversation, and the turn that the model had read last there; 0 for none. */
interface Mark {
  readonly event: EventSeq;
  readonly head: EventSeq;
}

/** Command that undoes a rewind. */
export type Undo = Pick<CommandOf<"RewindSession">, "to" | "what">;

/**
 * The turns of a session and the ones that the model still knows. A rewind takes later turns out of the conversation,
 * and undoing it brings them back.
 */
export interface Turns {
  /** The newest turns in their order, at most `TURNS_MAX`. */
  readonly all: readonly TurnSummary[];
  /** The turn that the model read last. */
  readonly head: EventSeq;
  readonly rewinds: readonly Mark[];
  /** Undoes the last rewind. */
  readonly undo?: Undo;
}

export const NO_TURNS: Turns = { all: [], head: 0, rewinds: [] };

/** Returns the turns after one more event; the same value if the event concerns none. */
export function turnsAfter(turns: Turns, envelope: Envelope): Turns {
  if (envelope.parentCall !== undefined) return turns;
  if (isTurnStarted(envelope)) return started(turns, envelope);
  if (isTurnEnded(envelope)) return ended(turns, envelope);
  if (envelope.kind === "CustomEvent" && envelope.payload.namespace === "cinch")
    return rewound(turns, envelope);
  return turns;
}

/** Returns the turns that the model still knows, by their events. */
export function knownTurns({ all, head }: Turns): ReadonlySet<EventSeq> {
  const known = new Set<EventSeq>();
  let next = head;
  for (const { event, before } of all.toReversed()) {
    if (event !== next) continue;
    known.add(event);
    next = before;
  }
  return known;
}

/**
 * Returns the name of a point between turns for people: "before turn 3", "after turn 3"; undefined for any other event.
 */
export function pointName({ all }: Pick<Turns, "all">, event: EventSeq): string | undefined {
  if (event === 0) return "the beginning";
  const summary = all.find((turn) => turn.event === event || turn.ended === event);
  if (summary === undefined) return undefined;
  return `${summary.event === event ? "before" : "after"} turn ${summary.turn}`;
}

/** Returns the first words of a text on one line; nothing in them can drive a terminal. */
export function shortWords(text: string): string {
  return neutraliseLine(shortened(text.replaceAll(/\s+/gu, " ").trim(), WORDS_CHARACTERS_MAX));
}

function started(turns: Turns, { id, payload }: EnvelopeOf<"TurnStarted">): Turns {
  const { turn, content = [] } = payload;
  const words = shortWords(inputTexts(content, () => "").join(" "));
  const summary = { turn, event: id, words, before: turns.head };
  return { ...turns, all: [...turns.all.slice(1 - TURNS_MAX), summary], head: id };
}

function ended(turns: Turns, { id, payload }: EnvelopeOf<"TurnEnded">): Turns {
  const at = turns.all.findLastIndex(({ turn }) => turn === payload.turn);
  const summary = turns.all[at];
  return summary === undefined ? turns : { ...turns, all: turns.all.with(at, { ...summary, ended: id }) };
}

function rewound(turns: Turns, { id, payload }: EnvelopeOf<"CustomEvent">): Turns {
  if (payload.kind !== "Rewound" || !isObject(payload.payload)) return turns;
  const { to, what, undo } = payload.payload;
  if (typeof to !== "number" || !isPart(what)) return turns;
  const head = what === "files" ? turns.head : headAt(turns, to);
  const rewinds = [...turns.rewinds.slice(1 - TURNS_MAX), { event: id, head }];
  const { all } = turns;
  return { all, head, rewinds, ...(typeof undo === "number" ? { undo: { to: undo, what } } : {}) };
}

function headAt({ all, rewinds }: Turns, to: EventSeq): EventSeq {
  const begun = all.findLast(({ event }) => event === to);
  if (begun !== undefined) return begun.before;
  const turn = all.findLast(({ event }) => event < to);
  const rewind = rewinds.findLast(({ event }) => event <= to);
  if (rewind !== undefined && rewind.event > (turn?.event ?? 0)) return rewind.head;
  return turn?.event ?? 0;
}

const PARTS = ["files", "conversation", "both"] as const;

/** Returns true for a part of the session that can be set back. */
export function isPart(word: unknown): word is Undo["what"] {
  return PARTS.some((part) => part === word);
}

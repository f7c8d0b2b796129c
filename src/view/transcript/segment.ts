import type { CallId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import {
  callCutOff,
  callInProgress,
  callWithQuestion,
  decidedCall,
  endedCall,
  newCall,
} from "./call-item.ts";
import type { CallItem, NoteItem, TranscriptItem } from "./items.ts";
import { noteOf } from "./notes.ts";
import { keptBlocks } from "./prompt-blocks.ts";
import { endedText, newText, textAfter } from "./streamed-text.ts";

/** Items of a sub-agent that are kept, the newest. ListItems has all of them. */
const NESTED_ITEMS_MAX = 200;

/**
 * Returns a list of items after one more event of one agent: a text or a call at its end grows, or an item is added.
 * The same list if the event shows nothing.
 */
export function itemsAfter(items: readonly TranscriptItem[], envelope: Envelope): readonly TranscriptItem[] {
  switch (envelope.kind) {
    case "TextDelta":
      return withText(items, envelope, "text", envelope.payload.text);
    case "ThinkingDelta":
      return withText(items, envelope, "thinking", envelope.payload.block.text);
    case "TurnStarted":
      return started(items, envelope);
    case "TurnEnded":
      return ended(items, envelope);
    case "ToolCallStarted":
      return [...closed(items, envelope.ts), newCall(envelope)];
    case "ToolCallProgress":
      return withCall(items, envelope.payload.callId, (call) => callInProgress(call, envelope));
    case "PermissionRequested":
      return withCall(items, envelope.payload.callId, (call) => callWithQuestion(call, envelope));
    case "PermissionAnswered":
      return withCall(items, envelope.payload.callId, (call) => decidedCall(call, envelope));
    case "ToolResult":
      return withCall(items, envelope.payload.callId, (call) => endedCall(call, envelope));
    case "Error":
      return withCutOffCall(items, envelope) ?? withNote(items, envelope);
    case "Cancelled":
      return withCanceller(items, envelope) ?? withNote(items, envelope);
    default:
      return withNote(items, envelope);
  }
}

/** Returns the note of a question that is answered, or that nobody can answer any more. */
export function closedQuestion({ isOpen: _, ...note }: NoteItem): NoteItem {
  return note;
}

function withNote(items: readonly TranscriptItem[], envelope: Envelope): readonly TranscriptItem[] {
  const note = noteOf(envelope);
  return note === undefined ? items : [...items, note];
}

/**
 * Returns the items with the files that a cancelled command may have changed at its call; undefined for any other
 * error. It is known by its details: a call, and what the call has affected.
 */
function withCutOffCall(
  items: readonly TranscriptItem[],
  { payload }: EnvelopeOf<"Error">,
): readonly TranscriptItem[] | undefined {
  const { callId, affected } = payload.details ?? {};
  if (typeof callId !== "string" || !isId("call", callId) || typeof affected !== "string") return undefined;
  const changed = withCall(items, callId, (call) => callCutOff(call, affected));
  return changed === items ? undefined : changed;
}

/**
 * Returns the items with the client that cancelled the turn at the calls that this stopped; undefined if it stopped
 * none of the turn, or no client did it.
 */
function withCanceller(
  items: readonly TranscriptItem[],
  { payload: { by } }: EnvelopeOf<"Cancelled">,
): readonly TranscriptItem[] | undefined {
  if (!isId("cli", by)) return undefined;
  const from = items.findLastIndex(({ kind }) => ["prompt", "text", "end"].includes(kind));
  const isStopped = (item: TranscriptItem, at: number): item is CallItem =>
    at > from && item.kind === "call" && item.state === "cancelled";
  if (!items.some(isStopped)) return undefined;
  return items.map((item, at) =>
    isStopped(item, at) ? { ...item, cancelled: { ...item.cancelled, by } } : item,
  );
}

/** Returns the items with one call changed, wherever it stands; the same list if it is not among them. */
export function withCall(
  items: readonly TranscriptItem[],
  callId: CallId,
  change: (call: CallItem) => CallItem,
): readonly TranscriptItem[] {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item?.kind !== "call") continue;
    if (item.callId === callId) return items.with(at, change(item));
    if (item.items.length === 0) continue;
    const nested = withCall(item.items, callId, change);
    if (nested !== item.items) return items.with(at, { ...item, items: nested });
  }
  return items;
}

/** Returns a call after one more event of the sub-agent that it runs. */
export function callWithNested(call: CallItem, envelope: Envelope): CallItem {
  const items = itemsAfter(call.items, envelope);
  if (items === call.items) return call;
  const leftOut = items.length - NESTED_ITEMS_MAX;
  if (leftOut <= 0) return { ...call, items };
  return { ...call, items: items.slice(leftOut), itemsLeftOut: (call.itemsLeftOut ?? 0) + leftOut };
}

/** Returns the items once nothing of them can grow: texts are closed, and calls without an end are lost. */
export function settled(items: readonly TranscriptItem[], ts: string): readonly TranscriptItem[] {
  return closed(items, ts).map((item) => {
    if (item.kind === "note") return item.isOpen === true ? closedQuestion(item) : item;
    if (item.kind !== "call" || item.shell !== undefined) return item;
    const isOpen = item.state === "running" || item.state === "asked";
    if (!isOpen && item.items.length === 0) return item;
    return { ...item, state: isOpen ? "lost" : item.state, items: settled(item.items, ts) };
  });
}

/** Returns true if a call among the items has not ended. */
export function hasOpenCall(items: readonly TranscriptItem[]): boolean {
  return items.some((item) => item.kind === "call" && (item.state === "running" || item.state === "asked"));
}

function withText(
  items: readonly TranscriptItem[],
  { id: event, ts }: Envelope,
  kind: "text" | "thinking",
  piece: string,
): readonly TranscriptItem[] {
  const last = items.at(-1);
  if (last?.kind === kind && last.streamed.reader !== undefined)
    return items.with(-1, { ...last, streamed: textAfter(last.streamed, piece) });
  if (piece === "") return items;
  return [...closed(items, ts), { kind, event, ts, streamed: newText(piece) }];
}

/** Returns the items with the text at their end closed. */
export function closed(items: readonly TranscriptItem[], ts: string): readonly TranscriptItem[] {
  const last = items.at(-1);
  if (last?.kind !== "text" && last?.kind !== "thinking") return items;
  if (last.streamed.reader === undefined) return items;
  const streamed = endedText(last.streamed);
  return items.with(-1, last.kind === "text" ? { ...last, streamed } : { ...last, streamed, endedAt: ts });
}

function started(
  items: readonly TranscriptItem[],
  { id: event, ts, payload, parentCall }: Envelope & { readonly kind: "TurnStarted" },
): readonly TranscriptItem[] {
  const { turn, originator, content } = payload;
  // The prompt of a sub-agent is an argument of its call.
  if (content === undefined || parentCall !== undefined) return items;
  return [...items, { kind: "prompt", event, ts, turn, originator, content: keptBlocks(content) }];
}

function ended(
  items: readonly TranscriptItem[],
  { id: event, ts, payload, parentCall }: Envelope & { readonly kind: "TurnEnded" },
): readonly TranscriptItem[] {
  const rest = settled(items, ts);
  if (parentCall !== undefined) return rest;
  const { turn, reason, usd, files = [] } = payload;
  const startedAt = items.find((item) => item.kind === "prompt" && item.turn === turn)?.ts;
  const cost = usd === undefined ? {} : { usd };
  const begun = startedAt === undefined ? {} : { startedAt };
  const said = reason === "cancelled" && saysCancel(rest) ? { isSaid: true as const } : {};
  return [...rest, { kind: "end", event, ts, turn, reason, files, ...cost, ...begun, ...said }];
}

/** Returns true if an item of the newest turn says that it was cancelled. */
function saysCancel(items: readonly TranscriptItem[]): boolean {
  const from = items.findLastIndex(({ kind }) => kind === "prompt" || kind === "end");
  return items.slice(from + 1).some((item) => {
    if (item.kind === "note") return item.isCancel === true;
    return item.kind === "call" && item.cancelled?.by !== undefined;
  });
}

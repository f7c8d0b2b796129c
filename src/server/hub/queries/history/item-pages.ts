import { HarnessError } from "../../../../base/errors.ts";
import type { CallId, EventSeq } from "../../../../base/ids.ts";
import { byteLength } from "../../../../base/text/text.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { ITEMS_LISTED } from "../../../../protocol/queries/history-queries.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import type { HistoryReader, ReadBack } from "./history-reader.ts";
import { ItemFold } from "./item-fold.ts";

/** Bytes of the JSON of the events of one item. */
const ITEM_BYTES_MAX = 4_194_304;

type Items = ResultOf<"ListItems">;
type ItemsQuery = Omit<QueryOf<"ListItems">, "kind" | "sessionId">;

/** Part of a log whose items are listed. */
interface Range {
  /** Items begin after this event. */
  readonly floor: EventSeq;
  /** Items begin at this event or before. */
  readonly ceiling: EventSeq;
  readonly turn: number | undefined;
  readonly parentCall: CallId | undefined;
  readonly limit: number;
}

/** Returns a page of the items of a log, in order; the newest ones by default. */
export async function listItems(reader: HistoryReader, query: ItemsQuery): Promise<Items> {
  const { turn, before = Number.MAX_SAFE_INTEGER, after, limit = ITEMS_LISTED, parentCall } = query;
  const start = turn === undefined ? 1 : await reader.turnStart(turn);
  const end = turn === undefined ? reader.log.lastEvent + 1 : await reader.turnStart(turn + 1);
  if (start === undefined || end === undefined) return { items: [], more: true };
  const ceiling = Math.min(end, before) - 1;
  const range = { floor: start - 1, ceiling, turn, parentCall, limit };
  if (after === undefined) return await itemsBefore(reader, range);
  return await itemsAfter(reader, range, Math.max(after, range.floor));
}

async function itemsBefore(reader: HistoryReader, range: Range): Promise<Items> {
  const { floor, ceiling, limit } = range;
  const read = await reader.back(ceiling, floor, (each) => {
    const fold = foldOf(each, range);
    const items = itemsIn(fold, range);
    if (items.length <= limit && !fold.hasStart) return false;
    return (items.at(-limit)?.event ?? items[0]?.event ?? Number.MAX_SAFE_INTEGER) >= fold.turnKnownFrom;
  });
  const fold = foldOf(read, range);
  const items = itemsIn(fold, range);
  const first = items.at(-limit)?.event ?? 0;
  const ofPage = new Set(items.filter(({ event }) => event >= first));
  fold.keep((item) => ofPage.has(item));
  fold.stop();
  const more = items.length > limit || !(read.isBeginning || fold.hasStart);
  const next = items.at(-limit)?.event ?? items[0]?.event ?? read.from + 1;
  return { items: await completed(reader, fold, ceiling), more, ...(more ? { next } : {}) };
}

async function itemsAfter(reader: HistoryReader, range: Range, after: EventSeq): Promise<Items> {
  const { ceiling, limit } = range;
  const fold = foldOf(await context(reader, range, after), range);
  fold.keep(() => false);
  reader.renew();
  let last = after;
  let hasMore = false;
  for await (const piece of reader.after(after)) {
    if (piece.event.id > ceiling || fold.isOver) break;
    const count = fold.items.length;
    fold.add(piece);
    last = piece.event.id;
    if (fold.items.length === count) continue;
    fold.keep(
      ({ event, turn }) => range.turn === undefined || event < fold.turnKnownFrom || turn === range.turn,
    );
    hasMore = fold.items.length > limit;
    if (hasMore) break;
  }
  const end = fold.items[limit - 1]?.event;
  fold.keep(({ event }) => end === undefined || event <= end);
  fold.stop();
  const isCut = reader.isSpent && last < ceiling && !fold.isOver;
  const items = await completed(reader, fold, last);
  if (!hasMore && !isCut) return { items, more: false };
  return { items, more: true, next: hasMore && end !== undefined ? end : last };
}

/** Returns one item with its events. @throws HarnessError UnknownResource if no item begins with this event. */
export async function getItem(reader: HistoryReader, event: EventSeq): Promise<ResultOf<"GetItem">> {
  const first = await reader.at(event);
  if (first === undefined) throw unknownItem(event);
  const range = { floor: 0, parentCall: first.event.parentCall };
  const fold = foldOf(await context(reader, range, event - 1), range);
  fold.keep(() => false);
  fold.add(first);
  if (fold.items[0]?.event !== event) throw unknownItem(event);
  fold.stop();
  reader.renew();
  const events: Envelope[] = [];
  let bytes = 0;
  let isCut = false;
  const take = (whole: Envelope) => {
    bytes += byteLength(JSON.stringify(whole));
    isCut ||= events.length > 0 && bytes > ITEM_BYTES_MAX;
    if (!isCut) events.push(whole);
  };
  let last = event - 1;
  for await (const whole of reader.wholeAfter(last)) {
    if (whole.id > event) {
      if (!fold.isOpen) break;
      fold.add(reader.pieceOf(whole));
    }
    last = whole.id;
    if (fold.items[0]?.last_event === whole.id) take(whole);
  }
  isCut ||= fold.isOpen && last < reader.log.lastEvent;
  const [item] = fold.summaries(endState(reader, last));
  if (item === undefined) throw unknownItem(event);
  return { item, events, ...(isCut ? { cut: true } : {}) };
}

function unknownItem(event: EventSeq): HarnessError<"UnknownResource"> {
  return new HarnessError("UnknownResource", { what: "item that begins with event", name: `${event}` });
}

/** Reads enough before a position to know the turn there, and if a block of text is open. */
async function context(
  reader: HistoryReader,
  range: Pick<Range, "floor" | "parentCall">,
  at: EventSeq,
): Promise<ReadBack> {
  return await reader.back(at, range.floor, (each) => foldOf(each, range).isSettled);
}

function foldOf(
  { pieces, isBeginning }: ReadBack,
  { floor, parentCall }: Pick<Range, "floor" | "parentCall">,
): ItemFold {
  const fold = new ItemFold({ parentCall, isBeginning, turn: isBeginning && floor === 0 ? null : undefined });
  for (const piece of pieces) fold.add(piece);
  return fold;
}

function itemsIn(fold: ItemFold, { turn }: Pick<Range, "turn">): Items["items"] {
  return fold.items.filter(
    (item) => turn === undefined || item.turn === turn || item.event < fold.turnKnownFrom,
  );
}

/** Reads on from an event until no item of a page can get more events, and returns the items. */
async function completed(reader: HistoryReader, fold: ItemFold, since: EventSeq): Promise<Items["items"]> {
  reader.renew();
  let last = since;
  if (fold.isOpen) {
    for await (const piece of reader.after(since)) {
      fold.add(piece);
      last = piece.event.id;
      if (!fold.isOpen) break;
    }
  }
  return fold.summaries(endState(reader, last));
}

/** Returns the state of what is open after the last event that was read; undefined if the log has more. */
function endState(reader: HistoryReader, last: EventSeq): "running" | "cancelled" | undefined {
  if (last < reader.log.lastEvent) return undefined;
  return reader.isHeld ? "running" : "cancelled";
}

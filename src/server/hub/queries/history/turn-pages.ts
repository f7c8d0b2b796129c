import { TURNS_LISTED } from "../../../../protocol/queries/history-queries.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import { isTurnStarted } from "../../../../view/turn-marks.ts";
import type { HistoryReader, ReadBack } from "./history-reader.ts";
import { lastNamedTurn } from "./history-reader.ts";
import type { TurnRow } from "./turn-fold.ts";
import { TurnFold } from "./turn-fold.ts";

type TurnsPage = Pick<QueryOf<"ListTurns">, "before" | "after" | "limit">;
type Turns = ResultOf<"ListTurns">;

/** Nothing was found within the limit of an answer. */
const NOT_FOUND: Turns = { turns: [], more: true };

/** Returns a page of the turns of a log, in order; the newest ones by default. */
export async function listTurns(reader: HistoryReader, page: TurnsPage): Promise<Turns> {
  const { before, after, limit = TURNS_LISTED } = page;
  if (after !== undefined) return await turnsAfter(reader, after, { before, limit });
  const { lastEvent } = reader.log;
  const end = before === undefined ? lastEvent + 1 : await reader.turnStart(before);
  if (end === undefined) return NOT_FOUND;
  const read = await reader.back(end - 1, 0, (each) => startsIn(each) > limit);
  const turns = turnsOf(read, end > lastEvent && reader.isHeld);
  if (turns.length === 0 && !read.isBeginning) return await longTurn(reader, read);
  return { turns: turns.slice(-limit), more: turns.length > limit || !read.isBeginning };
}

function startsIn({ pieces }: ReadBack): number {
  return pieces.filter(({ event }) => isTurnStarted(event)).length;
}

/** Folds the turns of a stretch that ends with a turn. */
function turnsOf({ pieces }: Pick<ReadBack, "pieces">, isLastRunning: boolean): readonly TurnRow[] {
  const fold = new TurnFold();
  for (const piece of pieces) fold.add(piece);
  const { done, open } = fold;
  if (open === undefined) return done;
  return [...done, isLastRunning ? { ...open, running: true } : open];
}

/** Returns a turn that begins before everything that was read: its start, and what was read of it. */
async function longTurn(reader: HistoryReader, { pieces }: ReadBack): Promise<Turns> {
  const number = lastNamedTurn(pieces.map(({ event }) => event));
  const start = number === undefined ? undefined : await reader.turnStart(number);
  const first = start === undefined ? undefined : await reader.at(start);
  if (first === undefined) return NOT_FOUND;
  const isRunning = pieces.at(-1)?.event.id === reader.log.lastEvent && reader.isHeld;
  const turns = turnsOf({ pieces: [first, ...pieces] }, isRunning);
  return { turns: turns.map((turn) => ({ ...turn, cut: true })), more: (number ?? 1) > 1 };
}

async function turnsAfter(
  reader: HistoryReader,
  after: number,
  { before = Number.MAX_SAFE_INTEGER, limit }: Pick<TurnsPage, "before"> & { readonly limit: number },
): Promise<Turns> {
  const start = await reader.turnStart(after + 1);
  if (start === undefined) return NOT_FOUND;
  const fold = new TurnFold();
  let last = start - 1;
  for await (const piece of reader.after(start - 1)) {
    const { event } = piece;
    if (isTurnStarted(event)) {
      fold.close();
      if (event.payload.turn >= before) return { turns: fold.done, more: false };
      if (fold.done.length === limit) return { turns: fold.done, more: true };
    }
    fold.add(piece);
    last = event.id;
  }
  const { done, open } = fold;
  if (last >= reader.log.lastEvent) {
    if (open === undefined) return { turns: done, more: false };
    return { turns: [...done, reader.isHeld ? { ...open, running: true } : open], more: false };
  }
  const turns = done.length > 0 || open === undefined ? done : [{ ...open, cut: true as const }];
  return { turns, more: (turns.at(-1)?.turn ?? after) < Math.min(reader.log.turns, before - 1) };
}

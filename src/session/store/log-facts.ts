import { assert } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import type { EventSeq } from "../../base/ids.ts";
import { isVisible } from "../../base/text/hidden.ts";
import { head } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { inputTitle } from "../../view/input-text.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { isTurnEnded, isTurnStarted } from "../../view/turn-marks.ts";
import type { Batch, EventRange, NewLog } from "./store.ts";

export const TITLE_CHARACTERS_MAX = 80;
/** Part of a first prompt that is read for the title, whose control sequences are left out. */
const TITLE_UNITS_READ = 4 * TITLE_CHARACTERS_MAX;

/** Text that replaces a damaged text of a log: the log is found and listed all the same, and a check reports more. */
export const UNREADABLE = "«unreadable»";

/** Facts of a batch about its log as a whole; every store keeps them beside the log. */
export interface LogFacts {
  /** The last turn started; absent if there is none. */
  readonly turn?: number;
  /** The first words of the first prompt in the batch. */
  readonly title?: string;
  /** Time at which the last turn of the batch started or ended: a log is as new as its last turn. */
  readonly updatedAt: string;
  /** True if that turn is running when the batch ends. */
  readonly isTurnOpen: boolean;
}

/** Returns undefined if no turn starts or ends in the batch, which is so for nearly every batch. */
export function logFactsOf(events: readonly Envelope[]): LogFacts | undefined {
  let facts: LogFacts | undefined;
  for (const event of events) {
    if (isTurnStarted(event)) {
      const title = facts?.title ?? titleOf(event.payload.content ?? []);
      const { turn } = event.payload;
      facts = { turn, updatedAt: event.ts, isTurnOpen: true, ...defined({ title }) };
    } else if (isTurnEnded(event)) {
      facts = { ...facts, updatedAt: event.ts, isTurnOpen: false };
    }
  }
  return facts;
}

/** Returns the last model and effort of the batch; undefined if no event changes them. */
export function modelChangeIn(events: readonly Envelope[]): Pick<NewLog, "model" | "effort"> | undefined {
  let last: Pick<NewLog, "model" | "effort"> | undefined;
  for (const { kind, payload, parentCall } of events) {
    if (kind !== "ModelChanged" || parentCall !== undefined) continue;
    const { model, effort } = payload;
    last = { ...last, model, ...defined({ effort }) };
  }
  return last;
}

/** Returns the events that a StreamGap in a log stands for: they were reserved, and lost in a crash. */
export function crashRange({ id, kind, payload }: Envelope): EventRange | undefined {
  return kind === "StreamGap" && payload.reason === "crash" && payload.to === id ? payload : undefined;
}

/**
 * Checks a batch against the contract of its writer: ids without a gap but that of a crash, and messages among existing
 * events. Returns the last event after it.
 * @param reserved the last id that was reserved when the log was opened: none up to it is used again.
 */
export function checkBatch(
  batch: Batch,
  { lastEvent, reserved }: { readonly lastEvent: EventSeq; readonly reserved: EventSeq },
): EventSeq {
  let last = lastEvent;
  for (const event of batch.events ?? []) {
    const from = crashRange(event)?.from ?? event.id;
    assert(from === last + 1, `event ${event.id} follows event ${last} without a gap`);
    assert(
      last >= reserved || event.id === reserved,
      `the ids up to ${reserved} were reserved by another run`,
    );
    last = event.id;
  }
  assert(batch.reserve === undefined || batch.reserve >= last, `event ${last} is not above the reserved ids`);
  assert(Number.isSafeInteger(last), "event ids stay below 2^53");
  for (const { after } of batch.messages ?? []) {
    assert(
      after <= last,
      `a message stands after an event that is in the log, and ${after} is above ${last}`,
    );
  }
  return last;
}

type InputContent = NonNullable<Extract<Envelope, { kind: "TurnStarted" }>["payload"]["content"]>;

/** A blank stands for each control sequence: what it kept apart, such as the parts of a secret, stays apart. */
function titleOf(content: InputContent): string | undefined {
  const text = inputTitle(content);
  if (text === undefined) return undefined;
  const spaced = head(text, TITLE_UNITS_READ).replaceAll(/[\u001b\u0080-\u009f]/g, " $&");
  const title = head(neutraliseLine(spaced).replaceAll(/ +/g, " ").trim(), TITLE_CHARACTERS_MAX);
  return isVisible(title) ? title : undefined;
}

/** Returns the day of a time, `2026-03-01`. */
export function dayOf(time: string): string {
  return time.slice(0, "2026-03-01".length);
}

/** Returns true once a branch holds everything up to its branch point. */
export function isWhole({ branchOf }: Pick<NewLog, "branchOf">, lastEvent: EventSeq): boolean {
  return branchOf === undefined || lastEvent >= branchOf.at;
}

import type { EventSeq } from "../../../base/ids.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, ScreenPart } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { OpenSession } from "../options.ts";
import type { Size } from "../screen/screen.ts";
import type { DrawContext } from "../transcript/draw-context.ts";
import { drawContext } from "../transcript/draw-context.ts";
import { drawPart } from "../transcript/draw-item.ts";
import { ALL_UNFOLDED } from "../transcript/folds.ts";
import type { TranscriptPartIndex } from "../transcript/place.ts";
import { itemAt, lastPart, partBefore } from "../transcript/place.ts";
import type { TakenPart } from "./finished-parts.ts";
import { FinishedParts } from "./finished-parts.ts";
import { TranscriptOverlay } from "./transcript-overlay.ts";

/** Rows of a stored session that are written when it is opened. */
const HISTORY_ROWS_MAX = 400;
/** Actions that need more of the transcript than its end. */
const WHOLE: ReadonlySet<ActionName> = new Set([
  "transcript.pageUp",
  "transcript.top",
  "transcript.previousPrompt",
  "transcript.browse",
  "transcript.search",
] satisfies readonly ActionName[]);

/**
 * The transcript of a client that appends to the scrollback: finished parts are handed out once, and the rest of it is
 * drawn above the draft. Keys that scroll or search open the whole transcript.
 */
export class InlineTranscript implements ScreenPart {
  readonly contexts: readonly KeyContext[] = [];
  readonly #services: Services;
  readonly #whole: ScreenPart;
  readonly #banner: (columns: number) => readonly DrawnRow[];
  #parts = new FinishedParts();
  /** The transcript as it was drawn last; undefined until its stored part is read. */
  #seen: Transcript | undefined;
  /** The session before, until what was unfinished of it is written. */
  #left: { readonly parts: FinishedParts; readonly transcript: Transcript } | undefined;
  /** True once the stored part of the session is read. */
  #isRead = false;
  #isUnfolded = false;
  /** Number of sessions that were shown before this one. */
  #before = -1;
  #hasBanner = false;

  /** @param whole the transcript in a window. @param banner the rows that are written first. */
  constructor(services: Services, whole: ScreenPart, banner: (columns: number) => readonly DrawnRow[]) {
    this.#services = services;
    this.#whole = whole;
    this.#banner = banner;
  }

  /** Begins with another session. Of the one before, what was drawn unfinished stays. */
  begin(): void {
    this.#before += 1;
    if (this.#seen !== undefined) this.#left = { parts: this.#parts, transcript: this.#seen };
    this.#seen = undefined;
    this.#parts = new FinishedParts();
    this.#isRead = false;
  }

  /** Returns the rows that are finished since the last call. @param isLast true: the unfinished ones too. */
  finished({ columns }: Size, isLast: boolean): readonly DrawnRow[] {
    const { transcript, open } = this.#services.session;
    const banner = this.#hasBanner ? [] : this.#banner(columns);
    this.#hasBanner = true;
    const context = this.#context(columns);
    const left = this.#takeLeft(context);
    if (open === undefined || transcript.reached < open.past) return [...banner, ...left];
    const head = this.#isRead ? [] : [...this.#name(open), ...this.#skipHistory(transcript, context)];
    this.#isRead = true;
    this.#seen = transcript;
    const taken = this.#parts.take(transcript, isLast);
    return [...banner, ...left, ...head, ...rowsOf(taken, context)];
  }

  #takeLeft(context: DrawContext): readonly DrawnRow[] {
    const left = this.#left;
    this.#left = undefined;
    return left === undefined ? [] : rowsOf(left.parts.take(left.transcript, true), context);
  }

  /** Returns the end of the transcript that is not finished, at most as many rows as there are. */
  draw({ columns, rows: height }: Size): DrawnPart {
    const { transcript, open } = this.#services.session;
    if (open === undefined) return { rows: [] };
    if (transcript.reached < open.past)
      return { rows: [row([span("reading the session …", { role: "dim" })])].slice(0, height) };
    const context = this.#context(columns);
    let rows: DrawnRow[] = [];
    this.#parts.eachOpen(transcript, ({ item, part }) => {
      rows = [...drawPart(item, part, context), ...rows];
      return rows.length < height;
    });
    return { rows: rows.slice(Math.max(0, rows.length - height)) };
  }

  act(action: ActionName): boolean {
    if (action === "transcript.unfoldAll") {
      this.#isUnfolded = !this.#isUnfolded;
      this.#services.say(
        this.#isUnfolded
          ? "Blocks from now on are written unfolded."
          : "Blocks from now on are written folded.",
      );
      return true;
    }
    if (!WHOLE.has(action)) return false;
    this.openWhole();
    this.#whole.act(action);
    return true;
  }

  /** Opens the whole transcript on the whole screen. */
  openWhole(): void {
    this.#services.open(new TranscriptOverlay(this.#services, this.#whole));
  }

  /** Returns the row that tells a session from the one above it. */
  #name({ session }: OpenSession): readonly DrawnRow[] {
    return this.#before < 1 ? [] : [EMPTY_ROW, row([span(`session ${session}`, { role: "heading" })])];
  }

  /** Passes over the beginning of a long stored session. Returns a row about it. */
  #skipHistory(transcript: Transcript, context: DrawContext): readonly DrawnRow[] {
    let count = 0;
    let first: TranscriptPartIndex | undefined;
    for (let at = lastPart(transcript); at !== undefined; at = partBefore(transcript, at)) {
      const item = itemAt(transcript, at);
      count += item === undefined ? HISTORY_ROWS_MAX : drawPart(item, at.part, context).length;
      if (count > HISTORY_ROWS_MAX) break;
      first = at;
    }
    if (count <= HISTORY_ROWS_MAX || first === undefined) return [];
    this.#parts.skipTo(transcript, first);
    const key = this.#services.keys.label("transcript.pageUp", "the palette");
    return [row([span(`… earlier messages: ${key} shows them`, { role: "dim" })])];
  }

  #context(columns: number): DrawContext {
    return drawContext(this.#services, { columns, unfolded: this.#isUnfolded ? ALL_UNFOLDED : FOLDED });
  }
}

function rowsOf(parts: readonly TakenPart[], context: DrawContext): readonly DrawnRow[] {
  return parts.flatMap(({ item, part }) => drawPart(item, part, context));
}

const FOLDED: ReadonlySet<EventSeq> = new Set();

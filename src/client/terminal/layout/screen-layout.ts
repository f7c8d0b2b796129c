import type { Clock } from "../../../base/world.ts";
import type { Theme } from "../drawing/paint.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import type { ActionName } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { ScreenFrame, ScreenInput, Size } from "../screen/screen.ts";
import { FinishedRows } from "./finished-rows.ts";
import { InputRouter } from "./input-router.ts";
import { OverlayStack } from "./overlay-stack.ts";
import type { DrawnPart, Overlay, ScreenPart } from "./part.ts";
import type { LaidOutRows } from "./picture.ts";
import { Picture, SIDE_BORDER_COLUMNS } from "./picture.ts";
import type { ScreenParts } from "./screen-parts.ts";
import { Sentence } from "./sentence.ts";

export interface ScreenLayoutOptions {
  readonly parts: ScreenParts;
  readonly keys: () => KeyTable;
  readonly clock: Pick<Clock, "timer">;
  readonly redraw: () => void;
  /** True: the transcript takes only the rows that it has, as the scrollback is above it. Default: false. */
  readonly isInline?: boolean;
  readonly theme: () => Theme;
  /** Returns true if the cursor is visible without a field too, at what is chosen. Default: it is not. */
  readonly alwaysShowsCursor?: () => boolean;
  /** Carries out an action that no part has taken. */
  readonly act: (action: ActionName) => void;
}

/** Rows that the transcript keeps of those that features would show. */
const TRANSCRIPT_ROWS_MIN = 3;
/** Rows of a screen below which a question or a panel takes all rows but the draft and the status line. */
const LOW_ROWS = 12;

/** Lays out the parts of the screen. */
export class ScreenLayout {
  readonly #options: ScreenLayoutOptions;
  readonly #overlays: OverlayStack;
  readonly #sentence: Sentence;
  readonly #picture: Picture;
  readonly #finished = new FinishedRows();
  readonly #router: InputRouter;
  /** The parts of the last frame, with the sizes that they were drawn in. */
  #drawn: { readonly part: ScreenPart; readonly size: Size }[] = [];
  /** True if the last frame had the question of a feature. */
  #isOffered = false;

  constructor(options: ScreenLayoutOptions) {
    const { parts, clock, redraw, theme, keys, act, alwaysShowsCursor = () => false } = options;
    this.#options = options;
    // A question that an overlay hid comes back to sight: its quiet time begins again.
    this.#overlays = new OverlayStack(() => parts.dock.noteKey());
    this.#sentence = new Sentence(clock, redraw);
    this.#picture = new Picture({ theme, alwaysShowsCursor });
    this.#router = new InputRouter({
      ...{ parts, keys, act },
      ...{ overlays: this.#overlays, sentence: this.#sentence, picture: this.#picture },
      shownOffer: () => (this.#isOffered ? parts.offer?.() : undefined),
    });
  }

  /** Opens a part above the others; it has the focus. */
  open(overlay: Overlay): void {
    this.#overlays.open(overlay);
  }

  close(overlay: Overlay): void {
    this.#overlays.close(overlay);
  }

  /** Closes the parts that are about the session that was shown before. */
  closeOfSession(): void {
    this.#overlays.closeOfSession();
  }

  /** Shows a sentence in place of the status line, in a few rows if it needs them; undefined ends that. */
  say(sentence: DrawnRow | undefined): void {
    this.#sentence.say(sentence);
  }

  input(input: ScreenInput): void {
    this.#router.input(input);
  }

  /** Carries out an action: the part with the focus first, then the others, then the client. */
  run(action: ActionName): void {
    this.#router.run(action);
  }

  draw(size: Size): ScreenFrame {
    const overlay = this.#overlays.top;
    this.#drawn = [];
    this.#isOffered = false;
    const frame = overlay?.place === "full" ? this.#drawFull(overlay, size) : this.#drawParts(overlay, size);
    for (const { part, size: room } of this.#drawn) part.drawn?.(room);
    if (!this.#isOffered) this.#options.parts.offer?.()?.hidden();
    this.#options.parts.drawn?.();
    return frame;
  }

  /** Returns the painted rows that leave the transcript for the scrollback, since the last call. */
  finished(size: Size, isLast: boolean): readonly string[] {
    const { parts, theme } = this.#options;
    return this.#finished.paint(parts.finished?.(size, isLast) ?? [], theme(), size.columns);
  }

  #draw(part: ScreenPart, size: Size): DrawnPart {
    this.#drawn.push({ part, size });
    return part.draw(size);
  }

  /** Returns the rows of a feature's question; none if they do not fit. */
  #drawOffer(size: Size): readonly DrawnRow[] {
    const offer = this.#options.parts.offer?.();
    if (offer === undefined) return [];
    const { rows } = offer.draw(size);
    this.#isOffered = rows.length > 0;
    if (this.#isOffered) this.#drawn.push({ part: offer, size });
    return rows;
  }

  #drawFull(overlay: Overlay, size: Size): ScreenFrame {
    const { columns, rows: height } = size;
    const status = this.#status(columns, Math.max(1, height - 2));
    const rest = Math.max(1, height - 1 - status.length);
    const drawn = this.#draw(overlay, { columns, rows: rest });
    const title = row([span(overlay.title, { role: "heading" })]);
    const laidOut = {
      rows: [title, ...filled(drawn.rows, rest), ...status],
      regions: [{ part: overlay, top: 1, rows: rest }],
      focus: { ...drawn, top: 1 },
    };
    return { ...this.#picture.paint(laidOut, size), isWhole: true };
  }

  #drawParts(overlay: Overlay | undefined, size: Size): ScreenFrame {
    const { columns: width, rows: height } = size;
    const { parts, isInline = false } = this.#options;
    const side = isInline ? undefined : parts.side();
    const sideColumns = side?.columns(size) ?? 0;
    const columns = width - sideColumns;
    const input = this.#draw(parts.input, { columns, rows: Math.max(1, Math.floor(height / 3)) });
    const bottom = overlay ?? parts.dock;
    const roomBelow = height < LOW_ROWS ? height - input.rows.length - 2 : Math.floor(height / 2);
    const dock = this.#draw(bottom, { columns, rows: Math.max(1, roomBelow) });
    // On a low screen the draft, the question and the status line come first.
    const left = height - dock.rows.length - input.rows.length - 1;
    const status = this.#status(width, Math.max(1, left));
    const spare = Math.max(0, left - status.length);
    const isFree = overlay === undefined && dock.rows.length === 0;
    const offered = isFree ? this.#drawOffer({ columns, rows: spare }) : [];
    const header = parts.header(columns).slice(0, spare - offered.length);
    const addedMax = Math.max(0, spare - header.length - offered.length - TRANSCRIPT_ROWS_MIN);
    // The last ones belong to the draft.
    const added = addedMax === 0 ? [] : parts.above(columns).slice(-addedMax);
    const room = spare - header.length - added.length - offered.length;
    const transcript = room === 0 ? { rows: [] } : this.#draw(parts.transcript, { columns, rows: room });
    // It says what the transcript hides.
    const line = parts.rule(columns);
    const rows = isInline ? transcript.rows : filled(transcript.rows, room);
    const above = [...header, ...rows, ...added, ...offered];
    const inputTop = above.length + dock.rows.length + 1;
    const regions = [
      { part: parts.transcript, top: header.length, rows: rows.length },
      { part: bottom, top: above.length, rows: dock.rows.length },
      { part: parts.input, top: inputTop, rows: input.rows.length },
    ];
    const isAbove = overlay !== undefined || dock.cursor !== undefined;
    const focus = isAbove ? { ...dock, top: above.length } : { ...input, top: inputTop };
    const shown = [...above, ...dock.rows, line, ...input.rows];
    const laidOut = { rows: [...shown, ...status], regions, focus };
    if (side !== undefined && sideColumns === 0)
      this.#drawn.push({ part: side, size: { columns: 0, rows: shown.length } });
    return this.#picture.paint(
      side === undefined || sideColumns === 0
        ? laidOut
        : this.#withSide(laidOut, side, { columns, width, height: shown.length }),
      size,
    );
  }

  /** Adds the part at the right edge beside the first rows. */
  #withSide(
    { rows, regions, focus }: LaidOutRows,
    side: ScreenPart,
    { columns, width, height }: { readonly columns: number; readonly width: number; readonly height: number },
  ): LaidOutRows {
    const left = columns + SIDE_BORDER_COLUMNS;
    const drawn = this.#draw(side, { columns: width - left, rows: height });
    return {
      ...{ rows, focus },
      side: { rows: drawn.rows, columns, height },
      regions: [{ part: side, top: 0, rows: height, left }, ...regions],
    };
  }

  /** Returns the last rows: the status line, or the sentence in its place. */
  #status(columns: number, rowsMax: number): readonly DrawnRow[] {
    return this.#sentence.rows(columns, rowsMax) ?? [this.#options.parts.status(columns)];
  }
}

function filled(rows: readonly DrawnRow[], height: number): readonly DrawnRow[] {
  return [...rows, ...Array.from({ length: Math.max(0, height - rows.length) }, () => EMPTY_ROW)];
}

import type { Clock } from "../../../base/world.ts";
import type { Theme } from "../drawing/paint.ts";
import { paint, paintWide } from "../drawing/paint.ts";
import { shownColumn, textColumn } from "../drawing/right-to-left.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { KeyInput, MouseInput, ScreenFrame, ScreenInput, Size } from "../screen/screen.ts";
import type { DrawnPart, OfferPart, Overlay, ScreenPart, SidePart } from "./part.ts";

/** The parts of the screen, from the top to the bottom. */
export interface ScreenParts {
  readonly header: (columns: number) => readonly DrawnRow[];
  readonly transcript: ScreenPart;
  /** Rows of the features between the transcript and the draft. */
  readonly above: (columns: number) => readonly DrawnRow[];
  /** The line above the draft. */
  readonly rule: (columns: number) => DrawnRow;
  readonly dock: ScreenPart & {
    readonly takesKeys: boolean;
    noteKey(): void;
  };
  /** The question of a feature above the line, while no other is asked. Default: there is none. */
  readonly offer?: () => OfferPart | undefined;
  readonly input: ScreenPart;
  /** The part at the right edge of all but the last row; undefined if there is none. */
  readonly side: () => SidePart | undefined;
  readonly status: (columns: number) => DrawnRow;
  /** Rows that leave the transcript for the scrollback, since the last call. Default: none. */
  readonly finished?: (size: Size, isLast: boolean) => readonly DrawnRow[];
  /** Called after each frame: what belongs to no part may begin its timers. */
  readonly drawn?: () => void;
}

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

/** Rows of the last frame that belong to a part, for the mouse. */
interface Region {
  readonly part: ScreenPart;
  readonly top: number;
  readonly rows: number;
  /** Its first column; absent: it begins at the left edge, and ends where the part beside it begins. */
  readonly left?: number;
}

/** Rows of a sentence in place of the status line. */
const SENTENCE_ROWS_MAX = 4;
/** Shortest time for which it stays: keys that follow at once do not take it away. */
const SENTENCE_MS_MIN = 2_000;
/** Rows that the transcript keeps of those that features would show. */
const TRANSCRIPT_ROWS_MIN = 3;
/** Rows of a screen below which a question or a panel takes all rows but the draft and the status line. */
const LOW_ROWS = 12;
/** Columns of the line between the parts and the one beside them. */
const SIDE_BORDER = "│ ";
/** Marks of a prompt in the scrollback, and of what comes after it (OSC 133). */
const PROMPT_BEGIN = "\u001b]133;A\u001b\\";
const PROMPT_END = "\u001b]133;C\u001b\\";

/** Lays out the parts of the screen, and gives keys and the mouse to the one that has the focus. */
export class ScreenLayout {
  readonly #options: ScreenLayoutOptions;
  readonly #overlays: Overlay[] = [];
  #regions: readonly Region[] = [];
  /** Rows of the last frame, without those of the part at the right edge. */
  #rows: readonly DrawnRow[] = [];
  /** The parts of the last frame, with the sizes that they were drawn in. */
  #drawn: { readonly part: ScreenPart; readonly size: Size }[] = [];
  /** True if the last frame had the question of a feature. */
  #isOffered = false;
  /** The part that a mouse button was pressed on: it gets the rest of the drag, also beyond its rows. */
  #pressed: ScreenPart | undefined;
  /** Sentence in place of the status line. */
  #sentence: DrawnRow | undefined;
  /** True if the last finished row belongs to a prompt. */
  #isInPrompt = false;
  /** Runs for `SENTENCE_MS_MIN` from the sentence on. */
  #reading: Disposable | undefined;
  /** True once a key was pressed behind the sentence. */
  #isSentenceOld = false;
  /** The action that has opened a part. */
  readonly #openedBy = new WeakMap<Overlay, ActionName>();

  constructor(options: ScreenLayoutOptions) {
    this.#options = options;
  }

  /** Opens a part above the others; it has the focus. */
  open(overlay: Overlay): void {
    this.#overlays.push(overlay);
  }

  close(overlay: Overlay): void {
    const at = this.#overlays.indexOf(overlay);
    if (at < 0) return;
    this.#overlays.splice(at, 1);
    // A question that it hid comes back to sight: its quiet time begins again.
    if (overlay.isQuestion !== true) this.#options.parts.dock.noteKey();
    overlay.closed?.();
  }

  /** Closes the parts that are about the session that was shown before. */
  closeOfSession(): void {
    for (const overlay of this.#overlays.filter(({ isOfSession }) => isOfSession === true))
      this.close(overlay);
  }

  /** Shows a sentence in place of the status line, in a few rows if it needs them; undefined ends that. */
  say(sentence: DrawnRow | undefined): void {
    this.#reading?.[Symbol.dispose]();
    this.#reading = undefined;
    this.#sentence = sentence;
    this.#isSentenceOld = false;
    if (sentence === undefined) return;
    const { clock, redraw } = this.#options;
    this.#reading = clock.timer(SENTENCE_MS_MIN, () => {
      this.#reading = undefined;
      if (!this.#isSentenceOld) return;
      this.#sentence = undefined;
      redraw();
    });
  }

  draw(size: Size): ScreenFrame {
    const overlay = this.#overlays.at(-1);
    this.#drawn = [];
    this.#isOffered = false;
    const frame = overlay?.place === "full" ? this.#drawFull(overlay, size) : this.#drawParts(overlay, size);
    for (const { part, size: room } of this.#drawn) part.drawn?.(room);
    if (!this.#isOffered) this.#options.parts.offer?.()?.hidden();
    this.#options.parts.drawn?.();
    return frame;
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

  #drawFull(overlay: Overlay, { columns, rows: height }: Size): ScreenFrame {
    const status = this.#status(columns, Math.max(1, height - 2));
    const rest = Math.max(1, height - 1 - status.length);
    const drawn = this.#draw(overlay, { columns, rows: rest });
    this.#regions = [{ part: overlay, top: 1, rows: rest }];
    const title = row([span(overlay.title, { role: "heading" })]);
    const rows = [title, ...filled(drawn.rows, rest), ...status];
    return { ...this.#frame(rows, { ...drawn, top: 1 }, { columns, rows: height }), isWhole: true };
  }

  #drawParts(overlay: Overlay | undefined, size: Size): ScreenFrame {
    const { columns: width, rows: height } = size;
    const { parts, isInline = false } = this.#options;
    const theme = this.#options.theme();
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
    this.#regions = [
      { part: parts.transcript, top: header.length, rows: rows.length },
      { part: bottom, top: above.length, rows: dock.rows.length },
      { part: parts.input, top: inputTop, rows: input.rows.length },
    ];
    const isAbove = overlay !== undefined || dock.cursor !== undefined;
    const focus = isAbove ? { ...dock, top: above.length } : { ...input, top: inputTop };
    const shown = [...above, ...dock.rows, line, ...input.rows];
    if (side !== undefined && sideColumns === 0)
      this.#drawn.push({ part: side, size: { columns: 0, rows: shown.length } });
    if (side === undefined || sideColumns === 0) return this.#frame([...shown, ...status], focus, size);
    const place = { top: 0, rows: shown.length, left: columns + SIDE_BORDER.length };
    const beside = this.#draw(side, { columns: width - place.left, rows: shown.length }).rows;
    this.#regions = [{ part: side, ...place }, ...this.#regions];
    const joined = shown.map((each, at) => besides(each, beside[at], { columns, width, theme }));
    this.#rows = [...shown, ...status];
    const painted = [...joined, ...status.map((each) => paint(each, theme, width))];
    return this.#inSight(painted, focus, height);
  }

  /**
   * Returns the painted rows that leave the transcript for the scrollback, since the last call. Prompts and the rows
   * behind them are marked (OSC 133), so that keys of the terminal go from prompt to prompt.
   */
  finished(size: Size, isLast: boolean): readonly string[] {
    const { parts, theme } = this.#options;
    return (parts.finished?.(size, isLast) ?? []).map((each) => {
      const isPrompt = each.fill === "prompt";
      const mark = isPrompt === this.#isInPrompt ? "" : isPrompt ? PROMPT_BEGIN : PROMPT_END;
      this.#isInPrompt = isPrompt;
      return `${mark}${paint(each, theme(), size.columns)}`;
    });
  }

  /** Returns the last rows: the status line, or the sentence in its place. */
  #status(columns: number, rowsMax: number): readonly DrawnRow[] {
    if (this.#sentence === undefined) return [this.#options.parts.status(columns)];
    const rows = wrapSpans(this.#sentence.spans, { columns });
    return rows.slice(0, Math.min(SENTENCE_ROWS_MAX, rowsMax));
  }

  input(input: ScreenInput): void {
    if (input.kind === "key") this.#key(input);
    else if (input.kind === "paste") this.#paste(input.text);
    else if (input.kind === "mouse") this.#mouse(input);
  }

  /** Carries out an action: the part with the focus first, then the others, then the client. */
  run(action: ActionName): void {
    const { parts } = this.#options;
    const overlay = this.#overlays.at(-1);
    const order =
      overlay === undefined ? [parts.dock, parts.input, parts.transcript] : [overlay, parts.transcript];
    if (!order.some((part) => part.act(action))) this.#actOutside(action);
  }

  /** Lets the client carry out an action. The one that has opened a part takes its place back, or closes it. */
  #actOutside(action: ActionName): void {
    const at = this.#overlays.findLastIndex((each) => this.#openedBy.get(each) === action);
    if (at >= 0) {
      const isTop = at === this.#overlays.length - 1;
      for (const overlay of this.#overlays.slice(isTop ? at : at + 1).toReversed()) this.close(overlay);
      return;
    }
    const before = this.#overlays.at(-1);
    this.#options.act(action);
    const opened = this.#overlays.at(-1);
    if (opened !== undefined && opened !== before) this.#openedBy.set(opened, action);
  }

  #key(input: KeyInput): void {
    const { key, text } = input;
    const { parts, keys } = this.#options;
    const overlay = this.#overlays.at(-1);
    if (this.#reading === undefined) this.#sentence = undefined;
    this.#isSentenceOld = true;
    if (overlay === undefined && this.#isAnswer(input)) return;
    if (overlay?.isQuestion !== true) parts.dock.noteKey();
    parts.offer?.()?.noteKey();
    if (overlay?.key?.(input) === true) return;
    const focus: readonly ScreenPart[] = [overlay ?? parts.input];
    const contexts = focus.flatMap((part): readonly KeyContext[] => part.contexts);
    const action = keys().find(key, contexts);
    if (action !== undefined) {
      // Ctrl-C does what Escape does to an open part: the turn and the draft behind it stay.
      if (action === "app.interrupt" && overlay !== undefined && overlay.isQuestion !== true) {
        if (!overlay.act("turn.cancel")) this.close(overlay);
        return;
      }
      const order = overlay === undefined ? [...focus, parts.transcript] : [overlay, parts.transcript];
      if (!order.some((part) => part.act(action))) this.#actOutside(action);
      return;
    }
    if (text === undefined) return;
    if (overlay?.type?.(text) === true) return;
    if (overlay === undefined) parts.input.type?.(text);
  }

  /** Gives a key to the question. Returns false for one that it leaves to the draft. */
  #isAnswer({ key, text }: KeyInput): boolean {
    const { parts, keys } = this.#options;
    const { dock } = parts;
    if (!dock.takesKeys) return this.#answersOffer(key);
    const action = keys().find(key, dock.contexts);
    if (action !== undefined) return dock.act(action);
    return text !== undefined && dock.type?.(text) === true;
  }

  /** Gives a key to the question of a feature. Returns false for one that it leaves to the draft. */
  #answersOffer(key: string): boolean {
    const { parts, keys } = this.#options;
    const offer = this.#isOffered ? parts.offer?.() : undefined;
    if (offer?.takesKeys !== true) return false;
    const action = keys().find(key, offer.contexts);
    return action !== undefined && offer.act(action);
  }

  #paste(text: string): void {
    const { parts } = this.#options;
    const overlay = this.#overlays.at(-1);
    // A choice takes no pasted text: the draft gets it. A field that has the focus does.
    if (overlay === undefined && parts.dock.paste?.(text) === true) return;
    parts.dock.noteKey();
    parts.offer?.()?.noteKey();
    if (overlay?.paste?.(text) === true) return;
    parts.input.paste?.(text);
  }

  #mouse(input: MouseInput): void {
    const { parts } = this.#options;
    const isHeld = input.type === "drag" || input.type === "release";
    const region = this.#regions.find(({ part, top, rows, left = 0 }) =>
      isHeld && this.#pressed !== undefined
        ? part === this.#pressed
        : input.row >= top && input.row < top + rows && input.column >= left,
    );
    if (input.type === "press") this.#pressed = region?.part;
    if (input.type === "release") this.#pressed = undefined;
    const place = { row: input.row - (region?.top ?? 0), column: this.#textColumn(input, region) };
    if (region?.part.mouse?.({ ...input, ...place }) === true) return;
    if (input.type === "wheel" && this.#overlays.length === 0) parts.transcript.mouse?.(input);
  }

  #frame(rows: readonly DrawnRow[], focus: FocusedPart, { columns, rows: height }: Size): ScreenFrame {
    const theme = this.#options.theme();
    this.#rows = rows;
    return this.#inSight(
      rows.map((each) => paint(each, theme, columns)),
      focus,
      height,
    );
  }

  /** Returns the picture; on a screen with too few rows those from the row with the focus on. */
  #inSight(rows: readonly string[], focus: FocusedPart, height: number): ScreenFrame {
    const { cursor } = this.#cursor(focus);
    const hidden = Math.min(Math.max(0, rows.length - height), cursor?.row ?? focus.top);

    this.#rows = this.#rows.slice(hidden);
    this.#regions = this.#regions.map((each) => ({ ...each, top: each.top - hidden }));
    const shown = { rows: rows.slice(hidden, hidden + height) };
    return cursor === undefined ? shown : { ...shown, cursor: { ...cursor, row: cursor.row - hidden } };
  }

  /** Returns the cell of the cursor: that of the part with the focus, else that of what is chosen in it. */
  #cursor({ cursor, rows, top }: FocusedPart): Pick<ScreenFrame, "cursor"> {
    const isChosen = ({ fill, spans }: DrawnRow) =>
      fill === "selected" || spans.some(({ style }) => style.fill === "selected");
    const { alwaysShowsCursor = () => false } = this.#options;
    if (cursor === undefined && !alwaysShowsCursor()) return {};
    const { row: at, column } = cursor ?? { row: Math.max(0, rows.findIndex(isChosen)), column: 0 };
    const place = top + Math.min(at, Math.max(0, rows.length - 1));
    const drawn = this.#rows[place];
    return {
      cursor: { row: place, column: this.#isReordered && drawn ? shownColumn(drawn, column) : column },
    };
  }

  /** Returns the column in a part at which an event of the mouse is. */
  #textColumn({ row: at, column }: MouseInput, region: Region | undefined): number {
    const drawn = this.#rows[at];
    if (region?.left !== undefined) return column - region.left;
    return this.#isReordered && drawn !== undefined ? textColumn(drawn, column) : column;
  }

  /** True if right-to-left words are written in the order in which they are seen. */
  get #isReordered(): boolean {
    return this.#options.theme().rightToLeft === "reorder";
  }
}

/** The part with the focus, and its first row on the screen. */
type FocusedPart = DrawnPart & { readonly top: number };

/** Returns a row with one of the part at the right edge behind it. */
function besides(
  drawn: DrawnRow,
  side: DrawnRow | undefined,
  { columns, width, theme }: { readonly columns: number; readonly width: number; readonly theme: Theme },
): string {
  const border = paint(row([span(SIDE_BORDER, { role: "border" })]), theme, SIDE_BORDER.length);
  const rest = side === undefined ? "" : paint(side, theme, width - columns - SIDE_BORDER.length);
  return `${paintWide(drawn, theme, columns)}${border}${rest}`;
}

function filled(rows: readonly DrawnRow[], height: number): readonly DrawnRow[] {
  return [...rows, ...Array.from({ length: Math.max(0, height - rows.length) }, () => EMPTY_ROW)];
}

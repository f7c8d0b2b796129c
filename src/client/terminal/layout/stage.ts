import type { Theme } from "../drawing/paint.ts";
import { paint } from "../drawing/paint.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { Frame, KeyInput, MouseInput, ScreenInput, Size } from "../screen/screen.ts";
import type { DrawnPart, Overlay, Part } from "./part.ts";

/** Rows that a sentence in place of the status line takes. */
const SENTENCE_ROWS_MAX = 3;

/** The parts of the screen, from the top to the bottom. */
export interface StageParts {
  readonly header: (columns: number) => readonly DrawnRow[];
  readonly transcript: Part;
  /** Rows of the features between the transcript and the draft. */
  readonly above: (columns: number) => readonly DrawnRow[];
  /** The line above the draft. */
  readonly rule: (columns: number) => DrawnRow;
  readonly dock: Part & {
    readonly takesKeys: boolean;
    noteKey(): void;
  };
  readonly input: Part;
  readonly status: (columns: number) => DrawnRow;
  /** Rows that leave the transcript for the scrollback, since the last call. Default: none. */
  readonly finished?: (size: Size, isLast: boolean) => readonly DrawnRow[];
}

export interface StageOptions {
  readonly parts: StageParts;
  readonly keys: () => KeyTable;
  /** True: the transcript takes only the rows that it has, as the scrollback is above it. Default: false. */
  readonly isInline?: boolean;
  readonly theme: () => Theme;
  /** Carries out an action that no part has taken. */
  readonly act: (action: ActionName) => void;
}

/** Rows of the last frame that belong to a part, for the mouse. */
interface Region {
  readonly part: Part;
  readonly top: number;
  readonly rows: number;
}

/** Lays out the parts of the screen, and gives keys and the mouse to the one that has the focus. */
export class Stage {
  readonly #options: StageOptions;
  readonly #overlays: Overlay[] = [];
  #regions: readonly Region[] = [];
  /** The part that a mouse button was pressed on: it gets the rest of the drag, also beyond its rows. */
  #pressed: Part | undefined;
  /** Sentence in place of the status line. */
  #sentence: DrawnRow | undefined;

  constructor(options: StageOptions) {
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

  /** Shows a row in place of the status line; undefined ends that. */
  say(sentence: DrawnRow | undefined): void {
    this.#sentence = sentence;
  }

  draw(size: Size): Frame {
    const { parts, theme, isInline = false } = this.#options;
    const { columns, rows: height } = size;
    const overlay = this.#overlays.at(-1);
    const status = this.#statusRows(columns);
    if (overlay?.place === "full") {
      const rest = Math.max(1, height - 1 - status.length);
      const drawn = overlay.draw({ columns, rows: rest });
      this.#regions = [{ part: overlay, top: 1, rows: rest }];
      const title = row([span(overlay.title, { role: "heading" })]);
      const rows = [title, ...filled(drawn.rows, rest), ...status];
      return { ...this.#frame(rows, { ...drawn, top: 1 }, columns, theme()), isWhole: true };
    }
    const input = parts.input.draw({ columns, rows: Math.max(1, Math.floor(height / 3)) });
    const header = parts.header(columns);
    const dockMax = Math.max(1, Math.floor(height / 2));
    const bottom = overlay ?? parts.dock;
    const dock = bottom.draw({ columns, rows: dockMax });
    const line = parts.rule(columns);
    const added = parts.above(columns);
    const fixed = header.length + added.length + dock.rows.length + 1 + input.rows.length + status.length;
    const room = Math.max(0, height - fixed);
    const transcript = room === 0 ? { rows: [] } : parts.transcript.draw({ columns, rows: room });
    const rows = isInline ? transcript.rows : filled(transcript.rows, room);
    const above = [...header, ...rows, ...added];
    const inputTop = above.length + dock.rows.length + 1;
    this.#regions = [
      { part: parts.transcript, top: header.length, rows: rows.length },
      { part: bottom, top: above.length, rows: dock.rows.length },
      { part: parts.input, top: inputTop, rows: input.rows.length },
    ];
    const isAbove = overlay !== undefined || dock.cursor !== undefined;
    const focus = isAbove ? { ...dock, top: above.length } : { ...input, top: inputTop };
    return this.#frame([...above, ...dock.rows, line, ...input.rows, ...status], focus, columns, theme());
  }

  /** Returns the status line, or the sentence in its place, which may take more rows: its end counts too. */
  #statusRows(columns: number): readonly DrawnRow[] {
    if (this.#sentence === undefined) return [this.#options.parts.status(columns)];
    return wrapSpans(this.#sentence.spans, { columns }).slice(0, SENTENCE_ROWS_MAX);
  }

  /** Returns the painted rows that leave the transcript for the scrollback, since the last call. */
  finished(size: Size, isLast: boolean): readonly string[] {
    const { parts, theme } = this.#options;
    return (parts.finished?.(size, isLast) ?? []).map((each) => paint(each, theme(), size.columns));
  }

  input(input: ScreenInput): void {
    if (input.kind === "key") this.#key(input);
    else if (input.kind === "paste") this.#paste(input.text);
    else if (input.kind === "mouse") this.#mouse(input);
  }

  /** Carries out an action: the part with the focus first, then the others, then the client. */
  run(action: ActionName): void {
    const { parts, act } = this.#options;
    const overlay = this.#overlays.at(-1);
    const order =
      overlay === undefined ? [parts.dock, parts.input, parts.transcript] : [overlay, parts.transcript];
    if (!order.some((part) => part.act(action))) act(action);
  }

  #key(input: KeyInput): void {
    const { key, text } = input;
    const { parts, keys, act } = this.#options;
    const overlay = this.#overlays.at(-1);
    this.#sentence = undefined;
    if (overlay === undefined && this.#isAnswer(input)) return;
    if (overlay?.isQuestion !== true) parts.dock.noteKey();
    if (overlay?.key?.(input) === true) return;
    const focus: readonly Part[] = [overlay ?? parts.input];
    const contexts = focus.flatMap((part): readonly KeyContext[] => part.contexts);
    const action = keys().find(key, contexts);
    if (action !== undefined) {
      const order = overlay === undefined ? [...focus, parts.transcript] : [overlay, parts.transcript];
      if (order.some((part) => part.act(action))) return;
      act(action);
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
    if (!dock.takesKeys) return false;
    const action = keys().find(key, dock.contexts);
    if (action !== undefined) return dock.act(action);
    return text !== undefined && dock.type?.(text) === true;
  }

  #paste(text: string): void {
    const { parts } = this.#options;
    const overlay = this.#overlays.at(-1);
    // A choice takes no pasted text: the draft gets it. A field that has the focus does.
    if (overlay === undefined && parts.dock.paste?.(text) === true) return;
    parts.dock.noteKey();
    if (overlay?.paste?.(text) === true) return;
    parts.input.paste?.(text);
  }

  #mouse(input: MouseInput): void {
    const isHeld = input.type === "drag" || input.type === "release";
    const region = this.#regions.find(({ part, top, rows }) =>
      isHeld && this.#pressed !== undefined
        ? part === this.#pressed
        : input.row >= top && input.row < top + rows,
    );
    if (input.type === "press") this.#pressed = region?.part;
    if (input.type === "release") this.#pressed = undefined;
    const { parts } = this.#options;
    if (region?.part.mouse?.({ ...input, row: input.row - region.top }) === true) return;
    if (input.type === "wheel" && this.#overlays.length === 0) parts.transcript.mouse?.(input);
  }

  #frame(
    rows: readonly DrawnRow[],
    { cursor, top }: DrawnPart & { readonly top: number },
    columns: number,
    theme: Theme,
  ): Frame {
    const painted = rows.map((each) => paint(each, theme, columns));
    if (cursor === undefined) return { rows: painted };
    return { rows: painted, cursor: { row: top + cursor.row, column: cursor.column } };
  }
}

function filled(rows: readonly DrawnRow[], height: number): readonly DrawnRow[] {
  return [...rows, ...Array.from({ length: Math.max(0, height - rows.length) }, () => EMPTY_ROW)];
}

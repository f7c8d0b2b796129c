import type { MouseInput } from "../../screen/screen.ts";
import type { TranscriptWindow } from "../browse/window.ts";
import { scrollBy } from "../browse/window.ts";
import type { PlacedRow } from "../pane.ts";
import type { SelectionUnit } from "./extent.ts";
import type { MouseSelection } from "./selection.ts";

/** Time in which a second press on the same cell counts as a double click. */
const AGAIN_MS = 400;
/** Time between two rows while the mouse is held at the edge of the window. */
const EDGE_MS = 50;
const UNITS: readonly SelectionUnit[] = ["character", "word", "line"];

export interface PointerOptions {
  readonly window: TranscriptWindow;
  readonly selection: MouseSelection;
  /** Returns the column of the text at a column of the screen. */
  readonly textColumn: (column: number) => number;
  /** Called for a click on a row. */
  readonly clicked: (at: PlacedRow) => void;
  /** Called once a selection is made. */
  readonly selected: () => void;
}

/** The mouse in the transcript: clicks, and selections by drag, double and triple click. */
export class Pointer implements Disposable {
  readonly #options: PointerOptions;
  #pressed: { readonly row: number; readonly column: number } | undefined;
  #last = { row: -1, column: -1, atMs: Number.NEGATIVE_INFINITY, count: 0 };
  #hasMoved = false;
  #edge: Disposable | undefined;

  constructor(options: PointerOptions) {
    this.#options = options;
  }

  /** Takes an event of the left button. Returns false for any other: shift leaves the mouse to the terminal. */
  take(input: MouseInput): boolean {
    if (input.shift) return false;
    if (input.type === "press" && input.button === "left") this.#press(input);
    else if (input.type === "drag" && this.#pressed !== undefined) this.#drag(input);
    else if (input.type === "release" && this.#pressed !== undefined) this.#release(input);
    else return false;
    return true;
  }

  [Symbol.dispose](): void {
    this.#edge?.[Symbol.dispose]();
    this.#edge = undefined;
  }

  #press({ row, column }: MouseInput): void {
    const { window, selection, textColumn } = this.#options;
    const { services, shown } = window;
    this[Symbol.dispose]();
    const nowMs = services.clock.monotonic();
    const last = this.#last;
    const isAgain = last.row === row && last.column === column && nowMs - last.atMs <= AGAIN_MS;
    const count = isAgain ? last.count + 1 : 1;
    this.#last = { row, column, atMs: nowMs, count };
    this.#pressed = { row, column };
    this.#hasMoved = false;
    selection.clear();
    const at = shown[row];
    if (at === undefined || services.settings.values.mouse !== "full") return;
    selection.begin(at, textColumn(column), UNITS[(count - 1) % UNITS.length] ?? "character");
  }

  #drag({ row, column }: MouseInput): void {
    const { window } = this.#options;
    if (row === this.#pressed?.row && column === this.#pressed.column && !this.#hasMoved) return;
    this.#hasMoved = true;
    this[Symbol.dispose]();
    const edge = row < 0 ? -1 : row >= window.size.rows ? 1 : 0;
    if (edge !== 0) this.#scroll(edge, column);
    else this.#extend(row, column);
  }

  /** Scrolls and extends the selection until the mouse comes back or is released. */
  #scroll(by: -1 | 1, column: number): void {
    const { window } = this.#options;
    scrollBy(window, by);
    window.services.redraw();
    this.#extend(by < 0 ? 0 : window.size.rows - 1, column);
    this.#edge = window.services.clock.timer(EDGE_MS, () => this.#scroll(by, column));
  }

  #extend(row: number, column: number): void {
    const { window, selection, textColumn } = this.#options;
    const { pane, transcript, size, context, services } = window;
    if (services.settings.values.mouse !== "full") return;
    const { rows } = pane.view(transcript, size.rows, context());
    const at = rows[Math.min(row, rows.length - 1)];
    if (at !== undefined) selection.extend(at, textColumn(column));
  }

  #release({ row, column }: MouseInput): void {
    const { window, selection, clicked, selected } = this.#options;
    const pressed = this.#pressed;
    this[Symbol.dispose]();
    this.#pressed = undefined;
    if (selection.isThere) selected();
    else if (pressed?.row === row && Math.abs(pressed.column - column) <= 1) {
      const at = window.shown[row];
      if (at !== undefined) clicked(at);
    }
  }
}

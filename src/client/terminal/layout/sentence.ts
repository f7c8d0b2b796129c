import type { Clock } from "../../../base/world.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";

const ROWS_MAX = 4;
/** Shortest time for which it stays: keys that follow at once do not take it away. */
const SHOWN_MS_MIN = 2_000;

/** A sentence in place of the status line. It stays until the next key, and for two seconds at least. */
export class Sentence {
  readonly #clock: Pick<Clock, "timer">;
  readonly #redraw: () => void;
  #text: DrawnRow | undefined;
  /** Runs for `SHOWN_MS_MIN` from the sentence on. */
  #shown: Disposable | undefined;
  /** True once a key was pressed behind the sentence. */
  #isOld = false;

  constructor(clock: Pick<Clock, "timer">, redraw: () => void) {
    this.#clock = clock;
    this.#redraw = redraw;
  }

  /** Shows a sentence in place of the one before; undefined ends that. */
  say(text: DrawnRow | undefined): void {
    this.#shown?.[Symbol.dispose]();
    this.#shown = undefined;
    this.#text = text;
    this.#isOld = false;
    if (text === undefined) return;
    this.#shown = this.#clock.timer(SHOWN_MS_MIN, () => {
      this.#shown = undefined;
      if (!this.#isOld) return;
      this.#text = undefined;
      this.#redraw();
    });
  }

  /** Takes a key: the sentence goes, now or once it has been shown for long enough. */
  noteKey(): void {
    if (this.#shown === undefined) this.#text = undefined;
    this.#isOld = true;
  }

  /** Returns its rows, four at most; undefined if there is none. */
  rows(columns: number, rowsMax: number): readonly DrawnRow[] | undefined {
    if (this.#text === undefined) return undefined;
    return wrapSpans(this.#text.spans, { columns }).slice(0, Math.min(ROWS_MAX, rowsMax));
  }
}

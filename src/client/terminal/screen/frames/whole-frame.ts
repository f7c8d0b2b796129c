import type { ScreenFrame, Size } from "../screen.ts";
import {
  CURSOR_OFF,
  CURSOR_ON,
  cursorTo,
  ERASE_REST,
  SYNC_OFF,
  SYNC_ON,
  WRAP_OFF,
  WRAP_ON,
} from "../sequences.ts";
import { addressed, paintedWidth } from "./painted-text.ts";

const ESCAPE = "\u001b[";
const ENTER = `${ESCAPE}?1049h${ESCAPE}2J`;
const LEAVE = `${ESCAPE}?1049l`;
const BEGIN = `${SYNC_ON}${CURSOR_OFF}${WRAP_OFF}`;
const END = `${WRAP_ON}${SYNC_OFF}`;

/** Frames on the alternate screen. Only changed rows are written. Disposing it shows the main screen again. */
export class WholeFrame implements Disposable {
  readonly #write: (text: string) => void;
  #rows: readonly string[] = [];
  #size: Size | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
    write(ENTER);
  }

  /** Forgets the picture: the terminal may have cut it while its size has changed. */
  reset(): void {
    this.#size = undefined;
  }

  draw({ rows, cursor }: ScreenFrame, size: Size): void {
    const { columns } = size;
    const isResized = this.#size?.columns !== columns || this.#size.rows !== size.rows;
    const before = isResized ? [] : this.#rows;
    const shown = Array.from({ length: size.rows }, (_, at) => rows[at] ?? "");
    let text = isResized ? `${ESCAPE}2J` : "";
    for (const [at, row] of shown.entries()) {
      if (row === (before[at] ?? "")) continue;
      text += `${cursorTo(at, 0)}${addressed(row)}${paintedWidth(row) < columns ? ERASE_REST : ""}`;
    }
    const place = cursor === undefined ? "" : `${cursorTo(cursor.row, cursor.column)}${CURSOR_ON}`;
    this.#rows = shown;
    this.#size = size;
    this.#write(`${BEGIN}${text}${place}${END}`);
  }

  [Symbol.dispose](): void {
    this.#write(LEAVE);
  }
}

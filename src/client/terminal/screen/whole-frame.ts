import { addressed, paintedWidth } from "./painted-text.ts";
import type { ScreenFrame, Size } from "./screen.ts";

const ESCAPE = "\u001b[";
const ENTER = `${ESCAPE}?1049h${ESCAPE}2J`;
const LEAVE = `${ESCAPE}?1049l`;
const BEGIN = `${ESCAPE}?2026h${ESCAPE}?25l${ESCAPE}?7l`;
const END = `${ESCAPE}?7h${ESCAPE}?2026l`;

/** Frames on the alternate screen. Only changed rows are written. Disposing it shows the main screen again. */
export class WholeFrame implements Disposable {
  readonly #write: (text: string) => void;
  #rows: readonly string[] = [];
  #size: Size | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
    write(ENTER);
  }

  draw({ rows, cursor }: ScreenFrame, size: Size): void {
    const { columns } = size;
    const isResized = this.#size?.columns !== columns || this.#size.rows !== size.rows;
    const before = isResized ? [] : this.#rows;
    const shown = Array.from({ length: size.rows }, (_, at) => rows[at] ?? "");
    let text = isResized ? `${ESCAPE}2J` : "";
    for (const [at, row] of shown.entries()) {
      if (row === (before[at] ?? "")) continue;
      text += `${ESCAPE}${at + 1};1H${addressed(row)}${paintedWidth(row) < columns ? `${ESCAPE}K` : ""}`;
    }
    const place = cursor === undefined ? "" : `${ESCAPE}${cursor.row + 1};${cursor.column + 1}H${ESCAPE}?25h`;
    this.#rows = shown;
    this.#size = size;
    this.#write(`${BEGIN}${text}${place}${END}`);
  }

  [Symbol.dispose](): void {
    this.#write(LEAVE);
  }
}

import type { ActionName } from "../keys/actions.ts";
import type { MouseInput } from "../screen/screen.ts";

/** Rows that one step of the mouse wheel moves. */
export const WHEEL_ROWS = 3;

/** The part of many rows that is in sight, moved by keys and by the wheel. */
export class Scroll {
  #top = 0;
  #count = 0;
  #room = 1;

  /** Takes the number of rows and the room for them in a frame. Returns the first row in sight. */
  show(count: number, room: number): number {
    this.#count = count;
    this.#room = Math.max(1, room);
    return this.top;
  }

  /** The first row in sight. */
  get top(): number {
    return Math.min(this.#top, this.last);
  }

  /** The first row in sight at the end. */
  get last(): number {
    return Math.max(0, this.#count - this.#room);
  }

  /** Returns true if all rows are in sight. */
  get isWhole(): boolean {
    return this.#count <= this.#room;
  }

  /** The rows in sight, counted from 1: `4-12 of 30`. */
  get place(): string {
    return `${this.top + 1}-${Math.min(this.#count, this.top + this.#room)} of ${this.#count}`;
  }

  /** Scrolls to a row, at most to the last rows. */
  to(row: number): true {
    this.#top = Math.max(0, Math.min(this.last, row));
    return true;
  }

  /** Returns the rows that an action scrolls by; undefined for any other action. */
  rowsOf(action: ActionName): number | undefined {
    switch (action) {
      case "list.down":
        return 1;
      case "list.up":
        return -1;
      case "list.pageDown":
      case "transcript.pageDown":
        return this.#room - 1;
      case "list.pageUp":
      case "transcript.pageUp":
        return 1 - this.#room;
      case "transcript.top":
        return -this.top;
      case "transcript.end":
        return this.last - this.top;
      default:
        return undefined;
    }
  }

  /** Carries out an action that scrolls. Returns false for any other. */
  act(action: ActionName): boolean {
    const rows = this.rowsOf(action);
    return rows !== undefined && this.to(this.top + rows);
  }

  /** Follows the mouse wheel. Returns false for any other event. */
  mouse({ type, wheel }: MouseInput): boolean {
    return type === "wheel" && this.to(this.top + wheel * WHEEL_ROWS);
  }
}

/** Control sequences of terminals that several screens write. */

/** A frame is one synchronized update: a terminal that knows it shows no half of one. */
export const SYNC_ON = "\u001b[?2026h";
export const SYNC_OFF = "\u001b[?2026l";
export const CURSOR_ON = "\u001b[?25h";
export const CURSOR_OFF = "\u001b[?25l";
/** Line wrap: without it a row is one row whatever its characters take. */
export const WRAP_ON = "\u001b[?7h";
export const WRAP_OFF = "\u001b[?7l";
export const ERASE_REST = "\u001b[K";
/** Reports of the focus of the window. */
export const FOCUS_ON = "\u001b[?1004h";
export const FOCUS_OFF = "\u001b[?1004l";
export const MOUSE_OFF = "\u001b[?1006l\u001b[?1003l\u001b[?1002l\u001b[?1000l";

/** Moves the cursor to a cell, from 0. */
export function cursorTo(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

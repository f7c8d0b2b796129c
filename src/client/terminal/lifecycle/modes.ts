import { CURSOR_ON, FOCUS_OFF, MOUSE_OFF, SYNC_OFF, WRAP_ON } from "../screen/sequences.ts";

const KEYS_OFF = `${SYNC_OFF}${sequences("[<u", "[>4;0m", "[?2031l")}`;
const INPUT_OFF = `${KEYS_OFF}${MOUSE_OFF}${FOCUS_OFF}`;
const LOOKS_OFF = `${sequences("[0m")}${WRAP_ON}`;
const TITLE_BACK = sequences("[23;0t");

/**
 * Ends every mode of a terminal that this client sets, but bracketed paste. The extended keys end before the alternate
 * screen: a terminal keeps them for each of its two screens. The window gets its name back.
 */
export const MODES_OFF = `${INPUT_OFF}${LOOKS_OFF}${sequences("[?1049l")}${CURSOR_ON}${TITLE_BACK}`;

const ERASE_BELOW = sequences("[J");
const INLINE_OFF = `${INPUT_OFF}${LOOKS_OFF}${CURSOR_ON}${TITLE_BACK}`;

/**
 * The same for a client that lives on the main screen. The alternate screen ends without the old place of the cursor,
 * which was none of this client's. It ends first: the extended keys are those of the main screen.
 */
export const INLINE_MODES_OFF = `${sequences("[?1047l")}${INLINE_OFF}`;

/**
 * The same for an inline client that was killed. The shell has written its prompt over the draft by then: the cursor
 * stays behind it, and what is left of the client below is erased.
 */
export const INLINE_KILLED = `${INLINE_OFF}${ERASE_BELOW}`;

/** The same for one that was killed with a panel on the alternate screen, where the prompt is lost with it. */
export const INLINE_PANEL_KILLED = `${sequences("[?1049l")}${INLINE_OFF}\r\n${ERASE_BELOW}`;

function sequences(...each: readonly string[]): string {
  return each.map((body) => `\u001b${body}`).join("");
}

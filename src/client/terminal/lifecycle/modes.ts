const KEYS_OFF = ["[?2026l", "[<u", "[>4;0m", "[?2031l"];
const MOUSE_OFF = ["[?1006l", "[?1004l", "[?1003l", "[?1002l", "[?1000l"];
const LOOKS_OFF = ["[0m", "[?7h"];

/**
 * Ends every mode of a terminal that this client sets, but bracketed paste. The extended keys end before the alternate
 * screen: a terminal keeps them for each of its two screens. The window gets its name back.
 */
export const MODES_OFF = sequences(...KEYS_OFF, ...MOUSE_OFF, ...LOOKS_OFF, "[?1049l", "[?25h", "[23;0t");

/**
 * The same for a client that lives on the main screen. The alternate screen ends without the old place of the cursor,
 * which was none of this client's.
 */
export const INLINE_MODES_OFF = sequences(
  ...KEYS_OFF,
  ...MOUSE_OFF,
  ...LOOKS_OFF,
  "[?1047l",
  "[?25h",
  "[23;0t",
);

/** The same for an inline client that was killed: the shell's prompt begins in a free row below the draft. */
export const INLINE_KILLED = `${INLINE_MODES_OFF}\r\n${sequences("[J")}`;

function sequences(...each: readonly string[]): string {
  return each.map((body) => `\u001b${body}`).join("");
}

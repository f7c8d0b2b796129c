/**
 * Ends every mode of a terminal that this client sets, but bracketed paste. The extended keys end before the alternate
 * screen: a terminal keeps them for each of its two screens. The window gets its name back.
 */
export const MODES_OFF = [
  ...["[?2026l", "[<u", "[>4;0m", "[?2031l"],
  ...["[?1006l", "[?1004l", "[?1003l", "[?1002l", "[?1000l"],
  ...["[0m", "[?7h", "[?1049l", "[?25h", "[23;0t"],
]
  .map((each) => `\u001b${each}`)
  .join("");

import { head } from "../../base/text/text.ts";
import { neutraliseLine } from "./terminal-text.ts";
import { throughTmux } from "./tmux.ts";

/** Characters of a notice. Desktops show about as many. */
const NOTICE_CHARACTERS_MAX = 200;
const TITLE_CHARACTERS_MAX = 120;

const [ESCAPE, BELL] = ["\u001b", "\u0007"];
export const RING = BELL;
/** Keep the window's title, and bring the kept one back (XTWINOPS). */
export const KEEP_TITLE = `${ESCAPE}[22;0t`;
export const RESTORE_TITLE = `${ESCAPE}[23;0t`;

/**
 * Returns the control sequence with which a terminal shows a notice on its desktop: OSC 99 in kitty, OSC 9 elsewhere.
 * A terminal that knows neither shows nothing.
 */
export function noticeSequence(text: string, environment: Readonly<Record<string, string>>): string {
  const shown = head(neutraliseLine(text), NOTICE_CHARACTERS_MAX);
  const { TERM = "", TMUX = "" } = environment;
  const sequence =
    TERM === "xterm-kitty" ? `${ESCAPE}]99;i=cinch;${shown}${ESCAPE}\\` : `${ESCAPE}]9;${shown}${BELL}`;
  return TMUX === "" ? sequence : throughTmux(sequence);
}

/** Returns the control sequence that names the window and its tab. */
export function titleSequence(title: string): string {
  return `${ESCAPE}]0;${head(neutraliseLine(title), TITLE_CHARACTERS_MAX)}${BELL}`;
}

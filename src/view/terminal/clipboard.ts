import { byteLength } from "../../base/text/text.ts";
import { throughTmux } from "./tmux.ts";

/** Longest text that terminals take from a program, in bytes: xterm's limit of an OSC 52, after base64. */
export const CLIPBOARD_BYTES_MAX = 74_994;

const ESCAPE = "\u001b";
const BELL = "\u0007";

/**
 * Returns the control sequence that puts a text into the clipboard of a terminal (OSC 52); undefined if the text is
 * above `CLIPBOARD_BYTES_MAX`.
 * @param inTmux wraps it, so that tmux passes it on to the terminal outside (`allow-passthrough`).
 */
export function clipboardSequence(text: string, inTmux: boolean): string | undefined {
  if (byteLength(text) > CLIPBOARD_BYTES_MAX) return undefined;
  const sequence = `${ESCAPE}]52;c;${base64(text)}${BELL}`;
  return inTmux ? throughTmux(sequence) : sequence;
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

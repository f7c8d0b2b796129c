const ESCAPE = "\u001b";

/** Returns a control sequence as tmux passes it on to the terminal outside, where `allow-passthrough` is on. */
export function throughTmux(sequence: string): string {
  return `${ESCAPE}Ptmux;${sequence.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${ESCAPE}\\`;
}

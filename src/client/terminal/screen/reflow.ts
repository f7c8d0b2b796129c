/**
 * Returns true for a terminal that wraps the rows of its main screen again when its width changes, by the variables
 * that terminals set. Most do.
 */
export function reflowsRows(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TMUX = "", STY = "", XTERM_VERSION = "" } = environment;
  if (TMUX !== "") return true;
  if (STY !== "" || XTERM_VERSION !== "") return false;
  return !/^(?:linux|screen|rxvt|vt\d)/.test(TERM);
}

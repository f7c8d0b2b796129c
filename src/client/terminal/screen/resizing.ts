/** A terminal that is being resized has its new size once it was left alone for so long. */
export const RESIZED_MS = 50;

/** tmux reports at most one change of the size in 250 ms, and the next one behind that. */
const RESIZED_TMUX_MS = 300;

/**
 * Returns the time without a change after which a terminal has the size that it has reported. An inline frame before
 * that would be drawn on a screen of another width, and nobody knows then which of its rows were wrapped.
 */
export function resizedMs({ TMUX = "" }: Readonly<Record<string, string | undefined>>): number {
  return TMUX === "" ? RESIZED_MS : RESIZED_TMUX_MS;
}

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

/**
 * Makes standard output read the size of its terminal again. If it has changed, the runtime tells its listeners at
 * once.
 *
 * The public properties and `getWindowSize` answer with the size of the last signal about a change (SIGWINCH), which
 * may still be on its way while the terminal has the new size: an inline frame of the old width would then be wrapped
 * into the scrollback for good. The method that the signal calls is private to the runtime. Without it nothing is read,
 * and the signal alone counts.
 */
export function readSizeAgain(): void {
  (process.stdout as { _refreshSize?(): void })._refreshSize?.();
}

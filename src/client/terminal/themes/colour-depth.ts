/** Number of colours that a terminal shows: its own sixteen, 256, or all of 24 bits. */
export type ColourDepth = 16 | 256 | "all";

/** Names in TERM of terminals that show all colours, whatever else the environment says. */
const TERMS_OF_ALL =
  /^(?:xterm-kitty|xterm-ghostty|ghostty|alacritty|foot|wezterm|contour|rio|iterm2?)(?:-|$)|-direct$|-truecolor$/;
/** Values of TERM_PROGRAM of terminals that show all colours. */
const PROGRAMS_OF_ALL = new Set([
  "iTerm.app",
  "WezTerm",
  "vscode",
  "ghostty",
  "Hyper",
  "rio",
  "WarpTerminal",
]);

/** Returns the number of colours of the terminal that these variables describe. */
export function colourDepth(environment: Readonly<Record<string, string>>): ColourDepth {
  const { COLORTERM = "", TERM = "", TERM_PROGRAM = "", WT_SESSION = "", TMUX = "" } = environment;
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || TERMS_OF_ALL.test(TERM)) return "all";
  // Inside of tmux these variables are those of the terminal that tmux was started in.
  const isInner = TMUX !== "" || TERM.startsWith("screen");
  if (!isInner && (WT_SESSION !== "" || PROGRAMS_OF_ALL.has(TERM_PROGRAM))) return "all";
  return /256/.test(TERM) || isInner ? 256 : 16;
}

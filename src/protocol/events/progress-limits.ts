/** Limits of the `tail` of a ToolCallProgress: the last lines of a command that runs. */
export const TAIL_LINES_MAX = 40;
export const TAIL_BYTES_MAX = 8_192;

/** Longest text of one ToolArgsDelta. */
export const ARGS_DELTA_CHARACTERS_MAX = 65_536;

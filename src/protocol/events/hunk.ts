import * as z from "zod";

/** Limit of unchanged lines that a client may ask for around each change. */
export const HUNK_CONTEXT_LINES_MAX = 20;

/**
 * One changed place of a file. Starts count from 1; with no line on a side, the start is the number of the line before.
 *
 * Since protocol 0.3.0.
 */
export const Hunk = z.object({
  /** The same for the same two texts. */
  id: z.string(),
  /** First line in the old text. */
  old_start: z.int().min(0),
  /** Number of lines in the old text. */
  old_lines: z.int().min(0),
  /** First line in the new text. */
  new_start: z.int().min(0),
  /** Number of lines in the new text. */
  new_lines: z.int().min(0),
  /** Each begins with " ", "+" or "-". `\ No newline at end of file` can follow the last line of a side. */
  lines: z.array(z.string()),
});
export type Hunk = z.infer<typeof Hunk>;

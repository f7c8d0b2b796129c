import * as z from "zod";

/** Type of work that a tool does, for a client's icon. Since protocol 0.3.0. */
export const ToolKind = z.enum([
  "read",
  "edit",
  "search",
  "execute",
  "fetch",
  "think",
  "switch_mode",
  "other",
]);
export type ToolKind = z.infer<typeof ToolKind>;

/**
 * Names of the arguments that hold the change of one file. Since protocol 0.3.0.
 *
 * `path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the text under
 * `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of that name is a list,
 * and `old`, `new` and `all` are read from each item.
 */
export const ChangePreview = z.object({
  /** Argument that names the file. */
  path: z.string(),
  /** Argument that holds the new text. */
  new: z.string(),
  /** Argument that holds the text which is replaced. Absent: `new` is the whole file. */
  old: z.string().optional(),
  /** Argument that is true if the text is replaced everywhere. */
  all: z.string().optional(),
  /** Argument that is a list of such changes. */
  each: z.string().optional(),
});
export type ChangePreview = z.infer<typeof ChangePreview>;

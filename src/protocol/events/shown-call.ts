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
  path: z.string(),
  new: z.string(),
  old: z.string().optional(),
  all: z.string().optional(),
  each: z.string().optional(),
});
export type ChangePreview = z.infer<typeof ChangePreview>;

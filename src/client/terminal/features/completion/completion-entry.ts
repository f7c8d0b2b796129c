import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import type { RankedCommand } from "../../../../view/slash/rank-commands.ts";

/** A candidate for the word at the cursor. */
export interface CompletionEntry {
  /** Text that replaces the word. */
  readonly insert: string;
  readonly label: string;
  /** Words that may follow it, as its usage writes them. */
  readonly hint: string;
  readonly detail: string;
  /** True for a slash command that does something without any word behind it. */
  readonly runsAlone: boolean;
  readonly kind: "command" | "file" | "folder" | "word";
}

/** Returns the entry of a slash command. */
export function commandEntry({ name, hint, help, runsAlone }: RankedCommand): CompletionEntry {
  const insert = `/${name}`;
  return { insert, label: insert, hint, detail: help, runsAlone, kind: "command" };
}

/** Returns the entry of an item that the engine found. */
export function foundEntry({
  insert,
  label,
  detail = "",
  kind,
}: ResultOf<"Complete">["items"][number]): CompletionEntry {
  const known = kind === "file" || kind === "folder" ? kind : "word";
  return { insert, label, hint: "", detail, runsAlone: false, kind: known };
}

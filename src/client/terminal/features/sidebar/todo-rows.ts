import { fitSections } from "../../../../view/overview/fit-sections.ts";
import type { Section } from "../../../../view/overview/sections.ts";
import { cutEnd } from "../../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { drawLine } from "./draw-lines.ts";

/** Rows of the list above the draft, its title included. */
const ROWS_MAX = 8;

export interface TodoRowsOptions {
  readonly columns: number;
  /** True: one row, with the entry that is worked on. */
  readonly isFolded: boolean;
  /** Key that folds it. */
  readonly key: string;
}

/** Returns the rows of a list of todos above the draft: the part that is worked on, and the count of the rest. */
export function todoRows(todos: Section, { columns, isFolded, key }: TodoRowsOptions): readonly DrawnRow[] {
  const { entries, title, note } = todos;
  if (entries.length === 0) return [];
  if (isFolded) {
    const current =
      entries.find(({ tone }) => tone === "accent") ?? entries.find(({ tone }) => tone !== "dim");
    const at = current === undefined ? "all done" : `${current.mark} ${neutraliseLine(current.text)}`;
    return [row([span(cutEnd(`▸ ${title} ${note} · ${at} · ${key} unfolds`, columns), { role: "accent" })])];
  }
  const hint = { ...todos, note: `${note} · ${key} folds` };
  const lines = fitSections([hint], { rows: ROWS_MAX, folded: new Set() });
  return lines.map((line) => drawLine(line, columns));
}

import { displayWidth } from "../../../../view/terminal/display-width.ts";
import { textOfRow } from "../../drawing/span.ts";
import type { PlacedRow } from "../pane.ts";
import type { Extent } from "./extent.ts";
import { selectedUnits } from "./extent.ts";

/** A row with no more than blanks and bars is an empty line behind its margin, not a decoration. */
const MORE_THAN_BARS = /[^\s│▌]/;

/**
 * Returns the selected text of rows as it was before it was wrapped: soft wraps are no line breaks, and what only
 * decorates is left out, as are blanks at the end of a line.
 */
export function selectedText(rows: readonly PlacedRow[], extent: Extent): string {
  const lines: string[] = [];
  for (const placed of rows) {
    const units = selectedUnits(placed, extent);
    if (units === undefined || isDecoration(placed)) continue;
    const { drawn } = placed;
    const text = textOfRow(drawn).slice(units.from, Math.max(units.from, units.to));
    const before = drawn.joint === undefined ? undefined : lines.pop();
    lines.push(before === undefined ? text : `${before}${drawn.joint}${text}`);
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

function isDecoration({ drawn }: PlacedRow): boolean {
  const text = textOfRow(drawn);
  return (drawn.margin ?? 0) >= displayWidth(text) && MORE_THAN_BARS.test(text);
}

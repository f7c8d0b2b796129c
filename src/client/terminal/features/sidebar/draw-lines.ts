import { unreachable } from "../../../../base/assert.ts";
import type { OverviewLine } from "../../../../view/overview/fit-sections.ts";
import type { EntryTone } from "../../../../view/overview/sections.ts";
import { cutEnd, displayWidth } from "../../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import type { DrawnRow, Role } from "../../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../../drawing/span.ts";

const ROLES: Readonly<Record<EntryTone, Role>> = {
  plain: "text",
  dim: "dim",
  accent: "accent",
  good: "success",
  warning: "warning",
  failure: "failure",
};
const INDENT = 2;
/** Columns below which the detail of an entry says nothing. */
const DETAIL_COLUMNS_MIN = 6;

/** Returns a line of the sidebar or of its panel, at most `columns` wide. */
export function drawLine(line: OverviewLine, columns: number): DrawnRow {
  switch (line.kind) {
    case "gap":
      return EMPTY_ROW;
    case "title": {
      const { title, note } = line.section;
      const name = cutEnd(`${line.isFolded ? "▸" : "▾"} ${title}`, columns);
      const rest = columns - displayWidth(name) - 1;
      return row([
        span(name, { role: "heading" }),
        ...(note === "" || rest < 1 ? [] : [span(` ${cutEnd(note, rest)}`, { role: "dim" })]),
      ]);
    }
    case "more":
      return row([span(cutEnd(`${" ".repeat(INDENT)}… ${line.hidden} more`, columns), { role: "dim" })]);
    case "entry": {
      const { mark, text, detail, tone } = line.entry;
      const role = ROLES[tone];
      const room = Math.max(1, columns - INDENT - 2);
      const name = cutEnd(neutraliseLine(text), room);
      const rest = room - displayWidth(name) - 2;
      const facts =
        detail === undefined || rest < DETAIL_COLUMNS_MIN ? "" : `  ${cutEnd(neutraliseLine(detail), rest)}`;
      return row([
        span(`${" ".repeat(INDENT)}${mark} `, { role }),
        span(name, { role }),
        span(facts, { role: "dim" }),
      ]);
    }
    default:
      return unreachable(line);
  }
}

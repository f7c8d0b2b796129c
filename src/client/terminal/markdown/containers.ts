import type { Rest } from "../../../view/markdown/line-starts.ts";
import {
  CODE_COLUMNS,
  indentOf,
  isBlankRest,
  listMark,
  skipColumns,
  skipQuoteMark,
} from "../../../view/markdown/line-starts.ts";

/** An item of a list. */
export interface ListItem {
  /** A bullet, or its own number with the character behind it. Empty: it began in an earlier part of the list. */
  readonly mark: string;
  /** State of a task; absent: it is none. */
  readonly isDone?: boolean;
  /** Its text without the mark and the indent. */
  readonly source: string;
}

/** Lines that continue a paragraph without the mark of its container. So far in they can begin nothing else. */
const LAZY_INDENT = " ".repeat(CODE_COLUMNS);
const INDENT_COLUMNS_MAX = 17;
const TASK = /^[ \t]*\[([ xX])\](?=[ \t])[ \t]*/;

/** Returns the items of the source of one list. */
export function itemsOfList(source: string): readonly ListItem[] {
  const items: { mark: string; columns: number; lines: string[] }[] = [];
  for (const line of linesOf(source)) {
    const whole: Rest = { text: line, column: 0 };
    const item = items.at(-1);
    if (item !== undefined && isBlankRest(whole)) item.lines.push("");
    else if (item !== undefined && indentOf(whole) >= item.columns)
      item.lines.push(skipColumns(whole, item.columns).text);
    else {
      const mark = listMark(whole);
      if (mark !== undefined)
        items.push({ mark: markOf(line), columns: mark.columns, lines: [mark.rest.text] });
      else if (item !== undefined) item.lines.push(`${LAZY_INDENT}${line.trim()}`);
      else {
        // An earlier part has the mark: the item is as far in as what is left of it.
        const columns = Math.min(indentOf(whole), INDENT_COLUMNS_MAX);
        items.push({ mark: "", columns, lines: [skipColumns(whole, columns).text] });
      }
    }
  }
  return items.map(({ mark, lines }) => {
    const [, box] = mark === "" ? [] : (TASK.exec(lines[0] ?? "") ?? []);
    const [first = "", ...others] = lines;
    const text = [box === undefined ? first : first.replace(TASK, ""), ...others].join("\n");
    return { mark, source: `${text}\n`, ...(box === undefined ? {} : { isDone: box !== " " }) };
  });
}

function markOf(line: string): string {
  return /^[ \t]*(?:[-+*]|\d{1,9}[.)])/.exec(line)?.[0].trim() ?? "";
}

/** Returns the text inside a quotation. */
export function quotedText(source: string): string {
  const inside = linesOf(source).map((line) => {
    const behind = skipQuoteMark({ text: line, column: 0 });
    return behind === undefined ? `${LAZY_INDENT}${line.trim()}` : behind.text;
  });
  return `${inside.join("\n")}\n`;
}

/** Returns the lines of a source without their ends. */
export function linesOf(source: string): readonly string[] {
  return source.replace(/\r?\n$/, "").split(/\r?\n/);
}

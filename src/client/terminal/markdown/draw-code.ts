import { closesFence, indentOf, openingFence, skipColumns } from "../../../view/markdown/line-starts.ts";
import type { MarkdownBlock } from "../../../view/markdown/markdown-blocks.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { highlight } from "../highlight/highlight.ts";
import { linesOf } from "./containers.ts";

const INDENT = span("  ");
const TAB_COLUMNS = 4;

/** Returns the rows of a block of code: its language, and its lines as they are, cut where the row ends. */
export function drawCode(block: MarkdownBlock, columns: number): readonly DrawnRow[] {
  const { language, lines, isBegun, endsBlank } = codeOf(block);
  const head =
    language === "" || isBegun
      ? []
      : wrapSpans([span(language, { role: "dim" })], { columns, first: [INDENT], byWords: false }).map(
          (each) => ({
            ...each,
            margin: columns,
          }),
        );
  const code = lines.map(withoutTabs).join("\n");
  const body =
    lines.length === 0
      ? []
      : highlight(code, language).flatMap((line) =>
          wrapSpans(line, { columns, first: [INDENT], byWords: false }),
        );
  return [
    ...(head.length + body.length === 0 ? [row([INDENT], { margin: 2 })] : [...head, ...body]),
    ...(endsBlank ? [EMPTY_ROW] : []),
  ];
}

/** Returns the lines of a block of code as they are, without the fence. */
export function sourceOfCode(block: MarkdownBlock): string {
  return codeOf(block).lines.join("\n");
}

interface Code {
  readonly language: string;
  readonly lines: readonly string[];
  /** True if an earlier part has its beginning. */
  readonly isBegun: boolean;
  readonly endsBlank: boolean;
}

function codeOf({ source, continues }: MarkdownBlock): Code {
  const lines = linesOf(source);
  const opening = continues ?? lines[0] ?? "";
  const fence = openingFence({ text: opening.replace(/\r?\n$/, ""), column: 0 });
  const isBegun = continues !== undefined;
  if (fence === undefined) {
    const shown = lines.map((line) => skipColumns({ text: line, column: 0 }, TAB_COLUMNS).text);
    const last = shown.findLastIndex((line) => line.trim() !== "");
    return { language: "", lines: shown.slice(0, last + 1), isBegun, endsBlank: last < shown.length - 1 };
  }
  const inside = isBegun ? lines : lines.slice(1);
  const closes = inside.length > 0 && closesFence({ text: inside.at(-1) ?? "", column: 0 }, fence);
  const indent = Math.min(TAB_COLUMNS, indentOf({ text: opening, column: 0 }));
  const shown = (closes ? inside.slice(0, -1) : inside).map((line) =>
    indent === 0 ? line : skipColumns({ text: line, column: 0 }, indent).text,
  );
  const [language = ""] = opening
    .trim()
    .slice(fence.length)
    .trim()
    .split(/[\s{,]/);
  return { language, lines: shown, isBegun, endsBlank: false };
}

function withoutTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let text = "";
  for (const [index, piece] of line.split("\t").entries()) {
    if (index > 0) text += " ".repeat(TAB_COLUMNS - (text.length % TAB_COLUMNS));
    text += piece;
  }
  return text;
}

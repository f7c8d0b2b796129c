import { unreachable } from "../../../base/assert.ts";
import type { MarkdownBlock } from "../../../view/markdown/markdown-blocks.ts";
import { MarkdownBlocks } from "../../../view/markdown/markdown-blocks.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span, Style } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { ListItem } from "./containers.ts";
import { itemsOfList, linesOf, quotedText } from "./containers.ts";
import { drawCode } from "./draw-code.ts";
import { drawTable } from "./draw-table.ts";
import { inlineLines } from "./inlines.ts";
import { childrenOf, parseMarkdown } from "./markdown-tree.ts";

/** Quotations and lists within each other that are drawn as such; deeper ones are text. */
const DEPTH_MAX = 12;
/** Columns that marks and bars leave for the text at least. */
const CONTENT_COLUMNS_MIN = 8;
const BAR = [span("│ ", { role: "quote" })];

/**
 * Returns the rows of one block of Markdown, each at most `columns` wide (10 at least). It depends on the block alone.
 */
export function drawBlock(block: MarkdownBlock, columns: number): readonly DrawnRow[] {
  return draw(block, columns, 0);
}

function draw(block: MarkdownBlock, columns: number, depth: number): readonly DrawnRow[] {
  const { kind, source } = block;
  switch (kind) {
    case "blank":
      return [EMPTY_ROW];
    case "rule":
      return [row([span("─".repeat(columns), { role: "border" })], { margin: columns })];
    case "heading":
      return drawHeading(source, columns);
    case "paragraph":
      return drawInline(source, columns);
    case "html":
      return drawLines(source, columns, { role: "dim" });
    case "code":
      return drawCode(block, columns);
    case "table":
      return drawTable(block, columns) ?? drawLines(source, columns);
    case "list":
    case "quote": {
      if (depth >= DEPTH_MAX) return drawLines(source, columns);
      const drawn = kind === "list" ? drawList : drawQuote;
      const { continues = "" } = block;
      // The code that an earlier part began is opened again, and the rows of its opening are left out.
      const begun = continues === "" ? 0 : drawn(continues, columns, depth).length;
      return drawn(`${continues}${source}`, columns, depth).slice(begun);
    }
    default:
      return unreachable(kind);
  }
}

function drawHeading(source: string, columns: number): readonly DrawnRow[] {
  const [element, ...others] = parseMarkdown(source);
  if (element === undefined || others.length > 0 || !/^h[1-6]$/.test(String(element.type)))
    return drawLines(source, columns, { role: "heading", isBold: true });
  const level = Number(String(element.type).slice(1));
  const style: Style = {
    role: "heading",
    isBold: true,
    ...(level === 1 ? { isUnderlined: true } : {}),
    ...(level > 2 ? { isItalic: true } : {}),
  };
  return inlineLines(childrenOf(element), style).flatMap((line) => wrapSpans(line, { columns }));
}

function drawInline(source: string, columns: number): readonly DrawnRow[] {
  const [element, ...others] = parseMarkdown(source);
  // The definition of a link draws nothing, and a part of a long paragraph may look like another block.
  if (element?.type !== "p" || others.length > 0) return drawLines(source, columns);
  return inlineLines(childrenOf(element)).flatMap((line) => wrapSpans(line, { columns }));
}

/** Returns the lines of a source as they are. */
function drawLines(source: string, columns: number, style: Style = {}): readonly DrawnRow[] {
  return linesOf(source).flatMap((line) => wrapSpans([span(line, style)], { columns }));
}

function drawList(source: string, columns: number, depth: number): readonly DrawnRow[] {
  return itemsOfList(source).flatMap((item) => drawItem(item, columns, depth));
}

function drawQuote(source: string, columns: number, depth: number): readonly DrawnRow[] {
  const bar = columns - widthOfSpans(BAR) < CONTENT_COLUMNS_MIN ? [] : BAR;
  const inside = drawInside(quotedText(source), columns - widthOfSpans(bar), depth + 1);
  return inside.map(({ drawn }) => withMargin(drawn, bar));
}

function drawItem({ mark, isDone, source }: ListItem, columns: number, depth: number): readonly DrawnRow[] {
  const isNumbered = /^\d/.test(mark);
  const box = isDone === undefined ? "" : isDone ? "☑ " : "☐ ";
  const shown = mark === "" ? "" : isNumbered ? `${mark} ${box}` : box === "" ? "• " : box;
  const width = displayWidth(shown) || 2;
  const hasIndent = columns - width >= CONTENT_COLUMNS_MIN;
  const first = [span(shown === "" ? "  " : shown, { role: "accent" })];
  const indent = [span(" ".repeat(width))];
  const rows = drawInside(source, hasIndent ? columns - width : columns, depth + 1);
  if (!hasIndent) {
    const alone = wrapSpans(first, { columns });
    return [...alone, ...rows.map(({ drawn }) => drawn)];
  }
  const begun = rows.length === 0 || rows[0]?.drawn === EMPTY_ROW ? [row(first)] : [];
  return [
    ...begun,
    ...rows.map(({ drawn, isInList }, index) => {
      if (drawn === EMPTY_ROW) return drawn;
      if (index === 0) return unmargined({ ...drawn, spans: [...first, ...drawn.spans] });
      // The indent of a nested list is copied, unlike that of a wrapped line or of code.
      const isCopied = isInList && drawn.margin === undefined && drawn.joint === undefined;
      return isCopied ? { ...drawn, spans: [...indent, ...drawn.spans] } : withMargin(drawn, indent);
    }),
  ];
}

interface InnerRow {
  readonly drawn: DrawnRow;
  readonly isInList: boolean;
}

/** Returns the rows of the blocks inside a quotation or an item. */
function drawInside(source: string, columns: number, depth: number): readonly InnerRow[] {
  const reader = new MarkdownBlocks();
  const rows: InnerRow[] = [];
  for (const block of [...reader.push(source), ...reader.end()]) {
    const isInList = block.kind === "list";
    for (const drawn of draw(block, columns, depth))
      if (drawn !== EMPTY_ROW || rows.at(-1)?.drawn !== EMPTY_ROW) rows.push({ drawn, isInList });
  }
  return rows;
}

function withMargin(drawn: DrawnRow, decoration: readonly Span[]): DrawnRow {
  const width = widthOfSpans(decoration);
  if (width === 0) return drawn;
  return { ...drawn, spans: [...decoration, ...drawn.spans], margin: width + (drawn.margin ?? 0) };
}

function unmargined({ margin: _margin, ...drawn }: DrawnRow): DrawnRow {
  return drawn;
}

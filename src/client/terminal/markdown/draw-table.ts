import type { MarkdownBlock } from "../../../view/markdown/markdown-blocks.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { InlineLine } from "./inlines.ts";
import { inlineLines } from "./inlines.ts";
import type { MarkdownElement } from "./markdown-tree.ts";
import { childrenOf, elementsIn, parseMarkdown } from "./markdown-tree.ts";

const BORDER = { role: "border" } as const;
const BETWEEN = span(" │ ", BORDER);
const BETWEEN_COLUMNS = 3;
/** A table whose columns would be narrower is drawn as lists of names and values. */
const COLUMNS_MIN = 8;

type Align = "left" | "center" | "right";

interface Cell {
  readonly lines: readonly InlineLine[];
  readonly width: number;
}

interface Table {
  readonly head: readonly Cell[];
  readonly body: readonly (readonly Cell[])[];
  readonly aligns: readonly Align[];
}

/**
 * Returns the rows of a table; undefined if its source is none. The columns are as wide as their contents, or share the
 * width. All parts of a long table have the widths of its first part.
 */
export function drawTable(
  { source, continues }: MarkdownBlock,
  columns: number,
): readonly DrawnRow[] | undefined {
  const first = readTable(continues ?? source);
  const whole = continues === undefined ? first : readTable(`${ruledHead(continues)}${source}`);
  if (first === undefined || whole === undefined) return undefined;
  const widths = fittedWidths(first, columns);
  if (widths === undefined) return namedValues(whole, columns, continues !== undefined);
  const { aligns } = first;
  const head =
    continues === undefined
      ? [
          ...cellRows(first.head, widths, aligns),
          row([span(widths.map((width) => "─".repeat(width)).join("─┼─"), BORDER)]),
        ]
      : [];
  return [...head, ...whole.body.flatMap((cells) => cellRows(cells, widths, aligns))];
}

/** Returns the first two lines of a table. */
function ruledHead(source: string): string {
  return /^[^\n]*\n[^\n]*\n/.exec(source)?.[0] ?? source;
}

function readTable(source: string): Table | undefined {
  const [table, ...others] = parseMarkdown(source);
  if (table?.type !== "table" || others.length > 0) return undefined;
  const [head, ...body] = elementsIn(table, "tr");
  if (head === undefined) return undefined;
  const names = elementsIn(head, "th");
  return {
    head: names.map((each) => cellOf(each, true)),
    body: body.map((each) => elementsIn(each, "td").map((cell) => cellOf(cell, false))),
    aligns: names.map(({ props }) => props.align ?? "left"),
  };
}

function cellOf(element: MarkdownElement, isBold: boolean): Cell {
  const lines = inlineLines(childrenOf(element), isBold ? { isBold } : {});
  return { lines, width: Math.max(...lines.map(widthOfSpans)) };
}

/** Returns the widths of the columns; undefined if there is too little room for them. */
function fittedWidths({ head, body }: Table, columns: number): readonly number[] | undefined {
  const natural = head.map(({ width }, index) =>
    Math.max(
      1,
      body.reduce((most, cells) => Math.max(most, cells[index]?.width ?? 0), width),
    ),
  );
  const room = columns - BETWEEN_COLUMNS * (natural.length - 1);
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  if (sum(natural) <= room) return natural;
  // The widest columns give way first.
  let most = Math.max(...natural);
  const capped = () => natural.map((width) => Math.min(width, most));
  while (most >= COLUMNS_MIN && sum(capped()) > room) most -= 1;
  if (most < COLUMNS_MIN) return undefined;
  const widths = capped();
  const spare = room - sum(widths);
  const widest = natural.findIndex((width) => width > most);
  return widths.map((width, index) =>
    index === widest ? Math.min(natural[index] ?? width, width + spare) : width,
  );
}

function cellRows(
  cells: readonly Cell[],
  widths: readonly number[],
  aligns: readonly Align[],
): readonly DrawnRow[] {
  const wrapped = widths.map((columns, index) =>
    (cells[index]?.lines ?? []).flatMap((line) => wrapSpans(line, { columns })),
  );
  const height = Math.max(1, ...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, at) =>
    row(
      widths.flatMap((width, index) => [
        ...(index === 0 ? [] : [BETWEEN]),
        ...aligned(wrapped[index]?.[at]?.spans ?? [], width, {
          align: aligns[index] ?? "left",
          isLast: index === widths.length - 1,
        }),
      ]),
    ),
  );
}

function aligned(
  spans: readonly Span[],
  width: number,
  { align, isLast }: { readonly align: Align; readonly isLast: boolean },
): readonly Span[] {
  const space = Math.max(0, width - widthOfSpans(spans));
  const before = align === "left" ? 0 : align === "right" ? space : space >> 1;
  const behind = isLast ? 0 : space - before;
  const blank = (count: number) => (count === 0 ? [] : [span(" ".repeat(count))]);
  return [...blank(before), ...spans, ...blank(behind)];
}

function namedValues({ head, body }: Table, columns: number, isBegun: boolean): readonly DrawnRow[] {
  const names = head.map(({ lines }) => lines.flat());
  if (body.length === 0)
    return wrapSpans(
      names.flatMap((name) => [...name, span(" ")]),
      { columns },
    );
  return body.flatMap((cells, index) => [
    ...(index === 0 && !isBegun ? [] : [EMPTY_ROW]),
    ...cells.flatMap(({ lines }, at) => {
      const name = names[at] ?? [];
      const colon = name.length === 0 ? [] : [span(": ", { isBold: true })];
      const value = lines.flatMap((line, place) => (place === 0 ? line : [span(" "), ...line]));
      return wrapSpans([...name, ...colon, ...value], { columns, rest: [span("  ")] });
    }),
  ]);
}

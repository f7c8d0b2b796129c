import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";

/** A closed block, or the source of the one that is still open. */
export interface DrawableBlock {
  readonly kind: string;
  readonly source: string;
  readonly isOpen?: boolean;
}

/** Returns the rows of one block of Markdown. */
export function drawBlock({ kind, source }: DrawableBlock, columns: number): readonly DrawnRow[] {
  if (kind === "blank") return [EMPTY_ROW];
  return source
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => wrapSpans([span(line)], { columns, byWords: kind !== "code" }));
}

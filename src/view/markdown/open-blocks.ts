import type { Fence, Rest } from "./line-starts.ts";
import {
  CODE_COLUMNS,
  htmlStart,
  indentOf,
  isBlankRest,
  isHeading,
  isRule,
  openingFence,
  skipColumns,
  skipQuoteMark,
} from "./line-starts.ts";

export type BlockKind =
  | "paragraph"
  | "heading"
  | "code"
  | "list"
  | "quote"
  | "table"
  | "html"
  | "rule"
  | "blank";

/** A block with other blocks in it. */
export type Container =
  | { readonly kind: "quote" }
  | { readonly kind: "list"; readonly mark: string }
  | { readonly kind: "item"; readonly columns: number; hasContent: boolean };

/** The block that the last line stands in. */
export type Leaf =
  | { readonly kind: "paragraph" | "table" | "indented"; lines: number; readonly first: string }
  | { readonly kind: "fenced"; readonly fence: Fence }
  | { readonly kind: "html"; readonly end: RegExp | undefined };

/** Skips the marks of the containers that a line continues. `depth`: their number. */
export function skipMarks(
  whole: Rest,
  containers: readonly Container[],
): { readonly rest: Rest; readonly depth: number } {
  let rest = whole;
  for (const [depth, container] of containers.entries()) {
    if (container.kind === "list") continue;
    if (container.kind === "quote") {
      const behind = skipQuoteMark(rest);
      if (behind === undefined) return { rest, depth };
      rest = behind;
    } else {
      const isInside = indentOf(rest) >= container.columns;
      // An item that begins with a blank line ends at a second one.
      if (!isInside || (isBlankRest(rest) && !container.hasContent)) return { rest, depth };
      rest = isBlankRest(rest) ? rest : skipColumns(rest, container.columns);
    }
  }
  return { rest, depth: containers.length };
}

/** Returns the leaf that a line begins, and its kind; no leaf for a block of one line. */
export function leafOf(rest: Rest): readonly [BlockKind, Leaf | undefined] {
  if (indentOf(rest) >= CODE_COLUMNS) return ["code", { kind: "indented", lines: 1, first: "" }];
  const fence = openingFence(rest);
  if (fence !== undefined) return ["code", { kind: "fenced", fence }];
  if (isHeading(rest)) return ["heading", undefined];
  if (isRule(rest)) return ["rule", undefined];
  const html = htmlStart(rest, false);
  if (html !== undefined)
    return ["html", html.end?.test(rest.text) === true ? undefined : { kind: "html", end: html.end }];
  return ["paragraph", { kind: "paragraph", lines: 1, first: rest.text }];
}

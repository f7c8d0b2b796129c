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
  | { readonly kind: "item"; readonly columns: number; readonly length: number; hasContent: boolean };

/** The block that the last line stands in. */
export type Leaf =
  | { readonly kind: "paragraph" | "table" | "indented"; lines: number; readonly first: string }
  | { readonly kind: "fenced"; readonly fence: Fence; lines: number }
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
  if (fence !== undefined) return ["code", { kind: "fenced", fence, lines: 0 }];
  if (isHeading(rest)) return ["heading", undefined];
  if (isRule(rest)) return ["rule", undefined];
  const html = htmlStart(rest, false);
  if (html !== undefined)
    return ["html", html.end?.test(rest.text) === true ? undefined : { kind: "html", end: html.end }];
  return ["paragraph", { kind: "paragraph", lines: 1, first: rest.text }];
}

const PADDING_MAX = 4;

/**
 * Returns a line that opens containers and a block of code in them, so that the next lines read as they do now. The
 * code has a language in any case.
 */
export function openingLine(containers: readonly Container[], fence: Fence): string {
  const marks = containers.map((container, index) => {
    if (container.kind === "quote") return "> ";
    if (container.kind === "list") return "";
    const list = containers[index - 1];
    return itemStart(list?.kind === "list" ? list.mark : "-", container);
  });
  return `${marks.join("")}${fence.mark.repeat(fence.length)}${fence.language || "text"}\n`;
}

/** Returns a mark of an item that is as long as its own, with as many blanks around it. */
function itemStart(kind: string, { columns, length }: Extract<Container, { kind: "item" }>): string {
  const padding = Math.max(1, Math.min(PADDING_MAX, columns - length));
  const indent = Math.max(0, columns - length - padding);
  return `${" ".repeat(indent)}${"1".repeat(length - 1)}${kind}${" ".repeat(padding)}`;
}

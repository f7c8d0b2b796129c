import type { Span, Style } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import type { MarkdownElement, MarkdownNode } from "./markdown-tree.ts";
import { childrenOf } from "./markdown-tree.ts";

/** Spans between two hard line breaks. */
export type InlineLine = readonly Span[];

/** Addresses that a terminal may open. */
const LINKED = /^(?:https?|mailto|ftp):/i;
const BREAK = /^<br\s*\/?>$/i;
const DIM: Style = { role: "dim" };

/**
 * Returns the lines of inline nodes: bold, italic, struck and code text, links, images as text. A soft line break is a
 * blank; a hard one begins a line. HTML is text.
 */
export function inlineLines(nodes: readonly MarkdownNode[], style: Style = {}): readonly InlineLine[] {
  const lines: Span[][] = [[]];
  // A stack of its own: what a model nests may be deeper than the stack of calls.
  const left: (readonly [node: MarkdownNode, style: Style])[] = [];
  const put = (more: readonly MarkdownNode[], like: Style) => {
    for (let index = more.length - 1; index >= 0; index -= 1) left.push([more[index] ?? "", like]);
  };
  put(nodes, style);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [node, like] = next;
    if (isBreak(node)) lines.push([]);
    else if (typeof node === "string") {
      // Bun gives the blanks of code and the ends of lines by themselves.
      if (node !== "") lines.at(-1)?.push(span(node.replaceAll("\n", " "), like));
    } else if (node.type === "img") lines.at(-1)?.push(span(imageText(node), { ...like, ...DIM }));
    else {
      const address = node.type === "a" ? addressOf(node) : undefined;
      if (address !== undefined) {
        const shown = shownAddress(address, node);
        if (shown !== "") left.push([shown, DIM]);
      }
      put(childrenOf(node), styleOf(node, like, address));
    }
  }
  return lines;
}

function isBreak(node: MarkdownNode): boolean {
  return typeof node === "string" ? BREAK.test(node) : node.type === "br";
}

function styleOf({ type }: MarkdownElement, style: Style, address: string | undefined): Style {
  switch (type) {
    case "strong":
      return { ...style, isBold: true };
    case "em":
      return { ...style, isItalic: true };
    case "del":
      return { ...style, isStruck: true };
    case "code":
      return { ...style, role: "code" };
    case "a":
      return {
        ...style,
        role: "link",
        ...(address !== undefined && LINKED.test(address) ? { link: address } : {}),
      };
    default:
      return style;
  }
}

/** Returns the address of a link; an address of mail or without a scheme gets one. */
function addressOf({ props: { href = "" } }: MarkdownElement): string {
  if (/^www\./i.test(href)) return `https://${href}`;
  return /^[^\s:/?#@]+@[^\s:/?#@]+$/.test(href) ? `mailto:${href}` : href;
}

/** Returns what stands behind the text of a link: nothing if the text is the address. */
function shownAddress(address: string, element: MarkdownElement): string {
  if (address === "" || address.startsWith("#")) return "";
  const text = plainText(childrenOf(element));
  const bare = (each: string) => each.replace(/^(?:https?:\/\/|mailto:)/i, "").replace(/\/$/, "");
  return bare(text) === bare(address) ? "" : ` (${address})`;
}

function imageText({ props: { alt = "", src = "" } }: MarkdownElement): string {
  const name = alt === "" ? "image" : `image: ${alt}`;
  return src === "" || src.startsWith("data:") ? `[${name}]` : `[${name}] (${src})`;
}

/** Returns the text of nodes without their styles, down to some depth. */
function plainText(nodes: readonly MarkdownNode[], depth = 8): string {
  return nodes
    .map((node) =>
      typeof node === "string" ? node : depth === 0 ? "" : plainText(childrenOf(node), depth - 1),
    )
    .join("");
}

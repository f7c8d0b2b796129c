import type { Direction } from "../../../view/terminal/bidi.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";

/** Meaning of a text, which a theme gives its colours. */
export type Role =
  | "text"
  | "dim"
  | "accent"
  | "heading"
  | "code"
  | "link"
  | "quote"
  | "border"
  | "prompt"
  | "added"
  | "removed"
  | "addedWord"
  | "removedWord"
  | "success"
  | "warning"
  | "failure"
  | "selected"
  | "match"
  | "currentMatch"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "type";

export interface Style {
  readonly role?: Role;
  /** Role whose background it has. Default: that of its row. */
  readonly fill?: Role;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  readonly isStruck?: boolean;
  /** Address of a link (OSC 8). */
  readonly link?: string;
}

declare const safe: unique symbol;

/** A piece of a row in one style. Only `span` makes one, so that nothing in it can drive the terminal (TUI-07). */
export interface Span {
  readonly text: string;
  readonly style: Style;
  readonly [safe]: true;
}

const PLAIN: Style = {};

/** Returns a span of any text: control sequences are left out, and other unseen characters are made visible. */
export function span(text: string, style: Style = PLAIN): Span {
  return { text: neutraliseLine(text), style } as Span;
}

/** Returns a part of a span, or one in another style: its text stays safe. */
export function likeSpan(of: Span, change: { readonly text?: string; readonly style?: Style }): Span {
  return { ...of, ...change };
}

/** One row of a screen. */
export interface DrawnRow {
  readonly spans: readonly Span[];
  /** Cells at its beginning that only decorate and are never copied: an indent, a bar, a line number. */
  readonly margin?: number;
  /** Set if it continues the row above: what stands between the two when they are copied. Absent: a line break. */
  readonly joint?: "" | " ";
  /** Direction of the paragraph that its text is a part of. Absent: its spans stand side by side, each for itself. */
  readonly direction?: Direction;
  /** Role whose background fills the whole row. */
  readonly fill?: Role;
  /** Effect of a click on it. */
  readonly target?: { readonly event: number };
}

export const EMPTY_ROW: DrawnRow = { spans: [] };

/** Returns a row of spans. */
export function row(spans: readonly Span[], more: Omit<DrawnRow, "spans"> = {}): DrawnRow {
  return { ...more, spans };
}

/** Returns the text of a row without its styles. */
export function textOfRow({ spans }: DrawnRow): string {
  return spans.map(({ text }) => text).join("");
}

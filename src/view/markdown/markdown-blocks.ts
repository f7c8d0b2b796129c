import type { ListMark, Rest } from "./line-starts.ts";
import {
  CODE_COLUMNS,
  closesFence,
  htmlStart,
  indentOf,
  isBlankRest,
  isHeading,
  isRule,
  isTableRule,
  isUnderline,
  listMark,
  openingFence,
  skipQuoteMark,
} from "./line-starts.ts";
import type { BlockKind, Container, Leaf } from "./open-blocks.ts";
import { leafOf, openingLine, skipMarks } from "./open-blocks.ts";

/** Source of one block; a longer block is closed in parts of this size. */
export const BLOCK_CHARACTERS_MAX = 16_384;
/** Lines of one part of a longer block. A list or quotation ends its part where a new item or block in it begins. */
const PART_LINES_MAX: Readonly<Partial<Record<BlockKind, number>>> = {
  code: 100,
  table: 50,
  list: 50,
  quote: 50,
};
/** The most common block: long texts hold it many times. */
const BLANK: MarkdownBlock = { kind: "blank", source: "\n" };
/** Only the beginning of a longer line counts. */
export const MARKDOWN_LINE_CHARACTERS_MAX = 8_192;
/** Quotations and lists within each other; deeper marks are text. */
const DEPTH_MAX = 16;

/** One block at the top of a Markdown text. What is nested is in its source. */
export interface MarkdownBlock {
  readonly kind: BlockKind;
  /** The text as it was written, with its line ends. The sources of all blocks together are the whole text. */
  readonly source: string;
  /** The block continues in the next one: it was too long. */
  readonly isPart?: true;
  /**
   * Set if the block began in an earlier part: the source that drawing this part needs of that one. For code it is
   * the line of the opening fence, for a table the whole first part. For a list or quotation it is a line that opens
   * its code again, or nothing if no code was open. For others it is nothing.
   */
  readonly continues?: string;
}

/**
 * Reads Markdown as it is written, and closes each block as soon as no further text can change it. A closed block never
 * changes, wherever the text was cut into pieces.
 *
 * Knows the block structure of CommonMark and tables; the inside of a line is for the code that renders a block.
 * Bounded by `BLOCK_CHARACTERS_MAX` and `MARKDOWN_LINE_CHARACTERS_MAX`.
 */
export class MarkdownBlocks {
  #containers: Container[] = [];
  #leaf: Leaf | undefined;
  /** The open block at the top. */
  #kind: BlockKind | undefined;
  #source = "";
  /** Whole lines in it. */
  #lines = 0;
  /** The field `continues` of the open block. */
  #continues: string | undefined;
  /** A line that has not ended. */
  #line = "";
  /** True if only the beginning of the line was read. */
  #isLongLine = false;
  #closed: MarkdownBlock[] = [];

  /** Returns the blocks that this piece of text closes. */
  push(text: string): readonly MarkdownBlock[] {
    let rest = text;
    while (rest !== "") {
      const end = rest.indexOf("\n") + 1;
      const room = this.#isLongLine ? rest.length : MARKDOWN_LINE_CHARACTERS_MAX - this.#line.length;
      const piece = rest.slice(0, Math.min(end === 0 ? rest.length : end, room));
      rest = rest.slice(piece.length);
      if (this.#isLongLine) {
        this.#isLongLine = !piece.endsWith("\n");
        this.#append(piece);
        continue;
      }
      this.#line += piece;
      this.#isLongLine = !this.#line.endsWith("\n") && this.#line.length === MARKDOWN_LINE_CHARACTERS_MAX;
      if (!this.#isLongLine && !this.#line.endsWith("\n")) continue;
      const line = this.#line;
      this.#line = "";
      this.#read(line);
    }
    return this.#taken();
  }

  /** Ends the text, and returns the blocks that were open. */
  end(): readonly MarkdownBlock[] {
    if (this.#line !== "") this.#read(this.#line);
    this.#line = "";
    this.#isLongLine = false;
    this.#leaf = undefined;
    this.#containers = [];
    this.#closeTop();
    return this.#taken();
  }

  /** Source of the text behind the blocks that are closed. */
  get open(): string {
    return this.#source + this.#line;
  }

  /** Returns the blocks of the text behind those that are closed, as they would be if the text ended here. */
  get openBlocks(): readonly MarkdownBlock[] {
    return this.clone().end();
  }

  /** Returns a reader that continues from here on by itself. */
  clone(): MarkdownBlocks {
    const copy = new MarkdownBlocks();
    copy.#containers = this.#containers.map((container) => ({ ...container }));
    copy.#leaf = this.#leaf === undefined ? undefined : { ...this.#leaf };
    copy.#kind = this.#kind;
    copy.#source = this.#source;
    copy.#lines = this.#lines;
    copy.#continues = this.#continues;
    copy.#line = this.#line;
    copy.#isLongLine = this.#isLongLine;
    copy.#isEnding = this.#isEnding;
    copy.#closed = [...this.#closed];
    return copy;
  }

  /** True if the whole lines so far end inside a fenced block of code. */
  get isInCode(): boolean {
    return this.#leaf?.kind === "fenced";
  }

  #taken(): readonly MarkdownBlock[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  #read(line: string): void {
    const whole: Rest = { text: line.replace(/\r?\n$/, ""), column: 0 };
    const { rest, depth } = skipMarks(whole, this.#containers);
    const isMatched = depth === this.#containers.length;
    if (isMatched && this.#continuesCode(rest)) {
      this.#splitNestedCode();
      this.#append(line);
      return;
    }
    this.#open(rest, depth, line);
  }

  /** Takes a line into an open block of code or HTML; false if there is none. */
  #continuesCode(rest: Rest): boolean {
    const leaf = this.#leaf;
    if (leaf?.kind === "fenced") {
      leaf.lines += 1;
      if (!closesFence(rest, leaf.fence)) return true;
      this.#leaf = undefined;
      this.#isEnding = this.#containers.length === 0;
      return true;
    }
    if (leaf?.kind !== "html") return false;
    if (leaf.end === undefined && isBlankRest(rest)) return false;
    if (leaf.end?.test(rest.text) === true) {
      this.#leaf = undefined;
      this.#isEnding = this.#containers.length === 0;
    }
    return true;
  }

  /** Ends a part of a list or quotation before one more line of the code in it. */
  #splitNestedCode(): void {
    const [leaf, containers] = [this.#leaf, this.#containers];
    // A part does not end with the line that opens the code.
    if (leaf?.kind !== "fenced" || leaf.lines === 1 || containers.length === 0) return;
    if (!this.#isLongPart("code")) return;
    this.#closePart(openingLine(containers, leaf.fence));
  }

  /** True if the line that is appended next closes its block. */
  #isEnding = false;

  #open(first: Rest, matched: number, line: string): void {
    let [rest, depth] = [first, matched];
    let leaf = this.#leaf;
    const close = () => {
      // An item or a quotation that the line does not continue ends, with all that is in it.
      if (depth < this.#containers.length) this.#containers.length = depth;
      leaf = undefined;
    };
    while (!isBlankRest(rest) && this.#containers.length < DEPTH_MAX) {
      const inParagraph = leaf?.kind === "paragraph" && depth === this.#containers.length;
      const isCode = indentOf(rest) >= CODE_COLUMNS;
      const quote = isCode ? undefined : skipQuoteMark(rest);
      if (quote !== undefined) {
        close();
        this.#enter({ kind: "quote" });
        [rest, depth] = [quote, this.#containers.length];
        continue;
      }
      const isUnder = inParagraph && isUnderline(rest);
      const mark = isCode || isUnder || isRule(rest) ? undefined : listMark(rest);
      if (mark === undefined || (inParagraph && !mark.endsParagraph)) break;
      close();
      this.#item(mark, depth);
      [rest, depth] = [mark.rest, this.#containers.length];
    }
    this.#leaf = leaf;
    if (isBlankRest(rest)) {
      this.#blank(depth, line);
      return;
    }
    const item = this.#containers[depth - 1];
    if (item?.kind === "item") item.hasContent = true;
    if (leaf?.kind === "paragraph" && !this.#endsParagraph(rest, depth)) {
      this.#continueParagraph(leaf, { rest, isLazy: depth < this.#containers.length }, line);
      return;
    }
    if (leaf?.kind === "table" && depth === this.#containers.length) {
      this.#append(line);
      return;
    }
    if (leaf?.kind === "indented" && depth === this.#containers.length && indentOf(rest) >= CODE_COLUMNS) {
      this.#append(line);
      return;
    }
    close();
    this.#startLeaf(rest, line);
  }

  #endsParagraph(rest: Rest, depth: number): boolean {
    if (indentOf(rest) >= CODE_COLUMNS) return false;
    const isUnder = depth === this.#containers.length && isUnderline(rest);
    if (isUnder) return false;
    return (
      isHeading(rest) ||
      isRule(rest) ||
      openingFence(rest) !== undefined ||
      htmlStart(rest, true) !== undefined
    );
  }

  #continueParagraph(
    leaf: Extract<Leaf, { first: string }>,
    { rest, isLazy }: { readonly rest: Rest; readonly isLazy: boolean },
    line: string,
  ): void {
    const isTop = this.#containers.length === 0;
    if (isTop && indentOf(rest) < CODE_COLUMNS && isUnderline(rest)) {
      this.#kind = "heading";
      this.#isEnding = true;
      this.#leaf = undefined;
      this.#append(line);
      return;
    }
    if (!isLazy && leaf.lines === 1 && leaf.first.includes("|") && isTableRule(rest, leaf.first)) {
      this.#leaf = { ...leaf, kind: "table" };
      if (isTop) this.#kind = "table";
    } else leaf.lines += 1;
    this.#append(line);
  }

  #blank(depth: number, line: string): void {
    const leaf = this.#leaf;
    const top = this.#containers[0];
    if (leaf?.kind === "indented" && depth === this.#containers.length) {
      this.#append(line);
      return;
    }
    this.#leaf = undefined;
    const isInList = top?.kind === "list";
    if (depth < this.#containers.length) this.#containers.length = depth;
    if (isInList || (top?.kind === "quote" && depth > 0)) {
      this.#append(line);
      return;
    }
    this.#containers = [];
    this.#closeTop();
    this.#closed.push(line === BLANK.source ? BLANK : { kind: "blank", source: line });
  }

  #item(mark: ListMark, depth: number): void {
    const list = this.#containers[depth - 1];
    if (list?.kind === "list" && list.mark !== mark.kind) this.#containers.length = depth - 1;
    if (this.#containers.at(-1)?.kind !== "list") this.#enter({ kind: "list", mark: mark.kind });
    // A long list ends its part before an item at its top.
    if (this.#containers.length === 1 && this.#isLongPart("list")) this.#closePart();
    this.#containers.push({
      kind: "item",
      columns: mark.columns,
      length: mark.length,
      hasContent: !isBlankRest(mark.rest),
    });
  }

  /** Opens a quotation or a list; one at the top begins a block there. */
  #enter(container: Extract<Container, { kind: "quote" | "list" }>): void {
    // A list has only items: anything else ends it.
    while (this.#containers.at(-1)?.kind === "list") this.#containers.pop();
    const around = this.#containers.at(-1);
    if (around === undefined) this.#startTop(container.kind);
    if (around?.kind === "item") around.hasContent = true;
    this.#containers.push(container);
  }

  #startLeaf(rest: Rest, line: string): void {
    while (this.#containers.at(-1)?.kind === "list") this.#containers.pop();
    const isTop = this.#containers.length === 0;
    const [kind, leaf] = leafOf(rest);
    if (isTop) this.#startTop(kind);
    const [only, ...others] = this.#containers;
    if (only?.kind === "quote" && others.length === 0 && this.#isLongPart("quote")) this.#closePart();
    this.#leaf = leaf;
    this.#isEnding = isTop && leaf === undefined;
    this.#append(line);
  }

  #startTop(kind: BlockKind): void {
    this.#closeTop();
    this.#kind = kind;
  }

  /** Adds to the open block, in parts if it is too long. */
  #append(text: string): void {
    const kind = this.#kind;
    const isWhole = this.#source.endsWith("\n");
    const isFull = this.#source.length + text.length > BLOCK_CHARACTERS_MAX;
    // The line that ends the code belongs to the last part.
    const isLong = (kind === "code" || kind === "table") && this.#isLongPart(kind) && !this.#isEnding;
    if (isWhole && (isFull || isLong)) this.#closePart();
    let rest = text;
    while (this.#source.length + rest.length > BLOCK_CHARACTERS_MAX) {
      const room = BLOCK_CHARACTERS_MAX - this.#source.length;
      this.#source += rest.slice(0, room);
      rest = rest.slice(room);
      this.#closePart();
    }
    this.#source += rest;
    if (rest.endsWith("\n")) this.#lines += 1;
    // A long line continues: its block is closed by what follows.
    if (this.#isEnding && !this.#isLongLine) this.#closeTop();
  }

  #isLongPart(kind: BlockKind): boolean {
    const isLong = this.#lines >= (PART_LINES_MAX[kind] ?? Number.POSITIVE_INFINITY);
    return (isLong || this.#source.length > BLOCK_CHARACTERS_MAX / 2) && this.#source.endsWith("\n");
  }

  /** Closes a part of the open block. `reopened`: the line that opens the code in it again, if there is some. */
  #closePart(reopened = ""): void {
    const part = this.#block();
    this.#closed.push({ ...part, isPart: true });
    const isOfFirst = part.kind === "code" || part.kind === "table";
    this.#continues = isOfFirst ? (part.continues ?? begunBy(part)) : reopened;
    this.#source = "";
    this.#lines = 0;
  }

  #closeTop(): void {
    if (this.#source !== "") this.#closed.push(this.#block());
    this.#source = "";
    this.#lines = 0;
    this.#continues = undefined;
    this.#kind = undefined;
    this.#isEnding = false;
  }

  #block(): MarkdownBlock {
    const [kind, source, continues] = [this.#kind ?? "paragraph", this.#source, this.#continues];
    return continues === undefined ? { kind, source } : { kind, source, continues };
  }
}

/** Returns what all later parts of a block of code or of a table need of the first one. */
function begunBy({ kind, source }: MarkdownBlock): string {
  if (kind === "table") return source;
  return source.slice(0, Math.min(source.indexOf("\n") + 1 || source.length, MARKDOWN_LINE_CHARACTERS_MAX));
}

import type { MarkdownBlock } from "../markdown/markdown-blocks.ts";
import { MarkdownBlocks } from "../markdown/markdown-blocks.ts";
import { GrowingList } from "./growing-list.ts";

/** A text that comes in pieces, as a value: `textAfter` returns the next one in the time of the piece. */
export interface StreamedText {
  /** Blocks that no further text can change. */
  readonly closed: GrowingList<MarkdownBlock>;
  /** Source of the block that is still open; empty once the text has ended. */
  readonly open: string;
  /** Characters of the whole text. */
  readonly characters: number;
  /** Lines of the text without the blank ones at its ends, so far; 0 while it is blank. */
  readonly lines: number;
  /** Line ends behind the last word. */
  readonly lastEnds: number;
  /** Reads what comes next; absent once the text has ended. */
  readonly reader?: MarkdownBlocks;
}

/** Returns a text after its first piece. */
export function newText(piece: string): StreamedText {
  return grown(
    {
      closed: GrowingList.of(),
      open: "",
      characters: 0,
      lines: 0,
      lastEnds: 0,
      reader: new MarkdownBlocks(),
    },
    piece,
  );
}

/** Returns a text after one more piece. */
export function textAfter(text: StreamedText, piece: string): StreamedText {
  return text.reader === undefined ? text : grown({ ...text, reader: text.reader.clone() }, piece);
}

/** Returns a text to which nothing more comes: all its blocks are closed. */
export function endedText({ reader, ...text }: StreamedText): StreamedText {
  const last = reader?.clone().end() ?? [];
  return { ...text, closed: text.closed.with(last), open: "" };
}

/** Returns the whole source of a text. */
export function streamedSource({ closed, open }: StreamedText): string {
  return [...closed].map(({ source }) => source).join("") + open;
}

/** Returns the last line of a text that is not blank; empty if there is none. Reads no more blocks than it needs. */
export function lastLineOf({ closed, open }: StreamedText): string {
  let tail = open.trimEnd();
  for (let at = closed.length - 1; at >= 0 && !tail.includes("\n"); at -= 1)
    tail = `${closed.at(at)?.source ?? ""}${tail}`.trimEnd();
  return tail.slice(tail.lastIndexOf("\n") + 1).trimStart();
}

function grown(text: StreamedText & { readonly reader: MarkdownBlocks }, piece: string): StreamedText {
  const { reader } = text;
  const closed = text.closed.with(reader.push(piece));
  return {
    closed,
    open: reader.open,
    characters: text.characters + piece.length,
    ...linesAfter(text, piece),
    reader,
  };
}

function linesAfter({ lines, lastEnds }: Pick<StreamedText, "lines" | "lastEnds">, piece: string) {
  const { length } = piece.trimEnd();
  if (length === 0) return { lines, lastEnds: lines === 0 ? 0 : lastEnds + lineEnds(piece) };
  const words = piece.slice(0, length);
  return {
    lines: lines === 0 ? 1 + lineEnds(words.trimStart()) : lines + lastEnds + lineEnds(words),
    lastEnds: lineEnds(piece.slice(length)),
  };
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

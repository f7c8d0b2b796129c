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
  /** Reads what comes next; absent once the text has ended. */
  readonly reader?: MarkdownBlocks;
}

/** Returns a text after its first piece. */
export function newText(piece: string): StreamedText {
  return grown({ closed: GrowingList.of(), open: "", characters: 0, reader: new MarkdownBlocks() }, piece);
}

/** Returns a text after one more piece. */
export function textAfter(text: StreamedText, piece: string): StreamedText {
  return text.reader === undefined ? text : grown({ ...text, reader: text.reader.clone() }, piece);
}

/** Returns a text to which nothing more comes: all its blocks are closed. */
export function endedText({ closed, characters, reader }: StreamedText): StreamedText {
  const last = reader?.clone().end() ?? [];
  return { closed: closed.with(last), open: "", characters };
}

/** Returns the whole source of a text. */
export function streamedSource({ closed, open }: StreamedText): string {
  return [...closed].map(({ source }) => source).join("") + open;
}

function grown(text: StreamedText & { readonly reader: MarkdownBlocks }, piece: string): StreamedText {
  const { reader } = text;
  const closed = text.closed.with(reader.push(piece));
  return { closed, open: reader.open, characters: text.characters + piece.length, reader };
}

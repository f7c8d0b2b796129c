import type { EventSeq } from "../../../../base/ids.ts";
import type { MarkdownBlock } from "../../../../view/markdown/markdown-blocks.ts";
import type { CallItem, TextItem, TranscriptItem } from "../../../../view/transcript/items.ts";
import { sourceOfCode } from "../../markdown/draw-code.ts";
import type { Unfolded } from "../folds.ts";
import type { PlacedRow } from "../pane.ts";

/** A part of a block that is marked by itself: a Markdown block of an answer, or a call of a sub-agent. */
export type MarkedPart =
  | { readonly kind: "markdown"; readonly first: number; readonly last: number }
  | { readonly kind: "call"; readonly event: EventSeq };

/** Returns the parts of a block that can be marked by themselves, in their order; none in most blocks. */
export function blockPartsOf(item: TranscriptItem, unfolded: Unfolded): readonly MarkedPart[] {
  if (item.kind === "text") return markdownParts(item);
  return item.kind === "call" && unfolded.has(item.event) ? callParts(item, unfolded) : [];
}

export function isSamePart(one: MarkedPart, two: MarkedPart): boolean {
  if (one.kind === "call") return two.kind === "call" && one.event === two.event;
  return two.kind === "markdown" && one.first === two.first;
}

/** Returns true for a row of a part. */
export function isRowOf(part: MarkedPart, { place, drawn }: PlacedRow): boolean {
  if (part.kind === "markdown") return place.part >= part.first && place.part <= part.last;
  const { target } = drawn;
  return target?.event === part.event;
}

/** Returns the source of a part of an answer: of code, its lines without the fence. */
export function markdownSource({ streamed }: TextItem, first: number, last: number): string {
  const blocks: MarkdownBlock[] = [];
  for (let part = first; part <= last; part += 1) {
    const block = streamed.closed.at(part);
    if (block !== undefined) blocks.push(block);
  }
  const source = blocks.map((block) => block.source).join("");
  const [begun] = blocks;
  return begun?.kind === "code" ? sourceOfCode({ kind: "code", source }) : source.trimEnd();
}

/** Returns an item in a call, however deep; undefined if it is not there. */
export function nestedItem(call: CallItem, event: EventSeq): TranscriptItem | undefined {
  for (const item of call.items) {
    const found = item.event === event ? item : item.kind === "call" ? nestedItem(item, event) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A long Markdown block is closed in parts, which belong together. */
function markdownParts({ streamed }: TextItem): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  let first: number | undefined;
  let part = 0;
  for (const { kind, isPart } of streamed.closed) {
    if (kind !== "blank") {
      first ??= part;
      if (isPart !== true) {
        parts.push({ kind: "markdown", first, last: part });
        first = undefined;
      }
    }
    part += 1;
  }
  return parts;
}

function callParts({ items }: CallItem, unfolded: Unfolded): readonly MarkedPart[] {
  return items.flatMap((item): readonly MarkedPart[] => {
    if (item.kind !== "call") return [];
    const deeper = unfolded.has(item.event) ? callParts(item, unfolded) : [];
    return [{ kind: "call", event: item.event }, ...deeper];
  });
}

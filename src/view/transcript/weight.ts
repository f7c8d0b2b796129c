import { unreachable } from "../../base/assert.ts";
import { jsonCharacters } from "../../base/json.ts";
import type { TranscriptItem } from "./items.ts";

/** Characters that each item takes besides its texts, about. */
const ITEM_CHARACTERS = 200;

/** Weights of items, which are values: each is counted once. */
const KNOWN = new WeakMap<TranscriptItem, number>();

/** Returns the characters that items take in memory, about. */
export function weightOfItems(items: readonly TranscriptItem[]): number {
  return items.reduce((sum, item) => sum + weightOfItem(item), 0);
}

function weightOfItem(item: TranscriptItem): number {
  const known = KNOWN.get(item);
  if (known !== undefined) return known;
  const weight = ITEM_CHARACTERS + textWeight(item);
  KNOWN.set(item, weight);
  return weight;
}

function textWeight(item: TranscriptItem): number {
  switch (item.kind) {
    case "text":
    case "thinking":
      return item.streamed.characters;
    case "prompt":
      return item.content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
    case "call":
      return (
        jsonCharacters(item.args) + item.output.length + (item.diff?.length ?? 0) + weightOfItems(item.items)
      );
    case "note":
      return item.text.length;
    case "end":
      return 0;
    default:
      return unreachable(item);
  }
}

import type { JsonObject } from "../../../base/json.ts";
import { encode } from "../../../base/text/text.ts";

/** What was rendered last. */
interface Rendered {
  readonly opening: string;
  readonly items: readonly unknown[];
  /** Where each item begins in the bytes, and after them where the last one ends. */
  readonly places: readonly number[];
  readonly bytes: Uint8Array;
}

const NOTHING: Rendered = { opening: "", items: [], places: [0], bytes: new Uint8Array() };

/**
 * Renders request bodies as `JSON.stringify` does, in UTF-8.
 *
 * A request is the one before and a little more, and a long session sends megabytes of history in every round. So what
 * the list that a body ends with has in common with the one before is copied from its bytes. An item that is the same
 * object is not even looked at: bodies are plain data that never changes. The last body is held; what is returned is
 * the caller's and is not written to again.
 */
export class RequestBytes {
  #last = NOTHING;

  render(body: JsonObject): Uint8Array {
    const { opening, items, closing } = parts(body);
    const before = opening === this.#last.opening ? this.#last : NOTHING;
    const same = commonItems(items, before);
    const head = same === 0 ? encode(opening) : before.bytes.subarray(0, before.places[same]);
    const added = items.slice(same).map((item, index) => itemBytes(item, same + index));
    const tail = encode(closing);

    const length = [...added, tail].reduce((sum, part) => sum + part.length, head.length);
    const bytes = Buffer.allocUnsafeSlow(length); // every byte of it is written below
    bytes.set(head);
    const places = [...before.places.slice(0, same), head.length];
    let at = head.length;
    for (const part of added) {
      bytes.set(part, at);
      at += part.length;
      places.push(at);
    }
    bytes.set(tail, at);
    this.#last = { opening, items, places, bytes };
    return bytes;
  }
}

/** How many items at the beginning are what they were, as objects or else as text. */
function commonItems(items: readonly unknown[], before: Rendered): number {
  let same = 0;
  while (same < Math.min(items.length, before.items.length)) {
    if (items[same] !== before.items[same]) {
      const bytesBefore = before.bytes.subarray(before.places[same], before.places[same + 1]);
      if (Buffer.compare(itemBytes(items[same], same), bytesBefore) !== 0) break;
    }
    same += 1;
  }
  return same;
}

function itemBytes(item: unknown, index: number): Uint8Array {
  return encode((index === 0 ? "" : ",") + (JSON.stringify(item) ?? "null"));
}

/** A body around the list that it ends with; one that does not end with a list has no items. */
function parts(body: JsonObject): Pick<Rendered, "opening" | "items"> & { readonly closing: string } {
  const last = Object.keys(body).at(-1) ?? "";
  const { [last]: items, ...rest } = body;
  if (!Array.isArray(items)) return { opening: JSON.stringify(body), items: [], closing: "" };
  const before = JSON.stringify(rest).slice(0, -1);
  const comma = before === "{" ? "" : ",";
  return { opening: `${before}${comma}${JSON.stringify(last)}:[`, items, closing: "]}" };
}

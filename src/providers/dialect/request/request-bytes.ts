import type { JsonObject } from "../../../base/json.ts";
import { encode } from "../../../base/text/text.ts";
import { commonStart } from "./common-start.ts";

/** The last rendered body. */
interface Rendered {
  readonly opening: string;
  readonly items: readonly unknown[];
  /** Byte offset of each item, and after them the end of the last one. */
  readonly places: readonly number[];
  readonly bytes: Uint8Array;
}

const NOTHING: Rendered = { opening: "", items: [], places: [0], bytes: new Uint8Array() };

/**
 * Renders request bodies as `JSON.stringify` does, in UTF-8.
 *
 * A request repeats the previous one and adds a little; a long session sends megabytes of history every round. Items
 * that the body's last list shares with the previous body are copied from its bytes. An identical object is not
 * compared further, since bodies are plain data that never changes. The last body is kept; the returned bytes belong
 * to the caller and are not written again.
 */
export class RequestBytes {
  #last = NOTHING;

  render(body: JsonObject): Uint8Array {
    const { opening, items, closing } = parts(body);
    const before = opening === this.#last.opening ? this.#last : NOTHING;
    const { same, next } = commonItems(items, before);
    const head = same === 0 ? encode(opening) : before.bytes.subarray(0, before.places[same]);
    const added = items
      .slice(same)
      .map((item, index) => (index === 0 ? next : undefined) ?? itemBytes(item, same + index));
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

/** Counts the leading items that are unchanged, as objects or as text; `next` is the one after them, if rendered. */
function commonItems(
  items: readonly unknown[],
  before: Rendered,
): { readonly same: number; readonly next?: Uint8Array } {
  let same = commonStart(items, before.items);
  while (same < Math.min(items.length, before.items.length)) {
    if (items[same] !== before.items[same]) {
      const next = itemBytes(items[same], same);
      const bytesBefore = before.bytes.subarray(before.places[same], before.places[same + 1]);
      if (Buffer.compare(next, bytesBefore) !== 0) return { same, next };
    }
    same += 1;
  }
  return { same };
}

function itemBytes(item: unknown, index: number): Uint8Array {
  return encode((index === 0 ? "" : ",") + (JSON.stringify(item) ?? "null"));
}

/** Splits a body around the list that it ends with; a body that ends otherwise has no items. */
function parts(body: JsonObject): Pick<Rendered, "opening" | "items"> & { readonly closing: string } {
  const last = Object.keys(body).at(-1) ?? "";
  const { [last]: items, ...rest } = body;
  if (!Array.isArray(items)) return { opening: JSON.stringify(body), items: [], closing: "" };
  const before = JSON.stringify(rest).slice(0, -1);
  const comma = before === "{" ? "" : ",";
  return { opening: `${before}${comma}${JSON.stringify(last)}:[`, items, closing: "]}" };
}

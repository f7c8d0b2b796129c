import { join } from "node:path";
import type { Files, OpenFile } from "../../../base/world.ts";
import { objectNameAt } from "./git-index.ts";

const PACKS_MAX = 4_096;
const [NAMES_AT, NAME_BYTES, CHECK_BYTES, PLACE_BYTES, LARGE_BYTES] = [8 + 1024, 20, 4, 4, 8];
/** First words of an index of version 2. */
const [MAGIC, VERSION] = [0xff74_4f63, 2];
/** Limit for names with the same first byte; a pack with more has 250 million objects. */
const BUCKET_NAMES_MAX = 1_000_000;

/** One file of packed objects. */
export interface Pack {
  readonly path: string;
  readonly index: string;
  /** Count of names in its index that begin with this byte or a lower one. */
  readonly upTo: Uint32Array;
}

/** Opens the packs in a folder of a repository; skips damaged ones. Follows no link. */
export async function openPacks(files: Files, folder: string): Promise<readonly Pack[]> {
  const packs: Pack[] = [];
  const entries = await files.listResolved(folder, 0);
  for (const { name } of entries.filter((entry) => entry.name.endsWith(".idx")).slice(0, PACKS_MAX)) {
    const index = join(folder, name);
    const upTo = await fanOut(files, index);
    if (upTo !== undefined) packs.push({ path: `${index.slice(0, -4)}.pack`, index, upTo });
  }
  return packs;
}

async function fanOut(files: Files, path: string): Promise<Uint32Array | undefined> {
  try {
    await using index = await files.openResolved(path);
    const view = viewOf(await index.read(0, NAMES_AT));
    if (view.getUint32(0) !== MAGIC || view.getUint32(4) !== VERSION) return undefined;
    return Uint32Array.from({ length: 256 }, (_, byte) => view.getUint32(8 + byte * 4));
  } catch {
    return undefined; // gone, or too short: its objects are searched in the other packs
  }
}

/** Returns the count of bytes of names that a lookup reads. */
export function lookupBytes(pack: Pack, object: string): number {
  return Math.max(0, bucketOf(pack, object).count) * NAME_BYTES;
}

/** Returns the offset of an object in a pack; undefined if it is not in it. @throws Error if the index is damaged. */
export async function findOffset(files: Files, pack: Pack, object: string): Promise<number | undefined> {
  const { from, count } = bucketOf(pack, object);
  if (count <= 0 || count > BUCKET_NAMES_MAX) return undefined;
  await using index = await files.openResolved(pack.index);
  const names = await index.read(NAMES_AT + from * NAME_BYTES, count * NAME_BYTES);
  const place = placeOf(names, object);
  return place === undefined ? undefined : await readOffset(index, pack.upTo[255] ?? 0, from + place);
}

/** Returns the range of names with the same first byte. */
function bucketOf({ upTo }: Pack, object: string): { readonly from: number; readonly count: number } {
  const first = Number.parseInt(object.slice(0, 2), 16);
  const from = first === 0 ? 0 : (upTo[first - 1] ?? 0);
  return { from, count: (upTo[first] ?? 0) - from };
}

/** Searches by halves: names are sorted. */
function placeOf(names: Uint8Array, object: string): number | undefined {
  let [low, high] = [0, Math.floor(names.length / NAME_BYTES)];
  while (low < high) {
    const middle = (low + high) >> 1;
    const name = objectNameAt(names, middle * NAME_BYTES);
    if (name === object) return middle;
    if (name < object) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

async function readOffset(index: OpenFile, objects: number, number: number): Promise<number> {
  const places = NAMES_AT + objects * (NAME_BYTES + CHECK_BYTES);
  const place = viewOf(await index.read(places + number * PLACE_BYTES, PLACE_BYTES)).getUint32(0);
  if (place < 0x8000_0000) return place;
  const large = places + objects * PLACE_BYTES + (place - 0x8000_0000) * LARGE_BYTES;
  return Number(viewOf(await index.read(large, LARGE_BYTES)).getBigUint64(0));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

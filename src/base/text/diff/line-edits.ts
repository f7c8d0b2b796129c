/** Limit for the search of the shortest edit between two anchors; beyond it the whole part is replaced. */
export const SEARCHED_EDITS_MAX = 512;

/** Lines of two texts that are not in both: the edit removes the ones and adds the others. */
export interface LineEdits {
  /** 1 for each line of the old text that is removed. */
  readonly removed: Uint8Array;
  /** 1 for each line of the new text that is added. */
  readonly added: Uint8Array;
}

/** Splits a text after each line feed. The last line has none if the text does not end with one. */
export function linesWithEnds(text: string): readonly string[] {
  const lines: string[] = [];
  let from = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
    lines.push(text.slice(from, end + 1));
    from = end + 1;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

/**
 * Compares two lists of lines. Lines that occur once in both texts are anchors; between them the shortest edit is
 * searched. The result is the same each time, and the time is bounded by the number of lines.
 */
export function lineEdits(before: readonly string[], after: readonly string[]): LineEdits {
  const numbers = new Map<string, number>();
  const [a, b] = [numbered(before, numbers), numbered(after, numbers)];
  const edits = { removed: new Uint8Array(a.length), added: new Uint8Array(b.length) };
  const open: Part[] = [{ a0: 0, a1: a.length, b0: 0, b1: b.length }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const inner = trimmed(part, a, b);
    if (inner.a0 === inner.a1 || inner.b0 === inner.b1) {
      replaceAll(inner, edits);
      continue;
    }
    const anchors = anchorsOf(inner, a, b);
    if (anchors.length > 0) open.push(...between(inner, anchors));
    else if (!shortestEdit(inner, { a, b, edits })) replaceAll(inner, edits);
  }
  return edits;
}

/** A range of old lines and the range of new lines that stands for it; ends are exclusive. */
interface Part {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

/** The same line in both texts. */
interface Anchor {
  readonly at: number;
  readonly to: number;
}

function numbered(lines: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  });
}

function trimmed(part: Part, a: Int32Array, b: Int32Array): Part {
  let { a0, a1, b0, b1 } = part;
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) {
    a0 += 1;
    b0 += 1;
  }
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) {
    a1 -= 1;
    b1 -= 1;
  }
  return { a0, a1, b0, b1 };
}

function replaceAll({ a0, a1, b0, b1 }: Part, { removed, added }: LineEdits): void {
  removed.fill(1, a0, a1);
  added.fill(1, b0, b1);
}

/** Returns the lines that occur once on both sides, in the longest order that both sides share. */
function anchorsOf({ a0, a1, b0, b1 }: Part, a: Int32Array, b: Int32Array): readonly Anchor[] {
  const onlyOld = placesOfUnique(a, a0, a1);
  const onlyNew = placesOfUnique(b, b0, b1);
  const pairs: Anchor[] = [];
  for (const [line, at] of onlyOld) {
    const to = onlyNew.get(line);
    if (at !== REPEATED && to !== undefined && to !== REPEATED) pairs.push({ at, to });
  }
  return longestRising(pairs);
}

const REPEATED = -1;

function placesOfUnique(lines: Int32Array, from: number, end: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < end; at += 1) {
    const line = lines[at] as number;
    places.set(line, places.has(line) ? REPEATED : at);
  }
  return places;
}

/** Returns the longest part of pairs, which rise by `at`, that rises by `to` as well. */
function longestRising(pairs: readonly Anchor[]): readonly Anchor[] {
  const last: number[] = []; // index of the pair that ends the best chain of each length
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [index, { to }] of pairs.entries()) {
    let [low, high] = [0, last.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[last[middle] as number] as Anchor).to < to) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (last[low - 1] as number);
    last[low] = index;
  }
  const chain: Anchor[] = [];
  for (let at = last.at(-1) ?? -1; at !== -1; at = previous[at] as number) chain.push(pairs[at] as Anchor);
  return chain.reverse();
}

function between({ a0, a1, b0, b1 }: Part, anchors: readonly Anchor[]): readonly Part[] {
  const parts: Part[] = [];
  let [a, b] = [a0, b0];
  for (const { at, to } of anchors) {
    if (at > a || to > b) parts.push({ a0: a, a1: at, b0: b, b1: to });
    [a, b] = [at + 1, to + 1];
  }
  if (a < a1 || b < b1) parts.push({ a0: a, a1, b0: b, b1 });
  return parts;
}

interface Texts {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly edits: LineEdits;
}

/** Marks the shortest edit of one part (Myers 1986); false, with nothing marked, if it is over the limit. */
function shortestEdit({ a0, a1, b0, b1 }: Part, { a, b, edits }: Texts): boolean {
  const [n, m] = [a1 - a0, b1 - b0];
  const max = Math.min(n + m, SEARCHED_EDITS_MAX);
  const furthest = new Int32Array(2 * max + 2);
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= max; d += 1) {
    rounds.push(furthest.slice(max - d, max + d + 1));
    for (let k = -d; k <= d; k += 2) {
      const [left, right] = [furthest[max + k - 1] ?? -1, furthest[max + k + 1] as number];
      let x = d === 0 ? 0 : k === -d || (k !== d && left < right) ? right : left + 1;
      while (x < n && x - k < m && a[a0 + x] === b[b0 + x - k]) x += 1;
      furthest[max + k] = x;
      if (x >= n && x - k >= m) {
        markBack(rounds, { k, a0, b0 }, edits);
        return true;
      }
    }
  }
  return false;
}

/** Walks from the end to the start of the shortest edit. @param rounds furthest places before each round. */
function markBack(
  rounds: readonly Int32Array[],
  { k: end, a0, b0 }: { readonly k: number; readonly a0: number; readonly b0: number },
  { removed, added }: LineEdits,
): void {
  let k = end;
  for (let d = rounds.length - 1; d > 0; d -= 1) {
    const places = rounds[d] as Int32Array; // diagonals -d to d
    const [left, right] = [places[k + d - 1] ?? -1, places[k + d + 1] as number];
    if (k === -d || (k !== d && left < right)) {
      k += 1;
      added[b0 + right - k] = 1;
    } else {
      k -= 1;
      removed[a0 + left] = 1;
    }
  }
}

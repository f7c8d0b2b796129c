/** Finds secrets in a text that may arrive in pieces: the pieces give the same result as the whole. */
export interface SecretSearch {
  /** Every text that a secret can begin with, or that directly precedes one. */
  readonly starts: readonly Start[];
  decide(place: SearchPosition): SecretVerdict;
}

export interface Start {
  readonly text: string;
  /** True if it counts only without a letter or digit before it. */
  readonly bounded: boolean;
  /** Quick check. Returns false if it cannot begin a secret. `floor`: see `Place`. */
  readonly likely?: (text: string, at: number, floor: number) => boolean;
}

/** Position of a start, the longest if several match there. */
export interface SearchPosition {
  readonly text: string;
  readonly at: number;
  readonly start: string;
  /** True if no more text comes: everything must be decided. */
  readonly complete: boolean;
  /** The character before it; "" at the beginning of the text, "»" after a marker. */
  readonly before: string;
  /** Returns up to this many characters before it, as they were output: at most `BEHIND_CHARACTERS_MAX`. */
  behind(characters: number): string;
  /** The part of `text` from here to the position is output unchanged. */
  readonly floor: number;
}

export const BEHIND_CHARACTERS_MAX = 256;

/** `undecided`: the text ends too early; the caller asks again with more of it. */
export type SecretVerdict =
  /** Text before the position cannot be redacted: it may already be output. */
  | { readonly kind: "secret"; readonly name: string; readonly from: number; readonly to: number }
  | { readonly kind: "no" }
  | { readonly kind: "undecided" };

export interface Scanned {
  readonly out: string;
  readonly tail: string;
  /** The last characters of the output, for the next piece. */
  readonly behind: string;
}

/** A search with tables that find starts by their first two characters. */
export interface PreparedSearch {
  readonly search: SecretSearch;
  readonly starts: StartTable;
}

interface StartTable {
  /** By the code of the first character: 0 none, 1 only without a word character before it, 2 anywhere. */
  readonly first: Uint8Array;
  /** By the codes of the first two characters: index of the list of their starts; `NO_STARTS`, or `NOT_LISTED` yet. */
  readonly pairs: Uint16Array;
  /** Each is made when a text first has the two characters. */
  readonly lists: (readonly Start[])[];
  /** Starts by their first character. Those of a character beyond ASCII are not in the other tables. */
  readonly byFirst: ReadonlyMap<number, readonly Start[]>;
  readonly charactersMax: number;
  /** Every prefix of a start, and true if it must be bounded. Built when the first text comes in pieces. */
  readonly beginnings: () => ReadonlyMap<string, boolean>;
  /** True if one of them contains a blank. */
  readonly blanks: boolean;
}

const ASCII = 128;
const NO_STARTS = 0;
const NOT_LISTED = 1;

export function prepareSearch(search: SecretSearch): PreparedSearch {
  const first = new Uint8Array(ASCII + 1);
  const pairs = new Uint16Array(ASCII * ASCII);
  const byFirst = new Map<number, Start[]>();
  for (const start of [...search.starts].sort((a, b) => b.text.length - a.text.length)) {
    const code = slot(start.text.charCodeAt(0));
    first[code] = Math.max(first[code] ?? 0, start.bounded ? 1 : 2);
    const same = byFirst.get(code);
    if (same === undefined) byFirst.set(code, [start]);
    else same.push(start);
    if (code === ASCII) continue;
    const second = start.text.charCodeAt(1); // NaN if it has one character
    if (second < ASCII) pairs[code * ASCII + second] = NOT_LISTED;
    else if (start.text.length === 1) pairs.fill(NOT_LISTED, code * ASCII, (code + 1) * ASCII);
  }
  const charactersMax = search.starts.reduce((most, { text }) => Math.max(most, text.length), 0);
  let known: ReadonlyMap<string, boolean> | undefined;
  const beginnings = () => {
    known ??= beginningsOf(search.starts);
    return known;
  };
  const blanks = search.starts.some(({ text }) => /[\0- ]/.test(text.slice(0, -1)));
  const lists = [[], []];
  return { search, starts: { first, pairs, lists, byFirst, charactersMax, beginnings, blanks } };
}

/** Lists the starts that begin with two characters of ASCII, the longest first, and returns the index of the list. */
function listStarts({ pairs, lists, byFirst }: StartTable, code: number, next: number): number {
  const starts = byFirst.get(code) ?? [];
  const list = lists.push(starts.filter(({ text }) => text.length === 1 || text.charCodeAt(1) === next)) - 1;
  pairs[code * ASCII + next] = list;
  return list;
}

function beginningsOf(starts: readonly Start[]): ReadonlyMap<string, boolean> {
  const beginnings = new Map<string, boolean>();
  for (const { text, bounded } of starts) {
    for (let length = 1; length < text.length; length++) {
      const beginning = text.slice(0, length);
      beginnings.set(beginning, bounded && beginnings.get(beginning) !== false);
    }
  }
  return beginnings;
}

/** All characters beyond ASCII share one slot. */
function slot(code: number): number {
  return code < ASCII ? code : ASCII;
}

/** Scans a text once. `held` must wait for more text; it is "" if the text is complete. */
export function scanText(by: PreparedSearch, text: string, behind: string, complete: boolean): Scanned {
  const { search, starts } = by;
  let out = "";
  let from = 0; // text before it is in `out`
  let tail = behind; // the characters before `from`
  let at = 0;
  while (true) {
    const found = findStart(starts, text, at, from, tail);
    const near = found === undefined || found.at > text.length - starts.charactersMax;
    const open = near && !complete ? openEnd(starts, text, from, tail) : text.length;
    if (found === undefined || found.at > open) return finish(open);
    const here = found.at;
    const verdict = search.decide(new Here(text, found, { floor: from, tail, complete }));
    if (verdict.kind === "undecided") return finish(Math.min(open, here));
    if (verdict.kind === "no") {
      at = here + 1;
      continue;
    }
    const decided = `${text.slice(from, verdict.from)}«redacted:${verdict.name}»`;
    out += decided;
    tail = keepTail(tail, decided);
    from = verdict.to;
    at = from;
  }

  function finish(end: number): Scanned {
    const rest = text.slice(from, end);
    return { out: out + rest, tail: text.slice(end), behind: keepTail(tail, rest) };
  }
}

class Here implements SearchPosition {
  readonly text: string;
  readonly at: number;
  readonly start: string;
  readonly complete: boolean;
  readonly floor: number;
  readonly #tail: string;

  constructor(
    text: string,
    found: SecretStart,
    { floor, tail, complete }: { readonly floor: number; readonly tail: string; readonly complete: boolean },
  ) {
    this.text = text;
    this.at = found.at;
    this.start = found.text;
    this.complete = complete;
    this.floor = floor;
    this.#tail = tail;
  }

  get before(): string {
    return this.at === this.floor ? this.#tail.slice(-1) : (this.text[this.at - 1] ?? "");
  }

  behind(characters: number): string {
    if (this.at - this.floor >= characters) return this.text.slice(this.at - characters, this.at);
    return (this.#tail + this.text.slice(this.floor, this.at)).slice(-characters);
  }
}

/** Keeps at least `BEHIND_CHARACTERS_MAX` of the preceding text, if available; trimmed only now and then. */
function keepTail(tail: string, more: string): string {
  if (more.length >= BEHIND_CHARACTERS_MAX) return more.slice(-BEHIND_CHARACTERS_MAX);
  const all = tail + more;
  return all.length < 4 * BEHIND_CHARACTERS_MAX ? all : all.slice(-BEHIND_CHARACTERS_MAX);
}

interface SecretStart {
  readonly at: number;
  readonly text: string;
}

/** Finds the next start. `from` and `tail`: the text before the first character. */
function findStart(
  starts: StartTable,
  text: string,
  at: number,
  from: number,
  tail: string,
): SecretStart | undefined {
  const { first, pairs, lists, byFirst } = starts;
  const end = text.length;
  let before = at > from ? text.charCodeAt(at - 1) : tail === "" ? 0 : tail.charCodeAt(tail.length - 1);
  for (let here = at; here < end; here++) {
    const code = text.charCodeAt(here);
    const place = code < ASCII ? code : ASCII;
    const kind = first[place];
    if (kind === 0 || (kind === 1 && isWordCode(before))) {
      before = code;
      continue;
    }
    const next = here + 1 < end ? text.charCodeAt(here + 1) : 0;
    const inTables = place < ASCII && next < ASCII;
    let list = inTables ? (pairs[place * ASCII + next] ?? NO_STARTS) : NO_STARTS;
    if (inTables && list === NO_STARTS) {
      before = code;
      continue;
    }
    if (list === NOT_LISTED) list = listStarts(starts, place, next);
    for (const start of (inTables ? lists[list] : byFirst.get(place)) ?? []) {
      if (start.bounded && isWordCode(before)) continue;
      if (!text.startsWith(start.text, here)) continue;
      if (start.likely?.(text, here, from) ?? true) return { at: here, text: start.text };
    }
    before = code;
  }
  return undefined;
}

/** Returns the position where the text ends in a possible beginning of a start, or in half a surrogate pair. */
function openEnd(starts: StartTable, text: string, from: number, tail: string): number {
  const { first, beginnings, charactersMax, blanks } = starts;
  const least = Math.max(from, text.length - charactersMax + 1);
  const known = beginnings();
  let open = text.length;
  for (let at = text.length - 1; at >= least; at--) {
    const code = text.charCodeAt(at);
    if (code <= 32 && !blanks) break; // no start continues over a blank
    // Looked up only where a start may begin: every piece of every answer ends here (PERF-02).
    const kind = first[slot(code)];
    if (kind === 0) continue;
    const before = at === from ? tail.charCodeAt(tail.length - 1) : text.charCodeAt(at - 1);
    const isWithinWord = isWordCode(before);
    if (kind === 1 && isWithinWord) continue;
    const bounded = known.get(text.slice(at));
    if (bounded !== undefined && !(bounded && isWithinWord)) open = at;
  }
  if (open < text.length) return open;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff && text.length > from ? text.length - 1 : text.length;
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

export function isWordCharacter(character: string): boolean {
  return isWordCode(character.charCodeAt(0));
}

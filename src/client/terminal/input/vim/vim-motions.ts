import { after, before, endOfLine, isWord, startOfLine } from "../editor/graphemes.ts";

/** Target of a motion, and the part of the text that an operator takes. */
export interface Target {
  readonly from: number;
  /** The place behind the part; for a motion alone, see `at`. */
  readonly to: number;
  /** The new place of the cursor if there is no operator. */
  readonly at: number;
  /** True: whole lines. */
  readonly lines?: boolean;
}

/** The last search for a character in its line. */
export interface CharacterSearch {
  readonly kind: "f" | "F" | "t" | "T";
  readonly character: string;
}

export interface MotionContext {
  readonly text: string;
  readonly cursor: number;
  /** Absent: none was given. */
  readonly count?: number;
  readonly search?: CharacterSearch;
}

const OPPOSITE = { f: "F", F: "f", t: "T", T: "t" } as const;
const BRACKETS: Readonly<Record<string, readonly [string, string]>> = {
  "(": ["(", ")"],
  ")": ["(", ")"],
  b: ["(", ")"],
  "[": ["[", "]"],
  "]": ["[", "]"],
  "{": ["{", "}"],
  "}": ["{", "}"],
  B: ["{", "}"],
  "<": ["<", ">"],
  ">": ["<", ">"],
};
/** Characters that are searched for a bracket, in each direction. */
const BRACKET_UNITS_MAX = 100_000;

type Class = "blank" | "word" | "other" | "none";

function classOf(character: string): Class {
  if (character === "") return "none";
  if (/^\s/.test(character)) return "blank";
  return isWord(String.fromCodePoint(character.codePointAt(0) ?? 0)) ? "word" : "other";
}

function classAt(text: string, at: number): Class {
  return classOf(text.slice(at, at + 2));
}

function classBefore(text: string, at: number): Class {
  return at === 0 ? "none" : classAt(text, before(text, at));
}

function repeated(count: number, at: number, step: (at: number) => number): number {
  let place = at;
  for (let done = 0; done < count; done += 1) {
    const next = step(place);
    if (next === place) break;
    place = next;
  }
  return place;
}

function nextWord(text: string, from: number): number {
  let at = from;
  const begun = classAt(text, at);
  if (begun !== "blank") while (at < text.length && classAt(text, at) === begun) at = after(text, at);
  while (classAt(text, at) === "blank") at = after(text, at);
  return at;
}

function previousWord(text: string, from: number): number {
  let at = from;
  while (classBefore(text, at) === "blank") at = before(text, at);
  const begun = classBefore(text, at);
  while (at > 0 && classBefore(text, at) === begun) at = before(text, at);
  return at;
}

/** Returns the place behind the last character of a word. */
function wordEnd(text: string, from: number): number {
  let at = from;
  while (classAt(text, at) === "blank") at = after(text, at);
  const begun = classAt(text, at);
  while (at < text.length && classAt(text, at) === begun) at = after(text, at);
  return at;
}

function lineBelow(text: string, at: number): number {
  const end = endOfLine(text, at);
  return end === text.length ? at : end + 1;
}

function lineAbove(text: string, at: number): number {
  const start = startOfLine(text, at);
  return start === 0 ? at : start - 1;
}

function firstOfLine(text: string, at: number): number {
  const start = startOfLine(text, at);
  const line = text.slice(start, endOfLine(text, at));
  return start + (line.length - line.trimStart().length);
}

function upTo(cursor: number, at: number): Target {
  return { from: Math.min(cursor, at), to: Math.max(cursor, at), at };
}

/** The character at the place belongs to the part. */
function including(text: string, cursor: number, at: number): Target {
  return { from: Math.min(cursor, at), to: after(text, Math.max(cursor, at)), at };
}

function wholeLines(cursor: number, at: number): Target {
  return { ...upTo(cursor, at), lines: true };
}

type Motion = (context: MotionContext) => Target | undefined;

const MOTIONS: Readonly<Record<string, Motion>> = {
  h: ({ text, cursor, count = 1 }) => {
    const start = startOfLine(text, cursor);
    return upTo(
      cursor,
      repeated(count, cursor, (at) => Math.max(start, before(text, at))),
    );
  },
  l: ({ text, cursor, count = 1 }) => {
    const end = endOfLine(text, cursor);
    return upTo(
      cursor,
      repeated(count, cursor, (at) => Math.min(end, after(text, at))),
    );
  },
  j: ({ text, cursor, count = 1 }) => {
    const at = repeated(count, cursor, (place) => lineBelow(text, place));
    return at === cursor ? undefined : wholeLines(cursor, at);
  },
  k: ({ text, cursor, count = 1 }) => {
    const at = repeated(count, cursor, (place) => lineAbove(text, place));
    return at === cursor ? undefined : wholeLines(cursor, at);
  },
  w: ({ text, cursor, count = 1 }) =>
    upTo(
      cursor,
      repeated(count, cursor, (at) => nextWord(text, at)),
    ),
  b: ({ text, cursor, count = 1 }) =>
    upTo(
      cursor,
      repeated(count, cursor, (at) => previousWord(text, at)),
    ),
  e: ({ text, cursor, count = 1 }) => {
    const at = repeated(count, cursor, (place) => before(text, wordEnd(text, after(text, place))));
    return including(text, cursor, Math.max(cursor, at));
  },
  "0": ({ text, cursor }) => upTo(cursor, startOfLine(text, cursor)),
  "^": ({ text, cursor }) => upTo(cursor, firstOfLine(text, cursor)),
  $: ({ text, cursor, count = 1 }) =>
    upTo(
      cursor,
      endOfLine(
        text,
        repeated(count - 1, cursor, (at) => lineBelow(text, at)),
      ),
    ),
  gg: ({ text, cursor, count = 1 }) => wholeLines(cursor, firstOfLine(text, startOfLineNumber(text, count))),
  G: ({ text, cursor, count }) =>
    wholeLines(cursor, firstOfLine(text, count === undefined ? text.length : startOfLineNumber(text, count))),
  ";": (context) => searched(context, context.search),
  ",": (context) =>
    searched(context, context.search && { ...context.search, kind: OPPOSITE[context.search.kind] }),
};

function startOfLineNumber(text: string, count: number): number {
  return repeated(count - 1, 0, (at) => lineBelow(text, at));
}

function searched(
  { text, cursor, count = 1 }: MotionContext,
  search: CharacterSearch | undefined,
): Target | undefined {
  if (search === undefined) return undefined;
  const { kind, character } = search;
  const isForward = kind === "f" || kind === "t";
  const [start, end] = [startOfLine(text, cursor), endOfLine(text, cursor)];
  let at = cursor;
  for (let done = 0; done < count; done += 1) {
    const found = isForward
      ? text.indexOf(character, after(text, at))
      : at === start
        ? -1
        : text.lastIndexOf(character, before(text, at));
    if (found < start || found >= end) return undefined;
    at = found;
  }
  if (kind === "f") return including(text, cursor, at);
  if (kind === "t") return including(text, cursor, Math.max(cursor, before(text, at)));
  return upTo(cursor, kind === "F" ? at : after(text, at));
}

/** Returns the target of a motion by its keys, such as `w`, `gg` or `fx`; undefined if it leads nowhere. */
export function motionTarget(keys: string, context: MotionContext): Target | undefined {
  const search = searchOf(keys);
  return search === undefined ? MOTIONS[keys]?.(context) : searched(context, search);
}

/** Returns the search that these keys begin, if they begin one. */
export function searchOf(keys: string): CharacterSearch | undefined {
  const [kind = "", ...rest] = keys;
  const character = rest.join("");
  if (character === "") return undefined;
  return kind === "f" || kind === "F" || kind === "t" || kind === "T" ? { kind, character } : undefined;
}

/** Returns the part that an object such as `iw`, `a"` or `i(` names; undefined if there is none. */
export function objectTarget(keys: string, text: string, cursor: number): Target | undefined {
  const isAround = keys.startsWith("a");
  const name = keys.slice(1);
  if (name === "w") return wordObject(text, cursor, isAround);
  const brackets = BRACKETS[name];
  if (brackets !== undefined) return bracketObject(text, cursor, { brackets, isAround });
  return quoteObject(text, cursor, { quote: name, isAround });
}

function part(from: number, to: number): Target {
  return { from, to, at: from };
}

function wordObject(text: string, cursor: number, isAround: boolean): Target | undefined {
  const [start, end] = [startOfLine(text, cursor), endOfLine(text, cursor)];
  const here = cursor < end ? classAt(text, cursor) : "none";
  if (here === "none") return undefined;
  let [from, to] = [cursor, cursor];
  while (from > start && classBefore(text, from) === here) from = before(text, from);
  while (to < end && classAt(text, to) === here) to = after(text, to);
  if (!isAround) return part(from, to);
  const isBlank = here === "blank";
  const other = isBlank ? classAt(text, to) : "blank";
  const least = to;
  while (to < end && classAt(text, to) === other) to = after(text, to);
  if (to === least) while (from > start && classBefore(text, from) === "blank") from = before(text, from);
  return part(from, to);
}

function quoteObject(
  text: string,
  cursor: number,
  { quote, isAround }: { readonly quote: string; readonly isAround: boolean },
): Target | undefined {
  const end = endOfLine(text, cursor);
  let open = text.indexOf(quote, startOfLine(text, cursor));
  while (open !== -1 && open < end) {
    const close = text.indexOf(quote, open + 1);
    if (close === -1 || close >= end) return undefined;
    if (cursor <= close) return isAround ? part(open, close + 1) : part(open + 1, close);
    open = text.indexOf(quote, close + 1);
  }
  return undefined;
}

function bracketObject(
  text: string,
  cursor: number,
  { brackets, isAround }: { readonly brackets: readonly [string, string]; readonly isAround: boolean },
): Target | undefined {
  const [open, close] = brackets;
  const start =
    text[cursor] === open ? cursor : matching(text, cursor - 1, { wanted: open, other: close, step: -1 });
  if (start === undefined) return undefined;
  const end = matching(text, start + 1, { wanted: close, other: open, step: 1 });
  if (end === undefined) return undefined;
  return isAround ? part(start, end + 1) : part(start + 1, end);
}

function matching(
  text: string,
  from: number,
  { wanted, other, step }: { readonly wanted: string; readonly other: string; readonly step: 1 | -1 },
): number | undefined {
  let depth = 0;
  const last =
    step === 1 ? Math.min(text.length, from + BRACKET_UNITS_MAX) : Math.max(-1, from - BRACKET_UNITS_MAX);
  for (let at = from; at !== last && at >= 0; at += step) {
    if (text[at] === other) depth += 1;
    else if (text[at] === wanted && depth === 0) return at;
    else if (text[at] === wanted) depth -= 1;
  }
  return undefined;
}

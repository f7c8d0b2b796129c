/** A step back for undo: a text and the place of the cursor in it. */
interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

/** The text that a person writes, as a value: `edited` returns the next one. */
export interface EditorState extends Snapshot {
  /** Place of the cursor in the text, in units of UTF-16, never inside a character. */
  readonly cursor: number;
  readonly past: readonly Snapshot[];
  readonly future: readonly Snapshot[];
  /** Texts that were cut, the newest last. */
  readonly killed: readonly string[];
  /** What the last edit was: typing and cutting go on in one step. */
  readonly last: "typed" | "killed" | "yanked" | "other";
}

export const EMPTY_EDITOR: EditorState = {
  text: "",
  cursor: 0,
  past: [],
  future: [],
  killed: [],
  last: "other",
};

/** Edits that a key can name. */
export type EditName =
  | "deleteBack"
  | "deleteForward"
  | "deleteWordBack"
  | "deleteWordForward"
  | "killToStart"
  | "killToEnd"
  | "left"
  | "right"
  | "wordLeft"
  | "wordRight"
  | "lineStart"
  | "lineEnd"
  | "lineUp"
  | "lineDown"
  | "textStart"
  | "textEnd"
  | "yank"
  | "undo"
  | "redo";

export type Edit =
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "set"; readonly text: string; readonly cursor?: number }
  | { readonly kind: EditName };

const UNDO_MAX = 500;
const KILLED_MAX = 32;

/** Returns the editor after one edit; the same value if it changes nothing. */
export function edited(state: EditorState, edit: Edit): EditorState {
  const { text, cursor } = state;
  switch (edit.kind) {
    case "insert":
      return edit.text === "" ? state : inserted(state, edit.text);
    case "set":
      return changed(state, edit.text, edit.cursor ?? edit.text.length, "other");
    case "deleteBack":
      return cut(state, before(text, cursor), cursor, "other");
    case "deleteForward":
      return cut(state, cursor, after(text, cursor), "other");
    case "deleteWordBack":
      return cut(state, wordBefore(text, cursor), cursor, "killed");
    case "deleteWordForward":
      return cut(state, cursor, wordAfter(text, cursor), "killed");
    case "killToStart":
      return cut(state, startOfLine(text, cursor), cursor, "killed");
    case "killToEnd": {
      const end = endOfLine(text, cursor);
      return cut(state, cursor, end === cursor ? after(text, cursor) : end, "killed");
    }
    case "left":
      return moved(state, before(text, cursor));
    case "right":
      return moved(state, after(text, cursor));
    case "wordLeft":
      return moved(state, wordBefore(text, cursor));
    case "wordRight":
      return moved(state, wordAfter(text, cursor));
    case "lineStart":
      return moved(state, startOfLine(text, cursor));
    case "lineEnd":
      return moved(state, endOfLine(text, cursor));
    case "lineUp":
      return moved(state, lineAbove(text, cursor));
    case "lineDown":
      return moved(state, lineBelow(text, cursor));
    case "textStart":
      return moved(state, 0);
    case "textEnd":
      return moved(state, text.length);
    case "yank": {
      const killed = state.killed.at(-1);
      return killed === undefined
        ? state
        : { ...inserted({ ...state, last: "other" }, killed), last: "yanked" };
    }
    case "undo":
      return stepped(state, "past", "future");
    case "redo":
      return stepped(state, "future", "past");
  }
}

function inserted(state: EditorState, piece: string): EditorState {
  const { text, cursor } = state;
  return changed(state, text.slice(0, cursor) + piece + text.slice(cursor), cursor + piece.length, "typed");
}

function cut(state: EditorState, from: number, to: number, last: EditorState["last"]): EditorState {
  if (from === to) return state;
  const { text } = state;
  const next = changed(state, text.slice(0, from) + text.slice(to), from, last);
  if (last !== "killed") return next;
  const piece = text.slice(from, to);
  const goesOn = state.last === "killed" && state.killed.length > 0;
  const newest = state.killed.at(-1) ?? "";
  const isBack = to === state.cursor && from < to;
  const grown = isBack ? piece + newest : newest + piece;
  const killed = goesOn
    ? [...state.killed.slice(0, -1), grown]
    : [...state.killed.slice(1 - KILLED_MAX), piece];
  return { ...next, killed };
}

/** Returns the editor with another text. Typing that goes on is one step of undo, up to a blank. */
function changed(state: EditorState, text: string, cursor: number, last: EditorState["last"]): EditorState {
  const goesOn =
    last === "typed" && state.last === "typed" && !/\s/.test(state.text[state.cursor - 1] ?? " ");
  const past = goesOn
    ? state.past
    : [...state.past.slice(1 - UNDO_MAX), { text: state.text, cursor: state.cursor }];
  return { ...state, text, cursor, past, future: [], last };
}

function moved(state: EditorState, cursor: number): EditorState {
  return cursor === state.cursor && state.last === "other" ? state : { ...state, cursor, last: "other" };
}

function stepped(state: EditorState, from: "past" | "future", to: "past" | "future"): EditorState {
  const step = state[from].at(-1);
  if (step === undefined) return state;
  const here = { text: state.text, cursor: state.cursor };
  return { ...state, ...step, [from]: state[from].slice(0, -1), [to]: [...state[to], here], last: "other" };
}

let segmenter: Intl.Segmenter | undefined;

function before(text: string, cursor: number): number {
  if (cursor === 0) return 0;
  // A grapheme is short: a look back of some units finds its start.
  const from = Math.max(0, cursor - 64);
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let last = 0;
  for (const { index } of segmenter.segment(text.slice(from, cursor))) last = index;
  return from + last;
}

function after(text: string, cursor: number): number {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text.slice(cursor, cursor + 64)))
    return cursor + segment.length;
  return text.length;
}

function wordBefore(text: string, cursor: number): number {
  const head = text.slice(0, cursor);
  return head.length - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(head)?.[0].length ?? 0);
}

function wordAfter(text: string, cursor: number): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

function startOfLine(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function endOfLine(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

function lineAbove(text: string, cursor: number): number {
  const start = startOfLine(text, cursor);
  if (start === 0) return cursor;
  const above = startOfLine(text, start - 1);
  return Math.min(above + (cursor - start), start - 1);
}

function lineBelow(text: string, cursor: number): number {
  const end = endOfLine(text, cursor);
  if (end === text.length) return cursor;
  const column = cursor - startOfLine(text, cursor);
  return Math.min(end + 1 + column, endOfLine(text, end + 1));
}

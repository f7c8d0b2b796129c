import type { DraftImage } from "../../images/draft-image.ts";
import type { Chip, ChippedText } from "./chips.ts";
import { chipCharacter, chipOf, hasRoom, imageChip, isLong, joinedChips, plainText } from "./chips.ts";
import { after, before, bordered, endOfLine, startOfLine, wordAfter, wordBefore } from "./graphemes.ts";
import { verticalMove } from "./visual-rows.ts";

/** One step of undo: what stood at a place, what replaced it, and the cursor before and after. */
interface Step {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  readonly cursorBefore: number;
  readonly cursorAfter: number;
}

/** Kind of an edit, which decides if it joins the one before it: as one step of undo, or as one cut text. */
type EditGroup = "typed" | "deleted" | "killed" | "other";

/** The text that a person writes, as a value: `applyEdit` returns the next one. */
export interface EditorState {
  /** A chip is one character in it: `expanded` returns the text that is sent. */
  readonly text: string;
  /** Place of the cursor in the text, in units of UTF-16, always at a border of graphemes. */
  readonly cursor: number;
  /** Long texts that were pasted, and images. */
  readonly chips: readonly Chip[];
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** Texts that were cut, the newest last. */
  readonly killed: readonly string[];
  readonly last: EditGroup;
  /** The column that moves up and down aim at; absent after any other edit. */
  readonly column?: number;
  /** Place of the text that the last edit has yanked, and its index in `killed`, from the newest. */
  readonly yanked?: { readonly from: number; readonly to: number; readonly index: number };
}

export const EMPTY_EDITOR: EditorState = {
  text: "",
  cursor: 0,
  chips: [],
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
  | "yankPop"
  | "upperWord"
  | "lowerWord"
  | "capitalWord"
  | "undo"
  | "redo";

export type Edit =
  | { readonly kind: "insert"; readonly text: string }
  /** Inserts a chip for a long text. The same text again replaces its chip by the text. */
  | { readonly kind: "paste"; readonly text: string }
  /** Inserts a chip for an image, or replaces a part by it. */
  | {
      readonly kind: "image";
      readonly image: DraftImage;
      readonly part?: { readonly from: number; readonly to: number };
    }
  /** Inserts a text with its chips before the draft. */
  | { readonly kind: "before"; readonly chipped: ChippedText }
  | { readonly kind: "set"; readonly text: string; readonly cursor?: number }
  | { readonly kind: "move"; readonly to: number }
  | { readonly kind: "replace"; readonly from: number; readonly to: number; readonly text: string }
  /** `columns` of the screen, for moves up and down; without it they go by whole lines. */
  | { readonly kind: EditName; readonly columns?: number };

const UNDO_MAX = 10_000;
const KILLED_MAX = 32;
const MARK_COLUMNS = 2;
/** Columns from which on rows have the mark. */
const MARKED_COLUMNS_MIN = 4;

/** Returns the columns of the text of an editor that is drawn in so many; the caret has one behind them. */
export function wrapColumns(columns: number): number {
  return Math.max(1, columns - markColumns(columns) - 1);
}

/** Returns the columns of the mark before a row: none where the text would have no room beside it. */
export function markColumns(columns: number): number {
  return columns < MARKED_COLUMNS_MIN ? 0 : MARK_COLUMNS;
}

/** Returns the editor after one edit; the same value if it changes nothing. */
export function applyEdit(state: EditorState, edit: Edit): EditorState {
  const { cursor } = state;
  switch (edit.kind) {
    case "insert":
      return replaced(state, cursor, cursor, plainText(edit.text), "typed");
    case "paste":
      return pasted(state, plainText(edit.text));
    case "image":
      return withImage(state, edit.image, edit.part ?? { from: cursor, to: cursor });
    case "before": {
      const { text, chips } = joinedChips(edit.chipped, state.chips);
      return { ...replaced(state, 0, 0, text, "other"), chips, cursor: cursor + text.length };
    }
    case "set": {
      const text = plainText(edit.text);
      const next = replaced(state, 0, state.text.length, text, "other");
      return edit.cursor === undefined ? next : moved(next, bordered(next.text, edit.cursor));
    }
    case "replace":
      return replaced(state, edit.from, edit.to, edit.text, "other");
    case "move":
      return moved(state, bordered(state.text, edit.to));
    case "lineUp":
      return vertically(state, -1, edit.columns);
    case "lineDown":
      return vertically(state, 1, edit.columns);
    default:
      return NAMED[edit.kind](state);
  }
}

const NAMED: Readonly<Record<Exclude<EditName, "lineUp" | "lineDown">, (state: EditorState) => EditorState>> =
  {
    deleteBack: (state) => removed(state, before(state.text, state.cursor), state.cursor),
    deleteForward: (state) => removed(state, state.cursor, after(state.text, state.cursor)),
    deleteWordBack: (state) => cut(state, wordBefore(state.text, state.cursor), state.cursor),
    deleteWordForward: (state) => cut(state, state.cursor, wordAfter(state.text, state.cursor)),
    killToStart: (state) => cut(state, startOfLine(state.text, state.cursor), state.cursor),
    killToEnd: killedToEnd,
    left: (state) => moved(state, before(state.text, state.cursor)),
    right: (state) => moved(state, after(state.text, state.cursor)),
    wordLeft: (state) => moved(state, wordBefore(state.text, state.cursor)),
    wordRight: (state) => moved(state, wordAfter(state.text, state.cursor)),
    lineStart: (state) => moved(state, startOfLine(state.text, state.cursor)),
    lineEnd: (state) => moved(state, endOfLine(state.text, state.cursor)),
    textStart: (state) => moved(state, 0),
    textEnd: (state) => moved(state, state.text.length),
    yank: (state) => yanked(state, state.cursor, state.cursor, 0),
    yankPop(state) {
      const { yanked: before, killed } = state;
      return before === undefined
        ? state
        : yanked(state, before.from, before.to, (before.index + 1) % killed.length);
    },
    upperWord: (state) => cased(state, (word) => word.toUpperCase()),
    lowerWord: (state) => cased(state, (word) => word.toLowerCase()),
    capitalWord: (state) => cased(state, capitalised),
    undo: undone,
    redo: redone,
  };

function killedToEnd(state: EditorState): EditorState {
  const { text, cursor } = state;
  const end = endOfLine(text, cursor);
  return cut(state, cursor, end === cursor ? after(text, cursor) : end);
}

function pasted(state: EditorState, text: string): EditorState {
  if (!isLong(text)) return replaced(state, state.cursor, state.cursor, text, "other");
  const known = state.chips.findIndex((chip) => chip.image === undefined && chip.text === text);
  const character = chipCharacter(known === -1 ? state.chips.length : known);
  const shown = known === -1 ? -1 : state.text.indexOf(character);
  if (shown !== -1) return replaced(state, shown, shown + character.length, text, "other");
  if (known === -1 && !hasRoom("pasted", state.chips))
    return replaced(state, state.cursor, state.cursor, text, "other");
  const chips = known === -1 ? [...state.chips, chipOf(text, state.chips)] : state.chips;
  return { ...replaced(state, state.cursor, state.cursor, character, "other"), chips };
}

function withImage(
  state: EditorState,
  image: DraftImage,
  { from, to }: { readonly from: number; readonly to: number },
): EditorState {
  if (!hasRoom("image", state.chips)) return state;
  const character = chipCharacter(state.chips.length);
  const chips = [...state.chips, imageChip(image, state.chips)];
  const next = { ...replaced(state, from, to, character, "other"), chips };
  return state.cursor > to ? { ...next, cursor: state.cursor - (to - from) + character.length } : next;
}

function removed(state: EditorState, from: number, to: number): EditorState {
  return replaced(state, from, to, "", from < state.cursor ? "deleted" : "other");
}

/** Removes a part and keeps it for `yank`. Cuts that follow each other make one text. */
function cut(state: EditorState, from: number, to: number): EditorState {
  if (from === to) return state;
  const piece = state.text.slice(from, to);
  const newest = state.killed.at(-1);
  const grown = to === state.cursor ? piece + (newest ?? "") : (newest ?? "") + piece;
  const killed =
    state.last === "killed" && newest !== undefined
      ? [...state.killed.slice(0, -1), grown]
      : [...state.killed.slice(1 - KILLED_MAX), piece];
  return { ...replaced(state, from, to, "", "killed"), killed };
}

function yanked(state: EditorState, from: number, to: number, index: number): EditorState {
  const piece = state.killed.at(-1 - index);
  if (piece === undefined) return state;
  const next = replaced(state, from, to, piece, "other");
  return { ...next, yanked: { from, to: from + piece.length, index } };
}

function cased(state: EditorState, change: (word: string) => string): EditorState {
  const { text, cursor } = state;
  const end = wordAfter(text, cursor);
  const word = change(text.slice(cursor, end));
  return replaced(state, cursor, end, word, "other");
}

function capitalised(word: string): string {
  const at = word.search(/[\p{L}\p{N}]/u);
  if (at === -1) return word;
  const first = String.fromCodePoint(word.codePointAt(at) ?? 0);
  return word.slice(0, at) + first.toUpperCase() + word.slice(at + first.length).toLowerCase();
}

/** Returns the editor with a part replaced, and the cursor behind the new part. */
function replaced(state: EditorState, from: number, to: number, piece: string, last: EditGroup): EditorState {
  if (from === to && piece === "") return state;
  const text = state.text.slice(0, from) + piece + state.text.slice(to);
  const cursor = bordered(text, from + piece.length);
  const step: Step = {
    at: from,
    removed: state.text.slice(from, to),
    inserted: piece,
    cursorBefore: state.cursor,
    cursorAfter: cursor,
  };
  const { chips, killed } = state;
  return { text, cursor, chips, killed, past: pastWith(state, step, last), future: [], last };
}

/** Consecutive typing is one step of undo up to a blank; consecutive deleting is one step. */
function pastWith(state: EditorState, step: Step, last: EditGroup): readonly Step[] {
  const before = state.past.at(-1);
  if (before !== undefined && last === state.last) {
    const isTyped =
      last === "typed" &&
      step.removed === "" &&
      before.at + before.inserted.length === step.at &&
      !/\s/.test(state.text[step.at - 1] ?? " ");
    const isDeleted =
      last === "deleted" && before.inserted === "" && step.at + step.removed.length === before.at;
    if (isTyped)
      return withLast(state.past, {
        ...before,
        inserted: before.inserted + step.inserted,
        cursorAfter: step.cursorAfter,
      });
    if (isDeleted)
      return withLast(state.past, {
        ...before,
        at: step.at,
        removed: step.removed + before.removed,
        cursorAfter: step.cursorAfter,
      });
  }
  return [...state.past.slice(1 - UNDO_MAX), step];
}

function withLast(steps: readonly Step[], last: Step): readonly Step[] {
  return steps.with(-1, last);
}

function moved(state: EditorState, cursor: number): EditorState {
  if (cursor === state.cursor && state.last === "other" && state.column === undefined) return state;
  const { text, chips, killed, past, future } = state;
  return { text, cursor, chips, killed, past, future, last: "other" };
}

function vertically(
  state: EditorState,
  step: -1 | 1,
  columns: number = Number.MAX_SAFE_INTEGER,
): EditorState {
  const { text, chips, cursor } = state;
  const found = verticalMove({ text, chips, columns: wrapColumns(columns) }, cursor, step, state.column);
  return found === undefined ? state : { ...moved(state, found.at), column: found.column };
}

function undone(state: EditorState): EditorState {
  const step = state.past.at(-1);
  if (step === undefined) return state;
  const { text, chips, killed, past, future } = state;
  const { at, inserted, cursorBefore } = step;
  const older = text.slice(0, at) + step.removed + text.slice(at + inserted.length);
  return {
    text: older,
    cursor: cursorBefore,
    chips,
    killed,
    past: past.slice(0, -1),
    future: [...future, step],
    last: "other",
  };
}

function redone(state: EditorState): EditorState {
  const step = state.future.at(-1);
  if (step === undefined) return state;
  const { text, chips, killed, past, future } = state;
  const { at, inserted, cursorAfter } = step;
  const newer = text.slice(0, at) + inserted + text.slice(at + step.removed.length);
  return {
    text: newer,
    cursor: cursorAfter,
    chips,
    killed,
    past: [...past, step],
    future: future.slice(0, -1),
    last: "other",
  };
}

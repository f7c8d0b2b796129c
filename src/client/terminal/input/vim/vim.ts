import type { EditorState } from "../editor/editor.ts";
import { applyEdit } from "../editor/editor.ts";
import { after, before, endOfLine, startOfLine } from "../editor/graphemes.ts";
import type { CharacterSearch, Target } from "./vim-motions.ts";
import { motionTarget, objectTarget, searchOf } from "./vim-motions.ts";

/** The state of vim keys beside that of the editor. */
export interface VimState {
  /** `lines`: whole lines are selected. */
  readonly mode: "insert" | "normal" | "visual" | "lines";
  /** Keys of a command that is not complete. */
  readonly pending: string;
  /** The place at which a selection began. */
  readonly anchor: number;
  readonly register: { readonly text: string; readonly lines: boolean };
  readonly search?: CharacterSearch;
}

/** A person begins by typing. */
export const NEW_VIM: VimState = {
  mode: "insert",
  pending: "",
  anchor: 0,
  register: { text: "", lines: false },
};

/** The editor and its vim keys. */
export interface VimEditor {
  readonly vim: VimState;
  readonly editor: EditorState;
}

type Operator = "d" | "c" | "y";

interface Command {
  readonly count?: number;
  readonly operator?: Operator;
  /** A motion, an object, or the operator again for whole lines. */
  readonly keys: string;
}

const COMMAND = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(.*)$/su;
const BEGUN = /^(?:g|[fFtT])?$/u;
const OBJECT = /^[ia][w"'`()[\]{}<>bB]$/u;
const COUNT_MAX = 10_000;
/** Characters that one command inserts, unless its register alone has more. */
const PUT_CHARACTERS_MAX = 1_000_000;
/** Commands that stand for others. */
const SHORT: Readonly<Record<string, string>> = {
  x: "dl",
  X: "dh",
  D: "d$",
  C: "c$",
  Y: "yy",
  s: "cl",
  S: "cc",
};

/** Returns true while characters are commands and not text. */
export function isCommanding({ mode }: VimState): boolean {
  return mode !== "insert";
}

/** Returns the part that is selected; undefined if none is. */
export function selectedPart({
  vim,
  editor,
}: VimEditor): { readonly from: number; readonly to: number } | undefined {
  const { text, cursor } = editor;
  const [from, last] = vim.anchor < cursor ? [vim.anchor, cursor] : [cursor, vim.anchor];
  if (vim.mode === "visual") return { from, to: after(text, last) };
  if (vim.mode === "lines") return { from: startOfLine(text, from), to: endOfLine(text, last) };
  return undefined;
}

/** Leaves the mode, or drops the keys of a command that is not complete. */
export function vimEscape(state: VimEditor): VimEditor {
  const { vim, editor } = state;
  const { text, cursor } = editor;
  const isLeft = vim.mode === "insert" && cursor > startOfLine(text, cursor);
  const at = isLeft ? before(text, cursor) : cursor;
  return settled({
    vim: { ...vim, mode: "normal", pending: "" },
    editor: applyEdit(editor, { kind: "move", to: at }),
  });
}

/** Returns the state after one key that is a command. A key that completes nothing known is dropped. */
export function vimKey(state: VimEditor, key: string): VimEditor {
  const pending = state.vim.pending + key;
  const [, first, operator, second, rest = ""] = COMMAND.exec(pending) ?? [];
  const isSelecting = state.vim.mode !== "normal";
  const waits = operator !== undefined || isSelecting ? /^(?:[ia]|g|[fFtT])?$/u : BEGUN;
  // In a selection an operator is complete by itself.
  if (isSelecting && operator !== undefined) return settled(selectionKey(withPending(state, ""), operator));
  if (waits.test(rest)) return withPending(state, pending);
  const hasCount = first !== undefined || second !== undefined;
  const count = Math.min(COUNT_MAX, Number(first ?? 1) * Number(second ?? 1));
  const command: Command = {
    keys: rest,
    ...(hasCount ? { count } : {}),
    ...(operator === undefined ? {} : { operator: operator as Operator }),
  };
  return settled(performed(withPending(state, ""), command));
}

function withPending({ vim, editor }: VimEditor, pending: string): VimEditor {
  return { vim: { ...vim, pending }, editor };
}

/** In normal mode the cursor stands on a character, not behind the last one of its line. */
function settled(state: VimEditor): VimEditor {
  const { vim, editor } = state;
  if (vim.mode === "insert") return state;
  const { text, cursor } = editor;
  const isBehind = cursor === endOfLine(text, cursor) && cursor > startOfLine(text, cursor);
  if (!isBehind) return state;
  // The column of a move up or down stays.
  return { vim, editor: { ...editor, cursor: before(text, cursor) } };
}

function performed(state: VimEditor, command: Command): VimEditor {
  const { vim } = state;
  const { keys, operator, count = 1 } = command;
  if (operator !== undefined) return operated(state, command, operator);
  if (vim.mode !== "normal") return selectionKey(state, keys, command.count);
  const short = SHORT[keys];
  if (short !== undefined) {
    const [name, ...rest] = short;
    return operated(state, { ...command, keys: rest.join("") }, name as Operator);
  }
  const direct = DIRECT[keys];
  return direct === undefined ? moved(state, command) : direct(state, count);
}

function moved(state: VimEditor, { keys, count }: Command): VimEditor {
  const { vim, editor } = state;
  if (keys === "j" || keys === "k") return { vim, editor: vertically(editor, keys, count) };
  const target = motionTarget(keys, contextOf(state, count));
  const search = searchOf(keys);
  const next = search === undefined ? vim : { ...vim, search };
  if (target === undefined) return { vim: next, editor };
  return { vim: next, editor: applyEdit(editor, { kind: "move", to: target.at }) };
}

function vertically(editor: EditorState, key: "j" | "k", count = 1): EditorState {
  let next = editor;
  for (let done = 0; done < count; done += 1) {
    const moved = applyEdit(next, { kind: key === "j" ? "lineDown" : "lineUp" });
    if (moved === next) break;
    next = moved;
  }
  return next;
}

function contextOf({ vim, editor }: VimEditor, count: number | undefined) {
  const { text, cursor } = editor;
  return {
    text,
    cursor,
    ...(count === undefined ? {} : { count }),
    ...(vim.search === undefined ? {} : { search: vim.search }),
  };
}

function operated(state: VimEditor, command: Command, operator: Operator): VimEditor {
  const { keys } = command;
  const { text, cursor } = state.editor;
  const search = searchOf(keys);
  const next = search === undefined ? state : { ...state, vim: { ...state.vim, search } };
  const target = OBJECT.test(keys)
    ? objectTarget(keys, text, cursor)
    : keys === operator
      ? linesFrom(state, command.count ?? 1)
      : operatorMotion(state, command, operator);
  return target === undefined ? next : applied(next, target, operator);
}

function linesFrom({ editor }: VimEditor, count: number): Target {
  const { text, cursor } = editor;
  let at = cursor;
  for (let done = 1; done < count && endOfLine(text, at) < text.length; done += 1)
    at = endOfLine(text, at) + 1;
  return { from: cursor, to: at, at: cursor, lines: true };
}

function operatorMotion(state: VimEditor, { keys, count }: Command, operator: Operator): Target | undefined {
  const { text, cursor } = state.editor;
  const context = contextOf(state, count);
  if (keys !== "w") return motionTarget(keys, context);
  const isOnWord = /\S/.test(text[cursor] ?? "");
  // As in vim, `cw` changes to the end of the word, and `dw` leaves the end of the line.
  if (operator === "c" && isOnWord) {
    const inside = objectTarget("iw", text, cursor);
    const end = inside === undefined ? cursor : before(text, inside.to);
    if ((count ?? 1) === 1) return { from: cursor, to: after(text, end), at: cursor };
    return motionTarget("e", context);
  }
  const target = motionTarget("w", context);
  const end = endOfLine(text, cursor);
  const isLast = target !== undefined && (count ?? 1) === 1 && target.to > end && cursor < end;
  return isLast ? { ...target, to: end } : target;
}

/** Carries out an operator on a part. */
function applied(state: VimEditor, target: Target, operator: Operator): VimEditor {
  return target.lines === true
    ? appliedToLines(state, target, operator)
    : appliedToPart(state, target, operator);
}

function appliedToPart({ vim, editor }: VimEditor, { from, to }: Target, operator: Operator): VimEditor {
  const taken: VimState = {
    ...vim,
    register: from === to ? vim.register : { text: editor.text.slice(from, to), lines: false },
    mode: operator === "c" ? "insert" : "normal",
  };
  const next =
    operator === "y"
      ? applyEdit(editor, { kind: "move", to: from })
      : applyEdit(applyEdit(editor, { kind: "move", to: from }), { kind: "replace", from, to, text: "" });
  return { vim: taken, editor: next };
}

function appliedToLines({ vim, editor }: VimEditor, target: Target, operator: Operator): VimEditor {
  const { text, cursor } = editor;
  const from = startOfLine(text, target.from);
  const to = endOfLine(text, target.to);
  const taken: VimState = {
    ...vim,
    register: { text: text.slice(from, to), lines: true },
    mode: operator === "c" ? "insert" : "normal",
  };
  if (operator === "y")
    return { vim: taken, editor: applyEdit(editor, { kind: "move", to: Math.min(cursor, target.from) }) };
  if (operator === "c")
    return { vim: taken, editor: applyEdit(editor, { kind: "replace", from, to, text: "" }) };
  const isLast = to === text.length;
  const begin = isLast ? Math.max(0, from - 1) : from;
  const next = applyEdit(editor, { kind: "replace", from: begin, to: isLast ? to : to + 1, text: "" });
  return {
    vim: taken,
    editor: applyEdit(next, { kind: "move", to: startOfLine(next.text, Math.min(from, next.text.length)) }),
  };
}

function selectionKey(state: VimEditor, keys: string, count?: number): VimEditor {
  const { vim, editor } = state;
  const part = selectedPart(state);
  if (part === undefined) return state;
  const operator = SELECTION_OPERATORS[keys];
  if (operator !== undefined) {
    const isLines = vim.mode === "lines";
    return applied(state, { ...part, at: part.from, ...(isLines ? { lines: true } : {}) }, operator);
  }
  if (keys === "v" || keys === "V") {
    const mode = keys === "v" ? "visual" : "lines";
    return { vim: { ...vim, mode: mode === vim.mode ? "normal" : mode }, editor };
  }
  if (keys === "o")
    return {
      vim: { ...vim, anchor: editor.cursor },
      editor: applyEdit(editor, { kind: "move", to: vim.anchor }),
    };
  if (!OBJECT.test(keys)) return moved(state, count === undefined ? { keys } : { keys, count });
  const target = objectTarget(keys, editor.text, editor.cursor);
  if (target === undefined) return state;
  const end = before(editor.text, target.to);
  return {
    vim: { ...vim, anchor: target.from },
    editor: applyEdit(editor, { kind: "move", to: Math.max(target.from, end) }),
  };
}

const SELECTION_OPERATORS: Readonly<Record<string, Operator>> = { d: "d", x: "d", c: "c", s: "c", y: "y" };

function inserting({ vim, editor }: VimEditor, at: number): VimEditor {
  return { vim: { ...vim, mode: "insert" }, editor: applyEdit(editor, { kind: "move", to: at }) };
}

function lineOpened({ vim, editor }: VimEditor, isAbove: boolean): VimEditor {
  const { text, cursor } = editor;
  const at = isAbove ? startOfLine(text, cursor) : endOfLine(text, cursor);
  const next = applyEdit(editor, { kind: "replace", from: at, to: at, text: "\n" });
  return inserting({ vim, editor: next }, isAbove ? at : at + 1);
}

function put({ vim, editor }: VimEditor, wanted: number, isBefore: boolean): VimEditor {
  const { text, cursor } = editor;
  const { register } = vim;
  if (register.text === "" && !register.lines) return { vim, editor };
  const count = Math.max(1, Math.min(wanted, Math.floor(PUT_CHARACTERS_MAX / register.text.length)));
  if (register.lines) {
    const lines = `${register.text}\n`.repeat(count).slice(0, -1);
    const at = isBefore ? startOfLine(text, cursor) : endOfLine(text, cursor);
    const piece = isBefore ? `${lines}\n` : `\n${lines}`;
    const next = applyEdit(editor, { kind: "replace", from: at, to: at, text: piece });
    return { vim, editor: applyEdit(next, { kind: "move", to: isBefore ? at : at + 1 }) };
  }
  const isEmptyLine = startOfLine(text, cursor) === endOfLine(text, cursor);
  const at = isBefore || isEmptyLine ? cursor : after(text, cursor);
  const next = applyEdit(editor, { kind: "replace", from: at, to: at, text: register.text.repeat(count) });
  return { vim, editor: applyEdit(next, { kind: "move", to: before(next.text, next.cursor) }) };
}

function stepped({ vim, editor }: VimEditor, count: number, kind: "undo" | "redo"): VimEditor {
  let next = editor;
  for (let done = 0; done < count; done += 1) next = applyEdit(next, { kind });
  return { vim, editor: next };
}

const DIRECT: Readonly<Record<string, (state: VimEditor, count: number) => VimEditor>> = {
  i: (state) => inserting(state, state.editor.cursor),
  a(state) {
    const { text, cursor } = state.editor;
    return inserting(state, cursor === endOfLine(text, cursor) ? cursor : after(text, cursor));
  },
  I(state) {
    const target = motionTarget("^", state.editor);
    return inserting(state, target?.at ?? state.editor.cursor);
  },
  A: (state) => inserting(state, endOfLine(state.editor.text, state.editor.cursor)),
  o: (state) => lineOpened(state, false),
  O: (state) => lineOpened(state, true),
  p: (state, count) => put(state, count, false),
  P: (state, count) => put(state, count, true),
  u: (state, count) => stepped(state, count, "undo"),
  redo: (state, count) => stepped(state, count, "redo"),
  v: ({ vim, editor }) => ({ vim: { ...vim, mode: "visual", anchor: editor.cursor }, editor }),
  V: ({ vim, editor }) => ({ vim: { ...vim, mode: "lines", anchor: editor.cursor }, editor }),
};

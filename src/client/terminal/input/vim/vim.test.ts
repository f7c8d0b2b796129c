import { expect, test } from "bun:test";
import fc from "fast-check";
import { applyEdit, EMPTY_EDITOR } from "../editor/editor.ts";
import { bordered } from "../editor/graphemes.ts";
import type { VimEditor } from "./vim.ts";
import { NEW_VIM, vimEscape, vimKey } from "./vim.ts";

const ESCAPE = "\u001b";

/** Returns the state with the cursor at the bar, in normal mode. */
function started(marked: string): VimEditor {
  const cursor = marked.indexOf("|");
  const text = marked.replace("|", "");
  const editor = applyEdit(applyEdit(EMPTY_EDITOR, { kind: "insert", text }), { kind: "move", to: cursor });
  return { vim: { ...NEW_VIM, mode: "normal" }, editor };
}

/** Presses keys as a person does: text while inserting, `^R` as `\u0012`. */
function pressed(state: VimEditor, keys: string): VimEditor {
  let next = state;
  for (const key of keys)
    if (key === ESCAPE) next = vimEscape(next);
    else if (key === "\u0012") next = vimKey(next, "redo");
    else if (next.vim.mode === "insert")
      next = { ...next, editor: applyEdit(next.editor, { kind: "insert", text: key }) };
    else next = vimKey(next, key);
  return next;
}

function shown({ editor: { text, cursor } }: VimEditor): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const CASES: readonly (readonly [from: string, keys: string, to: string])[] = [
  ["|abc", "l", "a|bc"],
  ["|abc", "9l", "ab|c"],
  ["ab|c", "2h", "|abc"],
  ["a|b\ncd\nef", "2j", "ab\ncd\ne|f"],
  ["ab\nc|d", "k", "a|b\ncd"],
  ["|one two.x", "w", "one |two.x"],
  ["|one two.x", "2w", "one two|.x"],
  ["|one two", "e", "on|e two"],
  ["on|e two", "e", "one tw|o"],
  ["one tw|o", "2b", "|one two"],
  ["  on|e", "0", "|  one"],
  ["  on|e", "^", "  |one"],
  ["|one\ntwo", "$", "on|e\ntwo"],
  ["|a\nb\nc", "G", "a\nb\n|c"],
  ["a\nb\n|c", "gg", "|a\nb\nc"],
  ["|a\nb\nc", "2G", "a\n|b\nc"],
  ["|a.b.c", "f.;", "a.b|.c"],
  ["a.b.|c", "F.;,", "a.b|.c"],
  ["|ab.c", "t.", "a|b.c"],
  ["ab.|c", "Tb", "ab|.c"],
  ["|one two three", "dw", "|two three"],
  ["|one two three", "2dw", "|three"],
  ["|one two three", "d2w", "|three"],
  ["one |two\nx", "dw", "one| \nx"],
  ["|one two", "cwsix\u001b", "si|x two"],
  ["|one two", "de", "| two"],
  ["one t|wo", "db", "one |wo"],
  ["one| two", "d$", "on|e"],
  ["one |two", "d0", "|two"],
  ["|a.b.c", "df.", "|b.c"],
  ["|a.b.c", "dt.", "|.b.c"],
  ["a\n|b\nc", "dd", "a\n|c"],
  ["a\nb\n|c", "dd", "a\n|b"],
  ["|a\nb\nc", "2dd", "|c"],
  ["|a\nb\nc", "dj", "|c"],
  ["a\n|b\nc", "dG", "|a"],
  ["a\nb|b\nc", "ccx\u001b", "a\n|x\nc"],
  ["on|e two", "diw", "| two"],
  ["on|e two", "daw", "|two"],
  ["one tw|o", "daw", "on|e"],
  ['a "b c|" d', 'di"', 'a "|" d'],
  ['|a "b c" d', 'da"', "a | d"],
  ["f(a, (b), |c)", "ci(x\u001b", "f(|x)"],
  ["f(a|)", "da(", "|f"],
  ["ab|c", "x", "a|b"],
  ["|abc", "2x", "|c"],
  ["ab|c", "X", "a|c"],
  ["a|bc", "D", "|a"],
  ["a|bc", "Cx\u001b", "a|x"],
  ["|a\nb", "yyp", "a\n|a\nb"],
  ["a\n|b", "yyP", "a\n|b\nb"],
  ["|one two", "ywP", "one| one two"],
  ["|ab", "xp", "b|a"],
  ["|abc", "xxuu", "|abc"],
  ["|abc", "xxuu\u0012", "|bc"],
  ["|a", "ob\u001b", "a\n|b"],
  ["|a", "Ob\u001b", "|b\na"],
  ["|a", "ab\u001b", "a|b"],
  ["|a", "ib\u001b", "|ba"],
  ["  a|b", "Ix\u001b", "  |xab"],
  ["|ab", "Ax\u001b", "ab|x"],
  ["|abcd", "vld", "|cd"],
  ["a|bcd", "vy$p", "abcd|b"],
  ["|a\nb\nc", "Vjd", "|c"],
  ["on|e two", "viwd", "| two"],
  ["|one two", "vecx\u001b", "|x two"],
  ["a\u{1f468}\u200d\u{1f469}|b", "X", "a|b"],
  ["|a", "d\u001bx", "|"],
  ["|abc", "dqx", "|bc"],
];

test("[TUI-11 complaint 29] vim keys move, delete, change, copy, select and undo", () => {
  for (const [from, keys, to] of CASES)
    expect([from, keys, shown(pressed(started(from), keys))]).toEqual([from, keys, to]);
});

test("[TUI-11] any keys leave the cursor at a border, and no command waits for ever", () => {
  const key = fc.constantFrom(..."hjklwbe0^$gGftFT;,dcyxpPuoOiIaAvVDCs\"('3x ", ESCAPE, "漢");
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const state = pressed(
        started('one (|two) "three"\n\n  漢字 🇩🇪\u{1f468}\u200d\u{1f469}x\nend'),
        keys.join(""),
      );
      expect(state.editor.cursor).toBe(bordered(state.editor.text, state.editor.cursor));
      expect(vimEscape(state).vim.pending).toBe("");
    }),
    { numRuns: 300 },
  );
});

test("[TUI-11] a large count puts no more than a draft can hold", () => {
  const text = "x".repeat(200_000);
  const { editor } = pressed(started(`|${text}`), "yy9999p");
  expect(editor.text.length).toBe(6 * 200_000 + 5);
});

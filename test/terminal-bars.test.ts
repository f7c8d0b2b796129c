import { expect, test } from "bun:test";
import { filesUnder, isTest, readSource } from "./support/source.ts";

/** An expectation of people who use terminal clients. */
interface Expectation {
  readonly good: string;
  /** Reason that a unit test shows it and no terminal can. Default: an end-to-end test shows it. */
  readonly unitTestBecause?: string;
  /** Reason that no test shows it. Default: one does. */
  readonly noTestBecause?: string;
}

/** Features that people expect, by their area: `bar AREA` in the name of a test. */
const BARS: Readonly<Record<string, Expectation>> = {
  Screen: { good: "alternate screen by default, an inline mode as a setting, a start flag for each" },
  "First screen": {
    good: "ready to type in the first frame, three rows of header, no dialog before the draft",
  },
  Help: { good: "a panel on ? and a palette, both from the table of keys, so that chosen keys show" },
  "Slash list": { good: "found by name and description, argument hint, count, Tab completes, Enter runs" },
  Permission: { good: "whole command or diff, scope in words, remark with a refusal, late keys, draft kept" },
  "Decision trace": { good: "the transcript says who decided, what, and for how long" },
  Diff: { good: "side by side from 120 columns, a key to switch, marked words, wrapped lines" },
  "Tool calls": { good: "state, time, last lines, count of hidden ones; one block or all unfolded" },
  "Long output": { good: "Ctrl-O for all, a block or the transcript in the editor" },
  Sessions: { good: "search, scope, order, rename, delete after a question, age, size, preview" },
  Rewind: { good: "Esc Esc, changed files, conversation or files or both, the old branch stays" },
  "Model picker": { good: "search, price, context size, for this session, a key that cycles" },
  "Status line": { good: "the fields of the document, mode, context, queue; a narrow one drops by rank" },
  Queue: { good: "each waiting message shown, edited, moved, deleted; a cancel returns them to the draft" },
  Cancel: { good: "Esc at once, a word in the transcript, draft kept" },
  Exit: { good: "two Ctrl-C within 2 s; resume command and cost on the main screen" },
  Scroll: { good: "pages, the place holds while text streams, a mark for new text leads to the end" },
  Search: { good: "/ while browsing and a key from the draft, counted, folded blocks too" },
  Paste: { good: "over ten lines a placeholder with its size, unfolded by a second paste, kept whole" },
  "@": { good: "files and folders without those that .gitignore leaves out, ranges of lines" },
  "!": { good: "a label for the mode, folded output, !! keeps it out of the context" },
  History: { good: "Ctrl-R with a preview; Up keeps the draft" },
  Draft: { good: "stash, undo, yank, editor, kept on disk; cleared text goes to the history" },
  Themes: { good: "by the terminal's background, 16 colours, colour-blind, NO_COLOR, preview" },
  Keys: { good: "a file of actions and keys, conflicts named, read again, a probe" },
};

/** Complaints about other clients, by their number: `complaint NUMBER` in the name of a test. */
const COMPLAINTS: Readonly<Record<number, Expectation>> = {
  1: { good: "only changed cells are written, and no row that keeps its text is erased" },
  2: { good: "the window never jumps to the top while text streams" },
  3: { good: "saved lines of the terminal are never erased" },
  4: { good: "old text is reached: scroll, search, pager, transcript at exit" },
  5: { good: "the window follows only at the end" },
  6: { good: "work for a frame is bounded by the screen, not by the transcript" },
  7: { good: "keys come before drawing; a busy machine drops frames, not keys" },
  8: { good: "old items are paged out, and output that is kept has a limit" },
  9: { good: "one clock of frames, and nothing is drawn for what is not visible" },
  10: { good: "the mouse is off, wheel or full, live and as a setting; help names Shift and drag" },
  11: { good: "copy on select is a setting of its own" },
  12: { good: "the way of a copy is named, checked, and a file is offered" },
  13: { good: "OSC 52, through tmux too, before programs of a display" },
  14: { good: "copies have the source text: no hard breaks, padding or bars" },
  15: { good: "text that Ctrl-C cleared is in the history, and undone" },
  16: { good: "no dialog, history or crash loses the draft" },
  17: { good: "keys answer a question only after 300 ms without any, letters, digits and Enter" },
  18: { good: "the terminal is restored after exit, signals, errors and kill -9" },
  19: { good: "Shift-Enter begins a line in both key protocols, Ctrl-J always" },
  20: { good: "no paste is sent early or cut, also without marks or end mark" },
  21: { good: "the real cursor is at the caret after every frame" },
  22: { good: "a linear mode: labels, no boxes, no redraw, numbered answers, bell" },
  23: { good: "right-to-left text keeps its logical order and wraps by paragraph" },
  24: { good: "the theme follows the terminal, and each has a contrast of 4.5:1" },
  25: { good: "bell and OSC 9 or 99, through tmux, only for a person who looks elsewhere" },
  26: {
    good: "no strobing and no lost lines in the consoles of Windows",
    noTestBecause:
      "Nothing that runs the tests has a console of Windows; complaint 1 shows that frames are few and whole.",
  },
  27: { good: "a resize leaves no ghosts: one whole picture once it is over" },
  28: { good: "the lines that are shown of an output are a setting; one block unfolds" },
  29: { good: "key contexts know the vim mode; Enter is bound for each mode" },
  30: { good: "the layout of diffs follows the width, is switched, and remembered" },
  31: { good: "prompts have their own background, and keys go from one to the next" },
};

const EXPECTATIONS: ReadonlyMap<string, Expectation> = new Map([
  ...Object.entries(BARS).map(([area, each]) => [`bar ${area}`, each] as const),
  ...Object.entries(COMPLAINTS).map(([number, each]) => [`complaint ${number}`, each] as const),
]);

/** The bracket at the start of a test's name. */
const BRACKET = /["'`]\[([^\]\n"'`]*)\]/g;
const MARK = /\b(complaint \d+|bar .+?)(?= (?:bar|complaint) | [A-Z]+-?\d+|$)/g;
/** Marks as they are not written. */
const OTHER_MARK = /\b(?:bar|wish|complaint):/;

/** Returns the marks in the names of a file's tests. */
function marksOf(source: string): readonly string[] {
  return [...source.matchAll(BRACKET)].flatMap(([, bracket = ""]) =>
    OTHER_MARK.test(bracket) ? [bracket] : [...bracket.matchAll(MARK)].map(([, mark = ""]) => mark),
  );
}

const TESTS = ["src", "test", "bench", "scripts"]
  .flatMap((folder) => filesUnder(folder, "**/*.ts"))
  .filter((file) => isTest(file) && file !== "test/terminal-bars.test.ts")
  .flatMap((file) => marksOf(readSource(file)).map((mark) => ({ file, mark })));

const END_TO_END = new Set(TESTS.filter(({ file }) => file.startsWith("test/e2e/")).map(({ mark }) => mark));
const UNIT = new Set(TESTS.filter(({ file }) => !file.startsWith("test/e2e/")).map(({ mark }) => mark));

test("[TUI-01] each expectation of people has a test that bears its name, or a reason", () => {
  const missing = [...EXPECTATIONS].flatMap(([name, { good, unitTestBecause, noTestBecause }]) => {
    if (noTestBecause !== undefined || END_TO_END.has(name)) return [];
    return unitTestBecause !== undefined && UNIT.has(name) ? [] : [`${name}: ${good}`];
  });
  expect(missing).toEqual([]);
});

test("[TUI-01] each reason is a sentence, and still needed", () => {
  const reasons = [...EXPECTATIONS].flatMap(([name, { unitTestBecause, noTestBecause }]) =>
    [unitTestBecause, noTestBecause].flatMap((reason) => (reason === undefined ? [] : [{ name, reason }])),
  );
  expect(reasons.filter(({ reason }) => !/^\w+( \S+){5,}\.$/.test(reason))).toEqual([]);
  const stale = [...EXPECTATIONS].filter(([name, { unitTestBecause, noTestBecause }]) => {
    if (noTestBecause !== undefined) return UNIT.has(name) || END_TO_END.has(name);
    return unitTestBecause !== undefined && END_TO_END.has(name);
  });
  expect(stale.map(([name]) => name)).toEqual([]);
});

test("[TUI-01] names of tests have no other marks of this kind", () => {
  expect(TESTS.filter(({ mark }) => !EXPECTATIONS.has(mark))).toEqual([]);
  expect(marksOf('test("[TUI-08 bar Model picker complaint 7 complaint 31 TUI-01] a", f)')).toEqual([
    "bar Model picker",
    "complaint 7",
    "complaint 31",
  ]);
  expect(marksOf("test(`[TUI-01 bar:Paste] ${a}`, f)")).toEqual(["TUI-01 bar:Paste"]);
  expect(marksOf('test("[bar @ bar !] a", f); expect("a bar [x]")')).toEqual(["bar @", "bar !"]);
});

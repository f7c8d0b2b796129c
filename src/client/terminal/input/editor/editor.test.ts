import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { displayWidth } from "../../../../view/terminal/display-width.ts";
import { textOfRow } from "../../drawing/span.ts";
import { expanded } from "./chips.ts";
import { drawEditor } from "./draw-editor.ts";
import type { Edit, EditName, EditorState } from "./editor.ts";
import { applyEdit, EMPTY_EDITOR } from "./editor.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const FAMILY = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
const PIECES = [
  ..."ab z_\n\t.",
  "word ",
  "漢",
  "e\u0301",
  "\u0301",
  "\u200d",
  FAMILY,
  "🇩🇪",
  "\u{1f1eb}",
  "\ud83d",
  "\ude00",
  "한",
  "क्षि",
  "\u001b[31m",
  "1\ufe0f\u20e3",
  "👋🏽",
  "\u1112\u1161\u11ab",
  "กำ",
  "שָׁ",
  "سلام ",
];
const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 3 }) },
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(""));
const NAMES: readonly EditName[] = [
  "deleteBack",
  "deleteForward",
  "deleteWordBack",
  "deleteWordForward",
  "killToStart",
  "killToEnd",
  "left",
  "right",
  "wordLeft",
  "wordRight",
  "lineStart",
  "lineEnd",
  "lineUp",
  "lineDown",
  "textStart",
  "textEnd",
  "yank",
  "yankPop",
  "upperWord",
  "lowerWord",
  "capitalWord",
  "undo",
  "redo",
];
const LONG = Array.from({ length: 11 }, (_, at) => `pasted ${at}`).join("\n");
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(...PIECES).map((piece) => ({ kind: "insert" as const, text: piece })),
  },
  { weight: 8, arbitrary: fc.constantFrom(...NAMES).map((kind) => ({ kind, columns: 17 })) },
  { weight: 1, arbitrary: fc.constant({ kind: "paste" as const, text: LONG }) },
);

function run(start: EditorState, ...edits: readonly (Edit | EditName)[]): EditorState {
  return edits.reduce<EditorState>(
    (state, each) => applyEdit(state, typeof each === "string" ? { kind: each } : each),
    start,
  );
}

function typed(of: string, cursor = of.length): EditorState {
  return run(EMPTY_EDITOR, { kind: "insert", text: of }, { kind: "move", to: cursor });
}

function isBorder(of: string, at: number): boolean {
  return at === of.length || [...segmenter.segment(of)].some(({ index }) => index === at);
}

/** Returns a text with a bar at its cursor. */
function shown({ text: of, cursor }: EditorState): string {
  return `${of.slice(0, cursor)}|${of.slice(cursor)}`;
}

describe("editor", () => {
  test("[TUI-01] cuts that follow each other are one text, and yank-pop goes to older ones", () => {
    let state = run(typed("one two three four"), "deleteWordBack", "deleteWordBack");
    expect(shown(state)).toBe("one two |");
    state = run(state, "left", "killToStart", "yank");
    expect(shown(state)).toBe("one two| ");
    state = run(state, "yankPop");
    expect(shown(state)).toBe("three four| ");
    expect(shown(run(state, "yankPop"))).toBe("one two| ");
    expect(shown(run(state, "left", "yankPop"))).toBe("three fou|r ");
  });

  test("[TUI-01] a word is put into upper, lower and capital letters", () => {
    expect(shown(run(typed("one two", 0), "upperWord", "capitalWord"))).toBe("ONE Two|");
    expect(shown(run(typed("ÄÖ", 0), "lowerWord"))).toBe("äö|");
  });

  test("[TUI-01] undo takes back a typed word at once, and deletions as one", () => {
    const letters = [..."one two"].map((letter) => ({ kind: "insert" as const, text: letter }));
    const state = run(EMPTY_EDITOR, ...letters);
    expect(shown(run(state, "undo"))).toBe("one |");
    const deleted = run(state, "deleteBack", "deleteBack", "deleteBack");
    expect(shown(run(deleted, "undo"))).toBe("one two|");
    expect(shown(run(deleted, "undo", "redo"))).toBe("one |");
  });

  test("[TUI-01] up and down go by rows as they are wrapped, and keep their column", () => {
    const state = typed("abcdefghij\nkl\nmnopqrstuv", 9);
    const down: Edit = { kind: "lineDown", columns: 13 };
    expect(shown(run(state, down, down))).toBe("abcdefghij\nkl\nmnopqrstu|v");
    const wrapped: Edit = { kind: "lineDown", columns: 8 };
    expect(shown(run(typed("abcdefghij\nkl", 1), wrapped))).toBe("abcdef|ghij\nkl");
    expect(shown(run(typed("abcdefghij\nkl", 1), wrapped, wrapped, { kind: "lineUp", columns: 8 }))).toBe(
      "abcdef|ghij\nkl",
    );
  });

  test("[TUI-11] no edit splits a character of several code points", () => {
    for (const whole of [FAMILY, "🇩🇪", "e\u0301", "漢", "\ud83d"]) {
      expect(shown(run(typed(`a${whole}`), "deleteBack"))).toBe("a|");
      expect(shown(run(typed(`a${whole}b`, 1), "deleteForward"))).toBe("a|b");
      expect(shown(run(typed(`a${whole}`), "left"))).toBe(`a|${whole}`);
    }
    const zalgo = `z${"\u0301".repeat(500)}`;
    expect(shown(run(typed(`a${zalgo}`), "left"))).toBe(`a|${zalgo}`);
    expect(shown(run(typed(`a${zalgo}b`, 1), "right"))).toBe(`a${zalgo}|b`);
  });

  test("[TUI-01] 10,000 random edits keep the cursor at a border, and undo returns to the first text", () => {
    fc.assert(
      fc.property(text, fc.array(edit, { minLength: 50, maxLength: 100 }), (first, edits) => {
        const start: EditorState = { ...typed(first), past: [] };
        let state = start;
        for (const each of edits) {
          state = applyEdit(state, each);
          expect(isBorder(state.text, state.cursor)).toBe(true);
        }
        const last = state.text;
        const steps = state.past.length;
        for (let step = 0; step < steps; step += 1) state = applyEdit(state, { kind: "undo" });
        expect(state.text).toBe(start.text);
        for (let step = 0; step < steps; step += 1) state = applyEdit(state, { kind: "redo" });
        if (edits.every(({ kind }) => kind !== "undo")) expect(state.text).toBe(last);
      }),
      { numRuns: 200 },
    );
  }, 60_000);

  test("[TUI-01] a text of 1 MB is edited and drawn in milliseconds, with and without line breaks", () => {
    for (const big of ["x".repeat(1_000_000), "漢字 ".repeat(333_000), "a line of text\n".repeat(66_000)]) {
      let state = typed(big, 500_001);
      const start = performance.now();
      for (const kind of ["deleteBack", "lineUp", "deleteWordForward", "lineDown", "left", "undo"] as const) {
        state = applyEdit(state, { kind, columns: 80 });
        drawEditor(state, 80, 13);
      }
      expect(performance.now() - start).toBeLessThan(600);
    }
  });
});

describe("pasted texts", () => {
  test("[TUI-01 bar Paste] a long paste is one character with its size, kept whole", () => {
    const state = run(typed("see "), { kind: "paste", text: LONG.replaceAll("\n", "\r\n") });
    const { rows } = drawEditor(state, 60, 5);
    expect(rows.map(textOfRow)).toEqual(["> see [pasted #1: 11 lines]"]);
    expect(expanded(state.text, state.chips)).toBe(`see ${LONG}`);
    expect(shown(run(state, "deleteBack"))).toBe("see |");
    const undone = run(state, "deleteBack", "undo");
    expect(expanded(undone.text, undone.chips)).toBe(`see ${LONG}`);
    const wide = run(EMPTY_EDITOR, { kind: "paste", text: "y".repeat(2_001) });
    expect(drawEditor(wide, 60, 5).rows.map(textOfRow)).toEqual(["> [pasted #1: 2001 characters]"]);
  });

  test("[TUI-01 bar Paste] ten lines stay as they are, and the same paste again expands its chip", () => {
    const ten = LONG.slice(0, LONG.lastIndexOf("\n"));
    expect(run(EMPTY_EDITOR, { kind: "paste", text: ten }).text).toBe(ten);
    const paste: Edit = { kind: "paste", text: LONG };
    expect(run(EMPTY_EDITOR, paste, paste).text).toBe(LONG);
    const other = run(EMPTY_EDITOR, paste, { kind: "paste", text: `${LONG}!` });
    expect(expanded(other.text, other.chips)).toBe(`${LONG}${LONG}!`);
  });

  test("[TUI-01] the caret stands behind a label that is wrapped", () => {
    const state = run(EMPTY_EDITOR, { kind: "paste", text: LONG });
    const drawn = drawEditor(state, 15, 5);
    expect(drawn.rows.map(textOfRow)).toEqual(["> [pasted #1: ", "  11 lines]"]);
    expect(drawn.cursor).toEqual({ row: 1, column: 11 });
    expect(drawEditor(run(state, "left"), 15, 5).cursor).toEqual({ row: 0, column: 2 });
  });

  test("[TUI-07] no text passes for a chip", () => {
    const state = run(EMPTY_EDITOR, { kind: "paste", text: LONG }, { kind: "insert", text: "\u{10ff00}" });
    expect(expanded(state.text, state.chips)).toBe(`${LONG}\ufffd`);
  });

  test("[TUI-08 complaint 20] 1 MB is pasted within 50 ms", () => {
    const big = "a line of text\r\n".repeat(62_500);
    run(EMPTY_EDITOR, { kind: "paste", text: big.slice(1) });
    const start = performance.now();
    const state = run(EMPTY_EDITOR, { kind: "paste", text: big });
    drawEditor(state, 80, 13);
    expect(performance.now() - start).toBeLessThan(50);
    expect(expanded(state.text, state.chips)).toBe(big.replaceAll("\r\n", "\n"));
  });
});

describe("drawing", () => {
  /** Wraps a whole text, and returns its rows and the place of the caret: slow and simple. */
  function naive({ text: of, cursor }: EditorState, columns: number) {
    const room = Math.max(1, columns - 3);
    const rows: { units: number[]; text: string; from: number; ends: boolean }[] = [];
    const widthOf = (piece: string) => displayWidth(drawnOf(piece));
    let from = 0;
    for (const line of of.split("\n")) {
      let graphemes = [...segmenter.segment(line)].map(({ segment, index }) => ({
        segment,
        at: from + index,
      }));
      let start = from;
      for (;;) {
        let count = 0;
        let width = 0;
        while (count < graphemes.length) {
          const next = widthOf(graphemes[count]?.segment ?? "");
          const isBlank = drawnOf(graphemes[count]?.segment ?? "") === " ";
          if (count > 0 && width + next > room + (isBlank ? 1 : 0)) break;
          width += next;
          count += 1;
        }
        const rest = graphemes.length - count;
        if (rest > 0 && drawnOf(graphemes[count]?.segment ?? "") !== " ") {
          const blank = graphemes.slice(0, count).findLastIndex(({ segment }) => drawnOf(segment) === " ");
          if (blank !== -1) count = blank + 1;
        }
        const taken = graphemes.slice(0, count);
        rows.push({
          units: taken.map(({ at }) => at),
          text: taken.map(({ segment }) => drawnOf(segment)).join(""),
          from: start,
          ends: rest === 0,
        });
        graphemes = graphemes.slice(count);
        if (graphemes.length === 0) break;
        start = graphemes[0]?.at ?? 0;
      }
      from += line.length + 1;
    }
    const row = rows.findLastIndex((each) => each.from <= cursor);
    const before = of.slice(rows[row]?.from ?? 0, cursor);
    const column = [...segmenter.segment(before)].reduce((sum, { segment }) => sum + widthOf(segment), 2);
    return { rows: rows.map((each) => each.text), row, column };
  }

  function drawnOf(piece: string): string {
    return textOfRow(drawEditor(typed(piece, 0), 40, 1).rows[0] ?? { spans: [] }).slice(2);
  }

  test("[TUI-01 TUI-11] shows the rows around the caret as the whole text is wrapped, and the caret exactly", () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(200),
        fc.integer({ min: 10, max: 200 }),
        fc.integer({ min: 1, max: 9 }),
        (of, at, columns, rowsMax) => {
          const state = typed(of, Math.min(at, of.length));
          const expected = naive(state, columns);
          const drawn = drawEditor(state, columns, rowsMax);
          expect(drawn.rows.length).toBe(Math.min(rowsMax, expected.rows.length));
          const top = expected.row - drawn.cursor.row;
          expect(drawn.rows.map((each) => textOfRow(each).slice(2))).toEqual(
            expected.rows.slice(top, top + drawn.rows.length),
          );
          expect(drawn.cursor.column).toBe(Math.min(expected.column, columns - 1));
          expect(drawn.cursor.column).toBeLessThan(columns);
        },
      ),
      { numRuns: 300 },
    );
  }, 60_000);

  test("[TUI-01] marks that there is more above and below", () => {
    const state = typed("a\nb\nc\nd\ne", 4);
    expect(drawEditor(state, 20, 3).rows.map(textOfRow)).toEqual(["↑ b", "  c", "↓ d"]);
  });
});

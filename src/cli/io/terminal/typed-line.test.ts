import { expect, test } from "bun:test";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import type { LineInput } from "../../../client/line/input/terminal.ts";
import { TypedLine } from "./typed-line.ts";

const PASTE = "todo list:\n1\n2 apples\n";
const EARLY = "Not taken: keys count as an answer only after a pause of 0.3 s. Answer now.";

test("[PERM-14] a question takes no pasted text, with brackets or without, and the text is there for the next prompt", async () => {
  for (const kind of ["paste", "keys"] as const) {
    const rig = openRig();
    rig.ask({});
    await rig.clock.advance(400);
    rig.typed.take({ kind, text: PASTE.replaceAll("\n", "\r") });
    expect(rig.entered).toEqual([]);
    expect(rig.told).toEqual(["A question takes no pasted text. It is kept for your next prompt."]);
    rig.ask(undefined);
    expect(rig.editor.line).toBe("[pasted text 1, 3 lines]");
    rig.keys("\r");
    expect(rig.entered).toEqual([{ kind: "line", text: "todo list:\n1\n2 apples" }]);
  }
});

test("[PERM-14] where only questions are asked, refused text is not said to be kept for a prompt", async () => {
  const rig = openRig({ hasPrompts: false });
  rig.ask({});
  await rig.clock.advance(400);
  rig.typed.take({ kind: "paste", text: PASTE });
  expect(rig.told).toEqual(["A question takes no pasted text."]);
  rig.ask({});
  rig.keys("\r");
  expect(rig.told.at(-1)).toBe(EARLY);
});

test("[PERM-14] no key answers until 300 ms without any key have passed since the question stood there", async () => {
  const rig = openRig();
  const question = {};
  rig.ask(question);
  await rig.clock.advance(299);
  rig.keys("1");
  await rig.clock.advance(299);
  rig.keys("\r");
  expect([rig.entered, rig.told, rig.editor.line]).toEqual([[], [EARLY], ""]);
  expect(rig.typed.isEarly).toBe(true);
  await rig.clock.advance(310);
  expect(rig.typed.isEarly).toBe(false);
  rig.keys("1", "\r");
  expect(rig.entered).toEqual([{ kind: "line", text: "1", answers: question }]);
});

test("[PERM-14] keys that waited while the process was busy count as pressed before", async () => {
  const rig = openRig();
  rig.ask({});
  await rig.clock.advance(305); // the quiet time is over, and what was pressed in it is read only now
  rig.keys("1\r");
  expect(rig.entered).toEqual([]);
});

test("[PERM-14] keys that arrive together with Enter are a paste, not an answer; the next keys are one", async () => {
  for (const [text, told, kept] of [
    ["1\r", "Not taken: keys and Enter arrived at once, as in a paste. Press them again.", ""],
    ["y\n", "Not taken: keys and Enter arrived at once, as in a paste. Press them again.", ""],
    ["fix it\r", "A question takes no pasted text. It is kept for your next prompt.", "fix it"],
  ] as const) {
    const rig = openRig();
    const question = {};
    rig.ask(question);
    await rig.clock.advance(310);
    rig.keys(text);
    expect([rig.entered, rig.told, rig.editor.line]).toEqual([[], [told], ""]);
    await rig.clock.advance(310);
    rig.keys("1", "\r");
    expect(rig.entered).toEqual([{ kind: "line", text: "1", answers: question }]);
    rig.ask(undefined);
    expect(rig.editor.line).toBe(kept);
  }
});

test("[PERM-14 ENG-26] a line that was begun before the question answers nothing, and comes back when it is settled", async () => {
  const rig = openRig();
  rig.keys("1 more ");
  const question = {};
  rig.ask(question);
  rig.keys("thing", "\r");
  expect([rig.entered, rig.told]).toEqual([[], [`${EARLY} Your line is kept for the next prompt.`]]);
  await rig.clock.advance(310);
  expect(rig.editor.line).toBe("");
  rig.keys("4", "\r");
  expect(rig.entered).toEqual([{ kind: "line", text: "4", answers: question }]);
  rig.ask(undefined);
  expect(rig.editor.line).toBe("1 more thing");
});

test("[PERM-14] a question that follows another one begins with a quiet time of its own", async () => {
  const rig = openRig();
  const questions = [{}, {}];
  rig.ask(questions[0]);
  await rig.clock.advance(310);
  rig.keys("1", "\r");
  rig.ask(questions[1]);
  rig.keys("1", "\r");
  await rig.clock.advance(310);
  rig.ask(questions[1]); // its prompt counts down
  rig.keys("2", "\r");
  expect(rig.entered).toEqual([
    { kind: "line", text: "1", answers: questions[0] },
    { kind: "line", text: "2", answers: questions[1] },
  ]);
});

test("[PERM-14] where any text is an answer, a pasted one goes into the line and waits for Enter", async () => {
  const rig = openRig();
  const question = {};
  rig.ask(question, true);
  await rig.clock.advance(310);
  rig.typed.take({ kind: "paste", text: "https://example.org/\n" });
  expect([rig.entered, rig.editor.line]).toEqual([[], "https://example.org/"]);
  rig.keys("\r");
  expect(rig.entered).toEqual([]); // it came with the paste
  await rig.clock.advance(310);
  rig.keys("\r");
  expect(rig.entered).toEqual([{ kind: "line", text: "https://example.org/", answers: question }]);
});

test("[TUI-01] pasted lines are one text, a pasted line is no command, and no control character comes with it", () => {
  const rig = openRig();
  const pastes = [
    "one\r\n/quit\r\n\tthree",
    "/quit\n",
    "/quit\n/x\n",
    "/tasks",
    "a\u001b[2J\u0003b",
    "// x\ny",
  ];
  for (const text of pastes) {
    rig.typed.take({ kind: "paste", text });
    rig.keys("\r");
  }
  expect(rig.entered.map((line) => (line.kind === "line" ? line.text : ""))).toEqual([
    "one\n/quit\n\tthree",
    "//quit",
    "//quit\n/x",
    "/tasks",
    "a[2Jb",
    "/// x\ny",
  ]);
});

test("[TUI-01] a paste goes in where the cursor stands, between what was typed", () => {
  const rig = openRig();
  rig.keys("see  please");
  rig.editor.cursor = 4;
  rig.typed.take({ kind: "paste", text: "a\nb" });
  expect(rig.editor.line).toBe("see [pasted text 1, 2 lines] please");
  rig.keys("\r");
  expect(rig.entered).toEqual([{ kind: "line", text: "see a\nb please" }]);
});

test("[PERM-14] where the system edits the line, a line that others follow at once is no answer, and one alone is", async () => {
  const rig = openRig({ canEdit: false });
  const question = {};
  rig.ask(question);
  await rig.clock.advance(310);
  rig.keys("1\r", "2 apples\r");
  await rig.clock.advance(60);
  expect([rig.entered, rig.told]).toEqual([[], ["A question takes no pasted text."]]);
  await rig.clock.advance(310);
  rig.keys("4\r");
  await rig.clock.advance(60);
  expect(rig.entered).toEqual([{ kind: "line", text: "4", answers: question }]);
});

/** A line editor that knows letters and Enter. */
function openRig({ canEdit = true, hasPrompts = true } = {}) {
  const clock = fakeClock();
  const entered: LineInput[] = [];
  const told: string[] = [];
  const editor = {
    canEdit,
    hasPrompts,
    line: "",
    cursor: 0,
    replace: (line: string, cursor: number) => void Object.assign(editor, { line, cursor }),
    redraw: () => undefined,
    tell: (text: string) => void told.push(text),
    press(keys: string) {
      for (const key of keys) {
        if (key !== "\r") {
          editor.line += key;
          continue;
        }
        const { line } = editor;
        editor.replace("", 0);
        entered.push(typed.entered(line));
      }
      editor.cursor = editor.line.length;
    },
  };
  const typed = new TypedLine(clock, editor);
  return {
    clock,
    editor,
    entered,
    told,
    typed,
    keys(...pieces: readonly string[]) {
      for (const text of pieces) typed.take({ kind: "keys", text });
    },
    ask(question: object | undefined, takesPaste = false) {
      typed.ask(question === undefined ? undefined : { question, takesPaste });
    },
  };
}

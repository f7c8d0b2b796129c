import { expect, test } from "bun:test";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { row, span } from "../drawing/span.ts";
import type { Dialog } from "./dialog.ts";
import { QuestionBody } from "./question-body.ts";

const QUESTION = { kind: "asked", ask: { askId: "ask_1", about: "plan", text: "" } } as unknown as Question;

function openBody(lines: number) {
  const dialog = { version: 0, at: 0, drawings: 0 };
  const body = new QuestionBody({
    get version() {
      return dialog.version;
    },
    body() {
      dialog.drawings += 1;
      return Array.from({ length: lines }, (_, at) => row([span(`line ${at}`)]));
    },
    rowInSight: () => dialog.at,
  } as unknown as Dialog);
  const rows = (question = QUESTION) => body.rows(question, 60, "unified");
  const shown = (room: number) => linesOf(body.window(rows(), { room, columns: 60, hint: " · f shows all" }));
  return { dialog, body, rows, shown };
}

test("[PERM-14] what does not fit is counted above and below, and a page scrolls over two rows of it", () => {
  const { body, shown } = openBody(10);
  expect(shown(4)).toBe("line 0\nline 1\nline 2\n… 7 rows below · f shows all");
  expect(body.scroll(1)).toBe(true);
  expect(shown(4)).toBe("line 2\nline 3\nline 4\n… 2 rows above, 5 rows below · f shows all");
  for (const _ of [1, 2, 3]) body.scroll(1);
  expect(shown(4)).toStartWith("line 6");
  expect(shown(1)).toBe("line 6 … +9");
  expect(shown(10)).not.toContain("…");
  expect(body.scroll(1)).toBe(false);
});

test("[PERM-15 TUI-05] a change of the dialog brings its row into sight, and what has not changed is not drawn again", () => {
  const { dialog, rows, shown } = openBody(10);
  shown(4);
  shown(4);
  expect(dialog.drawings).toBe(1);
  Object.assign(dialog, { version: 1, at: 5 });
  expect(shown(4)).toStartWith("line 5");
  expect(dialog.drawings).toBe(2);
  expect(linesOf(rows({ ...QUESTION, isUncertain: true })).split("\n").length).toBeGreaterThan(10);
});

import { expect, test } from "bun:test";
import { row, span } from "../drawing/span.ts";
import { NO_COLOURS } from "../themes/none.ts";
import { FinishedRows } from "./finished-rows.ts";

const [BEGIN, END] = ["\u001b]133;A\u001b\\", "\u001b]133;C\u001b\\"];

test("[TUI-01] each prompt in the scrollback begins with a mark of the shell, and so does what follows it, once", () => {
  const finished = new FinishedRows();
  const prompt = (text: string) => row([span(text)], { fill: "prompt" });
  const answer = (text: string) => row([span(text)]);
  const first = finished.paint([prompt("> one"), prompt("more"), answer("two")], NO_COLOURS, 20);
  const next = finished.paint([answer("three"), prompt("> four")], NO_COLOURS, 20);
  const marks = [...first, ...next].map((each) => [each.includes(BEGIN), each.includes(END)]);
  expect(marks).toEqual([
    [true, false],
    [false, false],
    [false, true],
    [false, false],
    [true, false],
  ]);
});

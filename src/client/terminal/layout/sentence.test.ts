import { expect, test } from "bun:test";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import { row, span } from "../drawing/span.ts";
import { Sentence } from "./sentence.ts";

function openSentence() {
  const clock = fakeClock();
  let frames = 0;
  const sentence = new Sentence(clock, () => {
    frames += 1;
  });
  const say = (text: string) => sentence.say(row([span(text)]));
  const shown = (columns = 40, rowsMax = 9) => {
    const rows = sentence.rows(columns, rowsMax);
    return rows === undefined ? undefined : linesOf(rows);
  };
  return { clock, sentence, say, shown, frames: () => frames };
}

test("[TUI-11] a sentence stays for two seconds, whatever is typed, and goes with the first key after that", async () => {
  const { clock, sentence, say, shown, frames } = openSentence();
  say("Kept.");
  sentence.noteKey();
  await clock.advance(1_999);
  expect(shown()).toBe("Kept.");
  await clock.advance(1);
  expect([shown(), frames()]).toEqual([undefined, 1]);
  say("Read.");
  await clock.advance(60_000);
  expect(shown()).toBe("Read.");
  sentence.noteKey();
  expect([shown(), frames()]).toEqual([undefined, 1]);
});

test("[TUI-11] a sentence has four rows at most, and the next one replaces it with its own time", async () => {
  const { clock, sentence, say, shown } = openSentence();
  say("one two three four five six");
  expect(shown(5)?.split("\n")).toHaveLength(4);
  expect(shown(5, 2)?.split("\n")).toHaveLength(2);
  await clock.advance(1_500);
  say("Next.");
  sentence.noteKey();
  await clock.advance(1_999);
  expect(shown()).toBe("Next.");
  sentence.say(undefined);
  expect([shown(), clock.waiting]).toEqual([undefined, 0]);
});

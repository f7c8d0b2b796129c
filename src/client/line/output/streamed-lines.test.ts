import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { HELD_CHARACTERS_MAX, HELD_CODE_CHARACTERS_MAX, StreamedLines } from "./streamed-lines.ts";

test("[TUI-07] a notice waits for the end of the line that is streamed, and a line of ours does not", () => {
  const lines = new StreamedLines({ holds: true });
  expect(lines.notice("first")).toBe("first\n");
  expect(lines.push("Let me lo")).toBe("Let me lo");
  expect(lines.notice("one")).toBe("");
  expect(lines.push("ok at")).toBe("ok at");
  expect(lines.notice("two")).toBe("");
  expect(lines.push(" it.\nThen")).toBe(" it.\none\ntwo\nThen");
  expect(lines.notice("three")).toBe("");
  expect(lines.line("* Bash ls")).toBe("\nthree\n* Bash ls\n");
  expect(lines.isHolding).toBe(false);
});

test("[TUI-07] in a long line a notice stands between two words, after so many characters", () => {
  const lines = new StreamedLines({ holds: true });
  let shown = lines.push("word ");
  shown += lines.notice("a notice");
  for (let at = 0; lines.isHolding; at++) shown += lines.push(`longer-word-${at} and`);
  shown += lines.push(" on");
  const [before, notice, after] = shown.split("\n");
  expect(notice).toBe("a notice");
  expect(before).toMatch(/longer-word-\d+$/);
  expect(before?.length).toBeWithin(HELD_CHARACTERS_MAX - 20, HELD_CHARACTERS_MAX + 40);
  expect(after).toBe("and on");
});

test("[TUI-07] a line without words does not keep a notice for ever", () => {
  const lines = new StreamedLines({ holds: true });
  lines.push("x");
  lines.notice("a notice");
  let pieces = 0;
  for (; lines.isHolding; pieces++) lines.push("x".repeat(50));
  expect(pieces * 50).toBeLessThanOrEqual(400);
  expect(lines.push("y")).toBe("y");
});

test("[TUI-07] whatever comes, all of the text and every line is printed, and the lines keep their order", async () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "漢"), minLength: 1, maxLength: 9 });
  const step = fc.oneof(
    fc.array(word, { maxLength: 60 }).map((words) => ({ kind: "text" as const, text: words.join(" ") })),
    fc.constant({ kind: "text" as const, text: "\n" }),
    fc.constant({ kind: "notice" as const }),
    fc.constant({ kind: "line" as const }),
  );
  const cases = fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isHeld) => {
    const lines = new StreamedLines({ holds: isHeld });
    let [shown, text] = ["", ""];
    for (const [at, each] of steps.entries()) {
      if (each.kind === "text") {
        text += each.text;
        shown += lines.push(each.text);
      } else shown += each.kind === "notice" ? lines.notice(`<${at}>`) : lines.line(`<${at}>`);
    }
    shown += lines.flush();
    const marks = [...shown.matchAll(/^<(\d+)>$/gm)].map(([, at]) => Number(at));
    const told = steps.flatMap(({ kind }, at) => (kind === "text" ? [] : [at]));
    expect(marks).toEqual(told);
    const plain = (given: string) => given.replaceAll(/<\d+>|\s/g, "");
    expect(plain(shown)).toBe(plain(text));
  });
  await holds(cases, 300);
});

test("[TUI-01 TUI-07] a notice stands behind a block of code, also in a list, and not in it", () => {
  const lines = new StreamedLines({ holds: true });
  let shown = lines.push("So:\n1. First\n\n   ```sh\n   make\n");
  shown += lines.notice("a notice");
  for (const piece of ["   make te", "st\n", "   ``", "`\nThen", " more\n"]) shown += lines.push(piece);
  expect(shown).toBe("So:\n1. First\n\n   ```sh\n   make\n   make test\n   ```\na notice\nThen more\n");
  lines.push("```\nthe message ends here");
  lines.endText();
  expect(lines.isInCode).toBe(false);
  expect(lines.line("* Bash ls")).toBe("\n* Bash ls\n");
  expect(lines.notice("at once")).toBe("at once\n");
});

test("[TUI-07] a block of code without an end does not keep a notice for ever, and is cut between two lines", () => {
  const lines = new StreamedLines({ holds: true });
  let shown = lines.push("```\n");
  shown += lines.notice("a notice");
  for (let at = 0; lines.isHolding; at++) shown += lines.push(`line ${at}\n`);
  const [before = "", after = ""] = shown.split("a notice\n");
  expect(before).toEndWith("\n");
  expect(before.length).toBeWithin(HELD_CODE_CHARACTERS_MAX, HELD_CODE_CHARACTERS_MAX + 40);
  expect(after).toBe("");
});

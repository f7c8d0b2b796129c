import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import type { TranscriptRig } from "../../../../../test/support/transcript-window.ts";
import { callItem, openTranscript, textItem } from "../../../../../test/support/transcript-window.ts";

const PARAGRAPH = "the quick brown fox jumps over the lazy dog and src/main.ts:12 too";
const CODE = "```ts\nif (x) {\n\n  y();\n}\n```\n";
const SIZE = { columns: 30, rows: 20 };

function drag(at: TranscriptRig, from: readonly [number, number], to: readonly [number, number]): void {
  at.mouse("press", ...from);
  at.mouse("drag", ...to);
  at.mouse("release", ...to);
}

async function copied(at: TranscriptRig): Promise<string | undefined> {
  at.press("alt+w");
  await settle();
  const bytes = at.services.controls.map((each) => /;c;(.*)\u0007/.exec(each)?.[1] ?? "").at(-1);
  return bytes === undefined ? undefined : Buffer.from(bytes, "base64").toString("utf8");
}

function selected(at: TranscriptRig): string {
  const spans = at.draw().rows.flatMap((row) => row.spans);
  return spans.flatMap(({ style, text }) => (style.role === "selected" ? [text] : [])).join("|");
}

test("[TUI-01 complaint 14] a drag over wrapped rows copies the line as it was, and the selection is seen", async () => {
  const at = openTranscript([textItem(1, `${PARAGRAPH}\n`)], SIZE);
  at.setMouse("full");
  expect(at.rows()).toEqual(["", "the quick brown fox jumps over", "the lazy dog and", "src/main.ts:12 too"]);
  drag(at, [1, 4], [3, 13]);
  expect(selected(at)).toBe("quick brown fox jumps over|the lazy dog and|src/main.ts:12");
  expect(at.services.controls).toEqual([]);
  expect(at.services.said.at(-1)).toBe("1 line selected: alt+w copies.");
  expect(await copied(at)).toBe("quick brown fox jumps over the lazy dog and src/main.ts:12");
});

test("[TUI-01 complaint 14] indents, bars and counts are not copied, and empty lines of code are", async () => {
  const output = Array.from({ length: 9 }, (_, line) => `out ${line}`).join("\n");
  const at = openTranscript([textItem(1, `${CODE}\n> quoted\n`), callItem(2, output)], SIZE);
  at.setMouse("full");
  const last = at.rows().length - 1;
  drag(at, [2, 0], [last, 29]);
  expect(await copied(at)).toBe(
    "if (x) {\n\n  y();\n}\n\nquoted\n\n● Bash run  9 lines, 53 bytes\nout 4\nout 5\nout 6\nout 7\nout 8",
  );
});

test("[TUI-01 complaint 10] a double click selects a word, a triple click the line, and a click ends that", async () => {
  const at = openTranscript([textItem(1, `${PARAGRAPH}\n`)], SIZE);
  at.setMouse("full");
  const click = () => {
    at.mouse("press", 3, 5);
    at.mouse("release", 3, 5);
  };
  click();
  expect(selected(at)).toBe("");
  click();
  expect(await copied(at)).toBe("src/main.ts:12");
  click();
  expect(await copied(at)).toBe(PARAGRAPH);
  await at.services.clock.advance(1_000);
  click();
  expect(selected(at)).toBe("");
});

test("[TUI-01 complaint 11] a selection is copied at once only if the setting says so", async () => {
  const off = openTranscript([textItem(1, "日本語 text\n")], SIZE);
  off.setMouse("full");
  drag(off, [1, 2], [1, 3]);
  await settle();
  expect(off.services.controls).toEqual([]);
  const at = openTranscript([textItem(1, "日本語 text\n")], SIZE);
  at.setMouse("full", { copyOnSelect: true });
  drag(at, [1, 2], [1, 3]);
  await settle();
  expect(at.services.controls).toHaveLength(1);
  expect(await copied(at)).toBe("本");
});

test("[TUI-01 complaint 10] a click unfolds a call; on the wheel alone a drag selects nothing", () => {
  const output = Array.from({ length: 9 }, (_, line) => `out ${line}`).join("\n");
  const at = openTranscript([callItem(1, output)], SIZE);
  at.mouse("press", 1, 3);
  at.mouse("release", 1, 3);
  expect(at.rows()).toContain("  out 0");
  drag(at, [2, 2], [4, 4]);
  expect(selected(at)).toBe("");
  at.mouse("press", 1, 3);
  at.mouse("release", 1, 3);
  expect(at.rows()).not.toContain("  out 0");
});

test("[TUI-01 complaint 10] a drag beyond the edge scrolls on until the button is released", async () => {
  const lines = Array.from({ length: 60 }, (_, line) => `line ${line}\n\n`).join("");
  const at = openTranscript([textItem(1, lines)], { columns: 30, rows: 10 });
  at.setMouse("full");
  at.mouse("press", 5, 0);
  at.mouse("drag", -1, 0);
  await at.services.clock.advance(1_000);
  const top = at.rows()[0];
  at.mouse("release", -1, 0);
  await at.services.clock.advance(1_000);
  expect(at.rows()[0]).toBe(top ?? "");
  const text = await copied(at);
  expect(text?.split("\n").length).toBeGreaterThan(20);
});

test("[TUI-01 complaint 10] the mouse is switched live, kept, and what it does is said with Shift and drag", () => {
  const at = openTranscript([textItem(1, "a\n")], SIZE);
  const modes: string[] = [];
  for (let press = 0; press < 3; press += 1) {
    at.press("f4");
    modes.push(at.services.settings.values.mouse);
  }
  expect(modes).toEqual(["full", "off", "wheel"]);
  expect(at.services.said[0]).toContain(
    "alt+w copies, a click unfolds, shift and drag selects with the terminal",
  );
});

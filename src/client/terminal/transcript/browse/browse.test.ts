import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import {
  callItem,
  openTranscript,
  promptItem,
  textItem,
} from "../../../../../test/support/transcript-window.ts";

const LONG = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n");
const SIZE = { columns: 60, rows: 12 };

function conversation() {
  return openTranscript(
    [
      promptItem(1, "first prompt"),
      textItem(2, "# One\n\nsaid **plainly**\n"),
      promptItem(3, "second prompt"),
      callItem(4, LONG),
      textItem(5, "done\n"),
    ],
    SIZE,
  );
}

/** Returns the text of the marked rows. */
function marked(rows: readonly string[]): readonly string[] {
  return rows.filter((each) => each.startsWith("┃")).map((each) => each.slice(2));
}

test("[TUI-01 bar Tool calls] a block is marked, moved to and unfolded by keyboard, and folded again", () => {
  const at = conversation();
  at.press("ctrl+t");
  expect(marked(at.rows())).toEqual(["done"]);
  expect(at.bar()).toStartWith(" BROWSE   escape back  enter unfold  y copy");
  at.press("up");
  expect(marked(at.rows())[0]).toBe("● Bash run  30 lines, 230 bytes");
  expect(marked(at.rows())).toHaveLength(7);
  at.press("enter");
  expect(marked(at.rows())[0]).toBe("● Bash run  30 lines, 230 bytes");
  expect(at.rows().at(-1)).toStartWith("┃   line ");
  at.press("enter");
  expect(marked(at.rows())).toHaveLength(7);
  at.press("escape");
  expect(at.services.overlays).toEqual([]);
  expect(at.rows().at(-1)).toBe("done");
});

test("[TUI-01 bar Scroll] a block that is longer than the window is shown to its end before the next one is marked", () => {
  const at = conversation();
  at.press("ctrl+t", "up", "enter");
  const seen = new Set<string>();
  for (let press = 0; press < 8 && marked(at.rows())[0] !== "done"; press += 1) {
    for (const row of marked(at.rows())) seen.add(row.trim());
    at.press("down");
  }
  expect(marked(at.rows())).toEqual(["done"]);
  for (let line = 1; line <= 30; line += 1) expect(seen).toContain(`line ${line}`);
});

test("[TUI-01 complaint 28] all blocks are unfolded by one key, and one of them folded again", () => {
  const at = conversation();
  at.press("ctrl+o", "ctrl+t", "up", "enter");
  expect(marked(at.rows())).toHaveLength(7);
  at.press("escape", "ctrl+o");
  expect(at.rows().join("\n")).toContain("  … 25 lines before");
});

test("[TUI-01 complaint 31] from the draft and while browsing, keys go from prompt to prompt and back to the end", () => {
  const at = conversation();
  at.press("alt+up");
  expect(at.rows()[1]).toBe("▌ second prompt");
  at.press("alt+up");
  expect(at.rows()[1]).toBe("▌ first prompt");
  expect(at.part.newBlocks).toBe(0);
  at.press("alt+down");
  expect(at.rows()[1]).toBe("▌ second prompt");
  at.press("alt+down");
  expect(at.part.newBlocks).toBeUndefined();
  at.press("ctrl+t", "[", "[");
  expect(marked(at.rows())).toEqual(["▌ first prompt"]);
  at.press("]");
  expect(marked(at.rows())).toEqual(["▌ second prompt"]);
});

test("[TUI-01 complaint 14] the marked block is copied from its source", async () => {
  const at = conversation();
  at.press("ctrl+t", "up", "y");
  await settle();
  at.press("g", "down", "y");
  await settle();
  const copied = at.services.controls.map((each) => atob(/;c;(.*)\u0007/.exec(each)?.[1] ?? ""));
  expect(copied).toEqual([LONG, "# One\n\nsaid **plainly**"]);
});

test("[TUI-01 complaint 14] what the transcript left out of a long output is read from the log before it is copied", async () => {
  const at = openTranscript([callItem(1, "the end", { outputLeftOut: 500 })], SIZE);
  const content = [{ type: "text", text: "the beginning\nthe end\n" }];
  at.services.found = { events: [{ kind: "ToolResult", payload: { content } }] };
  at.press("ctrl+t", "y");
  await settle();
  expect(at.services.controls.map((each) => atob(/;c;(.*)\u0007/.exec(each)?.[1] ?? ""))).toEqual([
    "the beginning\nthe end",
  ]);
});

test("[TUI-01 complaint 5 bar Scroll] away from the end the rows stay while text comes, and what is new is counted", () => {
  const at = openTranscript(
    Array.from({ length: 20 }, (_, index) => textItem(index + 1, `text ${index + 1}\n`)),
    SIZE,
  );
  at.press("pageUp");
  const before = at.rows();
  at.add(textItem(21, "new one\n"), textItem(22, "new two\n"));
  expect(at.rows()).toEqual(before);
  expect(at.part.newBlocks).toBe(2);
  at.press("ctrl+end");
  expect(at.rows().at(-1)).toBe("new two");
  expect(at.part.newBlocks).toBeUndefined();
});

test("[TUI-01] another session forgets the marks, the folds and the search of the one before", () => {
  const at = conversation();
  at.press("ctrl+o", "ctrl+t", "/");
  at.type("line");
  at.part.begin();
  expect(at.services.overlays).toEqual([]);
  expect(at.rows().join("\n")).toContain("  … 25 lines before");
});

test("[TUI-01 complaint 14] a block of code in an answer is marked by itself, and copied without its fence", async () => {
  const code = Array.from({ length: 120 }, (_, at) => `const x${at} = 1;`).join("\n");
  const at = openTranscript([textItem(1, `Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\n- done\n`)], SIZE);
  at.press("ctrl+t", "up", "g", "right");
  expect(marked(at.rows())).toEqual(["Look:"]);
  at.press("down");
  expect(marked(at.rows())[0]?.trim()).toBe("ts");
  at.press("y");
  await settle();
  expect(at.services.controls.map((each) => atob(/;c;(.*)\u0007/.exec(each)?.[1] ?? ""))).toEqual([code]);
  at.press("down");
  expect(marked(at.rows())).toEqual(["• done"]);
  at.press("left");
  expect(marked(at.rows()).length).toBeGreaterThan(1);
});

test("[TUI-01 bar Tool calls] the calls of a sub-agent are unfolded by keyboard", () => {
  const nested = callItem(3, LONG);
  const agent = callItem(2, "", { tool: "Agent", args: { prompt: "dig" }, items: [nested] });
  const at = openTranscript([promptItem(1, "go"), agent], { columns: 60, rows: 40 });
  at.press("ctrl+t", "enter", "right");
  expect(marked(at.rows())[0]).toContain("● Bash run");
  expect(at.rows().join("\n")).toContain("… 25 lines before");
  at.press("enter");
  expect(at.rows().join("\n")).toContain("│   line 1\n");
});

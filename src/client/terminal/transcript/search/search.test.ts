import { expect, test } from "bun:test";
import {
  callItem,
  openTranscript,
  promptItem,
  textItem,
} from "../../../../../test/support/transcript-window.ts";
import type { DrawnPart } from "../../layout/part.ts";
import { countIn, matcherOf } from "./matcher.ts";

const OUTPUT = ["needle at the top", ...Array.from({ length: 30 }, (_, at) => `line ${at}`)].join("\n");
const SIZE = { columns: 70, rows: 12 };

function conversation() {
  return openTranscript(
    [
      promptItem(1, "find the needle"),
      callItem(2, OUTPUT),
      textItem(3, "No **nee**dle, one Needle, `needle` and a needle that goes on over the edge of its row\n"),
      textItem(4, "the end\n"),
    ],
    SIZE,
  );
}

/** Returns the texts in a role of the frame. */
function inRole({ rows }: DrawnPart, role: string): readonly string[] {
  return rows.flatMap(({ spans }) =>
    spans.filter(({ style }) => style.role === role).map(({ text }) => text),
  );
}

test("[TUI-01 bar Search] a search counts matches in folded text too, and shows each in its unfolded block", () => {
  const at = conversation();
  at.press("ctrl+s");
  expect(at.bar()).toContain("type to search");
  at.type("needle");
  expect(at.bar()).toContain("3 of 6");
  expect(inRole(at.draw(), "match")).toEqual(["Needle", "needle", "needle"]);
  expect(inRole(at.draw(), "currentMatch")).toEqual(["nee", "dle"]);
  at.press("up");
  expect(at.bar()).toContain("2 of 6");
  expect(at.rows().join("\n")).toContain("  needle at the top");
  expect(inRole(at.draw(), "currentMatch")).toEqual(["needle"]);
  at.press("up");
  expect(at.bar()).toContain("1 of 6");
  expect(at.rows().join("\n")).toContain("  … 26 lines before");
  at.press("up");
  expect(at.bar()).toContain("6 of 6");
  at.press("enter");
  expect(at.bar()).toContain("1 of 6");
});

test("[TUI-01 bar Search] Escape keeps the place of the match, also in text that was folded", () => {
  const at = conversation();
  at.press("ctrl+s");
  at.type("at the top");
  const before = at.rows();
  at.press("escape");
  expect(at.services.overlays).toEqual([]);
  expect(at.rows()).toEqual(before);
  expect(inRole(at.draw(), "match")).toEqual([]);
});

test("[TUI-01 bar Search] while browsing / searches, n and N go on, and the block of the match is marked", () => {
  const at = conversation();
  at.press("ctrl+t", "/");
  at.type("needle");
  at.press("escape", "N", "N");
  expect(at.rows().filter((each) => each.startsWith("┃"))).toEqual(["┃ ▌ find the needle"]);
  at.press("n");
  expect(at.rows().filter((each) => each.startsWith("┃"))[0]).toStartWith("┃ ● Bash");
  at.press("enter");
  expect(at.rows().join("\n")).toContain("  … 26 lines before");
  at.press("escape");
  expect(inRole(at.draw(), "match")).toEqual([]);
});

test("[TUI-01 bar Search] capitals make a search exact, signs stand for themselves, and nothing found is said", () => {
  const at = conversation();
  at.press("ctrl+s");
  at.type("Needle");
  expect(at.bar()).toContain("1 of 1");
  at.press("ctrl+u");
  at.type("n.*dle");
  expect(at.bar()).toContain("no match");
  expect(countIn("a+b (c) [d] $ ^ | \\ / a+b", matcherOf("a+b") ?? /-/)).toBe(2);
});

test("[TUI-01 bar Search complaint 6] 20,000 paragraphs are looked through in steps shorter than a frame", async () => {
  const text = Array.from(
    { length: 20_000 },
    (_, at) => `paragraph ${at}${at % 2_000 === 0 ? " rare" : ""}\n\n`,
  );
  const at = openTranscript([textItem(1, text.join(""))], SIZE);
  let [nowMs, steppedAtMs, longest, steps] = [0, 0, 0, 0];
  const { clock } = at.services;
  // Each look at the clock takes a little: a step ends after its time.
  Object.assign(clock, { monotonic: () => (nowMs += 0.01) });
  const redraw = () => {
    longest = Math.max(longest, nowMs - steppedAtMs);
    steppedAtMs = nowMs;
    steps += 1;
  };
  Object.assign(at.services, { redraw });
  at.press("ctrl+s");
  at.type("rare");
  expect(at.bar()).toContain("so far …");
  await clock.advance(0);
  expect(steps).toBeGreaterThan(10);
  expect(longest).toBeLessThan(16);
  expect(at.bar()).toContain(" of 10");
});

test("[TUI-01 bar Search] text that comes while a search is open is counted too", async () => {
  const at = conversation();
  at.press("ctrl+s");
  at.type("needle");
  at.add(textItem(5, "another needle\n"));
  at.draw();
  await at.services.clock.advance(300);
  expect(at.bar()).toContain("3 of 7");
});

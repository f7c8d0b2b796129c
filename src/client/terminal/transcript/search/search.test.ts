import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import {
  callItem,
  openTranscript,
  promptItem,
  textItem,
} from "../../../../../test/support/transcript-window.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../../../../view/transcript/pages.ts";
import { withPage } from "../../../../view/transcript/pages.ts";
import type { Transcript } from "../../../../view/transcript/transcript.ts";
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

/** A window on a session of 200 events of which the last 50 are loaded; pages have 50 events. */
function longConversation() {
  const at = openTranscript([], SIZE);
  const items = [
    promptItem(5, "an old needle"),
    promptItem(60, "nothing here"),
    textItem(120, "needle and needle\n"),
    ...Array.from({ length: 20 }, (_, index) => textItem(151 + index, `filler ${index}\n`)),
    promptItem(180, "a new needle"),
  ];
  const inside = ({ first, last }: TranscriptRange) =>
    items.filter(({ event }) => event >= first && event <= last);
  let transcript: Transcript = {
    reached: 200,
    segments: [
      { first: 1, last: 150, weight: 0 },
      { first: 151, last: 200, items: inside({ first: 151, last: 200 }), weight: 0 },
    ],
  };
  const [pages, readBack]: [TranscriptRange[], unknown[]] = [[], []];
  let failure: Error | undefined;
  const pageAt = (range: TranscriptRange): TranscriptPage => ({
    ...range,
    segments: [{ ...range, items: inside(range), weight: 0 }],
  });
  const pageOf = async ({ first, last }: TranscriptRange): Promise<TranscriptPage> => {
    if (failure !== undefined) throw failure;
    const range = { first: Math.max(first, last - 49), last };
    pages.push(range);
    return pageAt(range);
  };
  Object.defineProperty(at.services.session, "transcript", { get: () => transcript });
  Object.assign(at.services.session, {
    pageOf,
    async readBack(_first: number, place: PagePosition) {
      readBack.push(place);
      const around = typeof place === "object" ? place.around : 150;
      if (failure !== undefined) return;
      const first = around - ((around - 1) % 50);
      transcript = withPage(transcript, pageAt({ first, last: first + 49 }));
    },
  });
  return {
    ...at,
    pages,
    readBack,
    fails(thrown: Error) {
      failure = thrown;
    },
    async pass() {
      await at.services.clock.advance(300);
      await settle();
      at.draw();
      await settle();
    },
  };
}

test("[TUI-01 bar Search complaint 4] a search counts the parts that are not loaded, and a match in one brings its page back", async () => {
  const at = longConversation();
  at.press("ctrl+s");
  at.type("needle");
  expect(at.bar()).toContain("1 so far …");
  await at.pass();
  expect(at.pages).toEqual([
    { first: 101, last: 150 },
    { first: 51, last: 100 },
    { first: 1, last: 50 },
  ]);
  expect(at.bar()).toContain("4 of 4");
  expect(at.readBack).toEqual([]);
  at.press("up");
  await at.pass();
  expect(at.readBack).toContainEqual({ around: 120 });
  expect(at.bar()).toContain("3 of 4");
  expect(at.rows().join("\n")).toContain("needle and needle");
  expect(inRole(at.draw(), "currentMatch")).toEqual(["needle"]);
  at.press("up", "up");
  await at.pass();
  expect(at.bar()).toContain("1 of 4");
  expect(at.rows().join("\n")).toContain("an old needle");
  at.press("up");
  expect(at.bar()).toContain("4 of 4");
});

test("[TUI-01 bar Search] pages that were read for one search serve the next one, and a match in them is shown", async () => {
  const at = longConversation();
  at.press("ctrl+s");
  at.type("ol");
  await at.pass();
  const { length } = at.pages;
  at.press("ctrl+u");
  at.type("nothing");
  await at.pass();
  await at.pass();
  expect(at.readBack).toContainEqual({ around: 60 });
  expect(at.pages).toHaveLength(length);
  expect(at.bar()).toContain("1 of 1");
  expect(at.rows().join("\n")).toContain("nothing here");
});

test("[TUI-01 bar Search] a page that cannot be read is said, and the rest of the session is searched", async () => {
  const at = longConversation();
  at.fails(new Error("the log is damaged"));
  at.press("ctrl+s");
  at.type("needle");
  await at.pass();
  expect(at.bar()).toContain("1 of 1 (earlier messages could not be read)");
  expect(at.services.said).toEqual(["the log is damaged"]);
});

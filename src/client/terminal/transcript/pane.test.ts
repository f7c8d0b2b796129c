import { expect, test } from "bun:test";
import { costMs } from "../../../../test/support/cost.ts";
import { fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { NO_CLIENTS } from "../../../view/session/clients.ts";
import { PageReader, withPage } from "../../../view/transcript/pages.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import {
  clearedTranscript,
  droppedFrom,
  NEW_TRANSCRIPT,
  transcriptAfter,
  transcriptBehind,
} from "../../../view/transcript/transcript.ts";
import type { DrawContext } from "./draw-context.ts";
import type { PaneView } from "./pane.ts";
import { TranscriptPane } from "./pane.ts";

const HEIGHT = 12;
const TURNS = 1_200;
const CONTEXT: DrawContext = {
  columns: 60,
  unfolded: new Set(),
  clients: NO_CLIENTS,
  self: undefined,
  nowMs: 0,
  lastLines: 5,
  diffLayout: "auto",
};

/** A log of turns with a prompt and an answer of three lines each. */
const LOG: readonly Envelope[] = Array.from({ length: TURNS }, (_, at) => {
  const turn = at + 1;
  const frame = (id: number) => ({ id: 3 * at + id, session: SESSION, ts: "2026-01-01T00:00:00.000Z" });
  const content = [{ type: "text", text: `prompt ${turn}` }];
  const text = `answer ${turn}\n\nsecond line ${turn}\n\nthird line ${turn}`;
  return [
    { ...frame(1), kind: "TurnStarted", payload: { turn, originator: fakeId("cli", 1), content } },
    { ...frame(2), kind: "TextDelta", payload: { text } },
    { ...frame(3), kind: "TurnEnded", payload: { turn, reason: "complete" } },
  ] as unknown as readonly Envelope[];
}).flat();

/** A pane over a transcript whose missing parts are read back as the window asks for them. */
class Reader {
  readonly pane = new TranscriptPane();
  transcript: Transcript;
  pages = 0;

  constructor(transcript: Transcript) {
    this.transcript = transcript;
  }

  /** Shows a frame, reads what is missing in it, and shows it again. */
  show(): string {
    for (;;) {
      const view = this.pane.view(this.transcript, HEIGHT, CONTEXT);
      if (view.missing === undefined) return text(view);
      this.readBack(view.missing);
    }
  }

  readBack({ first, place }: NonNullable<PaneView["missing"]>): void {
    const segment = this.transcript.segments.find((each) => each.first === first);
    if (segment === undefined) throw new Error(`nothing begins at ${first}`);
    const reader = new PageReader(segment, place);
    for (const each of LOG) if (each.id > reader.since && !reader.add(each)) break;
    this.transcript = withPage(this.transcript, reader.page);
    this.pages += 1;
  }

  scroll(by: number): string {
    this.pane.scroll(by, this.transcript, HEIGHT, CONTEXT);
    return this.show();
  }
}

function text({ rows }: PaneView): string {
  return linesOf(rows.map(({ drawn }) => drawn));
}

function tail(): Transcript {
  const since = LOG.length - 30;
  return LOG.slice(since).reduce(transcriptAfter, transcriptBehind(since));
}

test("[TUI-10 TUI-01 complaint 4] scrolling up reads the pages above, and each row comes to sight once", () => {
  const reader = new Reader(tail());
  const whole = new Reader(LOG.reduce(transcriptAfter, NEW_TRANSCRIPT));
  expect(reader.show()).toBe(whole.show());
  for (let page = 0; page < 500; page += 1) expect(reader.scroll(-10)).toBe(whole.scroll(-10));
  expect(reader.pages).toBeLessThanOrEqual(4);
});

test("[TUI-10 bar Scroll] the first message, an event in the middle, and the way down from there are read where they are", () => {
  const reader = new Reader(tail());
  reader.pane.goTo({ event: 1, part: 0, row: 0 });
  expect(reader.show()).toContain("prompt 1\n");
  expect(reader.pages).toBe(1);
  reader.pane.goTo({ event: 1_801, part: 0, row: 0 });
  expect(reader.show()).toContain("prompt 601\n");
  expect(reader.pages).toBe(2);
  const seen = new Set(reader.show().match(/prompt \d+/g));
  for (let page = 0; page < 1_000; page += 1)
    for (const [prompt] of reader.scroll(10).matchAll(/prompt \d+/g)) seen.add(prompt);
  expect([...seen].slice(0, 2)).toEqual(["prompt 601", "prompt 602"]);
  expect(seen.size).toBe(TURNS - 600);
  expect(reader.pane.isFollowing).toBe(true);
});

test("[CMD-01 TUI-01] what was cleared stays out of sight until a person scrolls to it", () => {
  const reader = new Reader(clearedTranscript(LOG.reduce(transcriptAfter, NEW_TRANSCRIPT)));
  expect(reader.show()).toBe("… earlier messages");
  expect(reader.pages).toBe(0);
  reader.scroll(-1);
  expect(reader.pages).toBe(1);
  expect(reader.show()).toContain(`answer ${TURNS}`);
});

test("[TUI-10 complaint 5 complaint 8] what is dropped far from the window changes nothing in it", () => {
  const reader = new Reader(LOG.slice(0, -3).reduce(transcriptAfter, NEW_TRANSCRIPT));
  const before = reader.scroll(-200);
  reader.transcript = droppedFrom(reader.transcript, reader.pane.top?.event ?? 0, 10_000);
  reader.transcript = LOG.slice(-3).reduce(transcriptAfter, reader.transcript);
  expect(reader.transcript.segments.length).toBeLessThan(100);
  expect(reader.show()).toBe(before);
  expect(reader.pages).toBe(0);
});

/** Returns a transcript that counts each look at one of its items, and the count. */
function watched(transcript: Transcript): { readonly transcript: Transcript; readonly looks: () => number } {
  let looks = 0;
  const segments = transcript.segments.map((segment) => {
    if (segment.items === undefined) return segment;
    const items = new Proxy(segment.items, {
      get(all, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) looks += 1;
        return Reflect.get(all, name, receiver);
      },
    });
    return { ...segment, items };
  });
  return { transcript: { ...transcript, segments }, looks: () => looks };
}

test("[TUI-01 PERF-03 complaint 6] a frame looks at as many items in a long session as in a short one, at its end and far from it", () => {
  const looksIn = (turns: number) => {
    const { transcript, looks } = watched(LOG.slice(0, 3 * turns).reduce(transcriptAfter, NEW_TRANSCRIPT));
    const pane = new TranscriptPane();
    const looksFor = (work: () => void) => {
      const before = looks();
      work();
      return looks() - before;
    };
    const frame = () => void pane.view(transcript, HEIGHT, CONTEXT);
    const atEnd = [looksFor(frame), looksFor(frame)];
    for (let page = 0; page < 3; page += 1) pane.scroll(-HEIGHT, transcript, HEIGHT, CONTEXT);
    return [...atEnd, looksFor(frame), looksFor(() => pane.scroll(-3, transcript, HEIGHT, CONTEXT))];
  };
  const [short, long] = [looksIn(30), looksIn(TURNS)];
  expect(long.slice(0, 2)).toEqual(short.slice(0, 2));
  // Away from the end the place is searched by halves.
  const steps = Math.ceil(Math.log2(TURNS / 30));
  for (const [at, count] of long.entries()) expect(count).toBeLessThanOrEqual((short[at] ?? 0) + 8 * steps);
  expect(Math.max(...long)).toBeLessThan(300);
});

test("[TUI-10 bar Long output] a part of 200,000 rows costs as much as the window that shows it", async () => {
  const frame = { session: SESSION, ts: "2026-01-01T00:00:00.000Z" };
  const text = Array.from({ length: 200_000 }, (_, at) => String(at)).join("\n");
  const thinking = {
    ...frame,
    id: 1,
    kind: "ThinkingDelta",
    payload: { block: { text } },
  } as unknown as Envelope;
  const transcript = transcriptAfter(NEW_TRANSCRIPT, thinking);
  const context = { ...CONTEXT, unfolded: new Set([1]) };
  const pane = new TranscriptPane();
  const rows = () => linesOf(pane.view(transcript, HEIGHT, context).rows.map(({ drawn }) => drawn));
  expect(rows()).toEndWith("  199999");
  pane.scroll(-150_000, transcript, HEIGHT, context);
  expect(rows()).toStartWith("  49988\n");
  const { top } = pane;
  if (top === undefined) throw new Error("the window is at the end");
  const to = { ...top, row: top.row + 140_000 };
  expect(pane.rowsBetween(transcript, { from: top, to, rowsMax: 1_000_000 }, context)).toHaveLength(140_001);
  const work = () => {
    for (let at = 0; at < 100; at += 1) pane.view(transcript, HEIGHT, context);
  };
  expect(await costMs(work, 100)).toBeLessThan(100);
});

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { log, transcriptLog } from "../../../test/support/arbitrary-events.ts";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { holds } from "../../../test/support/property.ts";
import type { AskId, CallId } from "../../base/ids.ts";
import { unifiedHunks } from "../../base/text/diff/hunks.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { TranscriptItem } from "./items.ts";
import type { PagePosition } from "./pages.ts";
import { PageReader, withPage } from "./pages.ts";
import { hasOpenCall } from "./segment.ts";
import { streamedSource } from "./streamed-text.ts";
import type { Transcript } from "./transcript.ts";
import {
  clearedTranscript,
  droppedFrom,
  NEW_TRANSCRIPT,
  settledSegments,
  transcriptAfter,
  transcriptBehind,
} from "./transcript.ts";

const CLIENT = fakeId("cli", 1);
const CALL = fakeId("call", 1) as CallId;

function fold(events: readonly Envelope[], from = NEW_TRANSCRIPT): Transcript {
  return events.reduce(transcriptAfter, from);
}

function itemsIn({ segments }: Transcript): readonly TranscriptItem[] {
  return itemsOf(segments);
}

function itemsOf(segments: Transcript["segments"]): readonly TranscriptItem[] {
  return segments.flatMap(({ items = [] }) => items);
}

function logOf(...events: readonly Event[]): readonly Envelope[] {
  return events.map(
    (each, at) => ({ id: at + 1, session: SESSION, ts: "2026-01-01T00:00:00.000Z", ...each }) as Envelope,
  );
}

test("[TUI-10 ENG-26] events that are read twice change nothing, and no log is an error", async () => {
  const property = fc.property(log, fc.nat(), (events, from) => {
    const whole = fold(events);
    const again = events.slice(from % (events.length + 1)).filter(({ kind }) => kind !== "ToolCallProgress");
    expect(fold(again, whole)).toBe(whole);
  });
  await holds(property, 300);
});

test("[CMD-01 TUI-01] what is cleared in the middle of a turn tears no text and loses no call that runs; the rest goes", () => {
  const turn = (number: number): Event => ({
    kind: "TurnStarted",
    payload: { turn: number, originator: CLIENT, content: [{ type: "text", text: `prompt ${number}` }] },
  });
  const says = (text: string): Event => ({ kind: "TextDelta", payload: { text } });
  const end: Event = { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } };
  const call: Event = {
    kind: "ToolCallStarted",
    payload: { callId: CALL, tool: "Bash", args: { command: "make" }, mutating: true },
  };
  const shown = (events: readonly Event[], clearAt: number) => {
    const all = logOf(...events);
    const cleared = clearedTranscript(fold(all.slice(0, clearAt)));
    const { segments } = fold(all.slice(clearAt), cleared);
    expect(segments[0]).toMatchObject({ first: 1, isCleared: true });
    const ranges = segments.flatMap(({ first, last }) => [first, last]);
    expect(ranges).toEqual(ranges.toSorted((one, two) => one - two));
    return itemsOf(segments).map((item) =>
      item.kind === "text" ? streamedSource(item.streamed) : item.kind === "call" ? item.state : item.kind,
    );
  };
  const told = [turn(1), says("done."), end, turn(2), says("One "), says("sen"), says("tence.")];
  expect(shown(told, 5)).toEqual(["One sentence."]);
  expect(shown(told, 6)).toEqual(["One sentence."]);
  expect(shown(told, 4)).toEqual(["One sentence."]);
  expect(shown(told, 3)).toEqual(["prompt", "One sentence."]);
  const result: Event = { kind: "ToolResult", payload: { callId: CALL, content: [], isError: false } };
  const worked = [turn(1), says("I make it."), call, result, says("Made."), end];
  expect(shown(worked, 3)).toEqual(["done", "Made.", "end"]);
  expect(shown(worked, 4)).toEqual(["Made.", "end"]);
  expect(shown(worked, 6)).toEqual([]);
});

test("[TUI-10] a transcript that begins behind the end of a turn shows the tail of the whole one", async () => {
  const property = fc.property(transcriptLog, fc.nat(), (events, at) => {
    const ends = events.filter(({ kind, parentCall }) => kind === "TurnEnded" && parentCall === undefined);
    const end = ends[at % Math.max(1, ends.length)];
    if (end === undefined) return;
    const tail = itemsIn(
      fold(
        events.filter(({ id }) => id > end.id),
        transcriptBehind(end.id),
      ),
    );
    expect(tail).toEqual(itemsIn(fold(events)).filter((item) => item.event > end.id));
  });
  await holds(property, 300);
});

/** Reads pages until nothing is left out, each at the place that is asked for. */
function readBack(transcript: Transcript, events: readonly Envelope[], place: PagePosition): Transcript {
  let whole = transcript;
  for (let tries = 0; tries <= events.length; tries += 1) {
    const segment = whole.segments.find(({ items }) => items === undefined);
    if (segment === undefined) return whole;
    const reader = new PageReader(segment, place);
    for (const each of events) if (each.id > reader.since && !reader.add(each)) break;
    whole = withPage(whole, reader.page);
  }
  throw new Error("reading pages does not come to an end");
}

test("[TUI-10] parts that were dropped and read back hold the items they had", async () => {
  const places = fc.constantFrom<PagePosition>("start", "end", { around: 20 });
  const property = fc.property(transcriptLog, places, (events, place) => {
    const whole = fold(events);
    const transcript = droppedFrom(whole, whole.reached, 0);
    const read = readBack(transcript, events, place);
    expect(itemsOf(settledSegments(read.segments))).toEqual(itemsOf(settledSegments(whole.segments)));
  });
  await holds(property, 300);
});

test("[TUI-10] neighbours that are dropped are one part, and a call that runs is not dropped with its result to come", () => {
  const call = (id: number) => ({
    callId: fakeId("call", id) as CallId,
    tool: "Bash",
    args: {},
    mutating: true,
  });
  const turn = (number: number): readonly Event[] => [
    {
      kind: "TurnStarted",
      payload: { turn: number, originator: CLIENT, content: [{ type: "text", text: `go ${number}` }] },
    } as Event,
    { kind: "TextDelta", payload: { text: "yes" } } as Event,
    { kind: "TurnEnded", payload: { turn: number, reason: "complete" } } as Event,
  ];
  const shell = { ...call(9), shell: true } as const;
  const before = fold(
    logOf(
      ...turn(1),
      ...turn(2),
      { kind: "ToolCallStarted", payload: shell } as Event,
      ...turn(3),
      ...turn(4),
      ...turn(5),
    ),
  );
  const dropped = droppedFrom(before, before.reached, 0);
  expect(dropped.segments.map(({ first, last, items }) => [first, last, items === undefined])).toEqual([
    [1, 6, true],
    [7, 7, false],
    [8, 13, true],
    [14, 16, false],
  ]);
  const result = { callId: shell.callId, content: [{ type: "text", text: "done" }] };
  const event = {
    id: 17,
    session: SESSION,
    ts: "2026-01-01T00:00:00.000Z",
    kind: "ToolResult",
    payload: result,
  };
  const after = transcriptAfter(dropped, event as Envelope);
  expect(after.segments[1]?.items?.[0]).toMatchObject({ state: "done", output: "done" });
  const again = droppedFrom(after, after.reached, 0);
  expect(again.segments[1]?.items).toEqual(after.segments[1]?.items);
  const events = logOf(
    ...turn(1),
    ...turn(2),
    { kind: "ToolCallStarted", payload: shell } as Event,
    ...turn(3),
    ...turn(4),
    ...turn(5),
    { kind: "ToolResult", payload: result } as Event,
  );
  expect(itemsIn(readBack(again, events, "end"))).toEqual(itemsIn(fold(events)));
});

test("[TUI-10] pages of a long turn begin and end between two items, and have the results of their calls", () => {
  const events: Event[] = [
    {
      kind: "TurnStarted",
      payload: { turn: 1, originator: CLIENT, content: [{ type: "text", text: "go" }] },
    } as Event,
  ];
  for (let at = 1; at <= 2_000; at += 1) {
    const callId = fakeId("call", at) as CallId;
    events.push({
      kind: "ToolCallStarted",
      payload: { callId, tool: "Read", args: { at }, mutating: false },
    } as Event);
    for (const text of ["one ", "two ", "three\n"])
      events.push({ kind: "TextDelta", payload: { text } } as Event);
    const content = [{ type: "text", text: `${at}` }];
    events.push({ kind: "ToolResult", payload: { callId, content } } as Event);
  }
  const log = logOf(...events);
  const tail = log.filter(({ id }) => id > 9_001);
  const whole = itemsIn(fold(log));
  for (const place of ["start", "end", { around: 4_000 }] as const) {
    const read = readBack(fold(tail, transcriptBehind(9_001)), log, place);
    expect(itemsIn(read)).toEqual(whole);
  }
});

test("[TUI-10 complaint 8] what stays after dropping weighs no more than was asked for, beside what cannot be dropped", async () => {
  const property = fc.property(transcriptLog, fc.nat(5_000), (events, most) => {
    const { segments } = droppedFrom(fold(events), 1, most);
    const kept = segments
      .slice(1, -1)
      .filter(
        ({ items, isChangedLater }) => items !== undefined && isChangedLater !== true && !hasOpenCall(items),
      );
    expect(kept.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(most);
  });
  await holds(property, 200);
});

test("[TUI-01] questions, answers and cancels are in the text, with the client that gave them", () => {
  const askId = fakeId("ask", 1) as AskId;
  const items = itemsIn(
    fold(
      logOf(
        { kind: "Asked", payload: { askId, about: "orphan", text: "What became of it?" } },
        { kind: "Answered", payload: { askId, answer: "failed", by: CLIENT } },
        { kind: "Asked", payload: { askId, about: "plan", text: "Go?" } },
        { kind: "Answered", payload: { askId, answer: null } },
        { kind: "Cancelled", payload: { turn: 1, by: CLIENT, reason: "x" } },
      ),
    ),
  );
  expect(items.map((item) => (item.kind === "note" ? [item.text, item.by] : []))).toEqual([
    ["asked: What became of it?", undefined],
    ["answered: it failed, or had no effect", CLIENT],
    ["asked: Go?", undefined],
    ["closed without an answer", undefined],
    ["cancelled", CLIENT],
  ]);
});

test("[TUI-01 bar Decision trace] a call keeps who decided, and the number of changes that could be accepted", () => {
  const hunk = { id: "1", old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, lines: ["-a", "+b"] };
  const question = { callId: CALL, tool: "Edit", args: {}, originator: CLIENT, summary: "x" };
  const [call] = itemsIn(
    fold(
      logOf(
        { kind: "ToolCallStarted", payload: { callId: CALL, tool: "Edit", args: {}, mutating: true } },
        { kind: "PermissionRequested", payload: { ...question, hunks: [hunk, { ...hunk, id: "2" }] } },
        {
          kind: "PermissionAnswered",
          payload: {
            callId: CALL,
            decision: "allow",
            scope: "once",
            by: CLIENT,
            hunks: ["1"],
            counted: true,
          },
        },
      ),
    ),
  );
  expect(call).toMatchObject({
    state: "running",
    hunksAsked: 2,
    decision: { by: CLIENT, decision: "allow", hunks: ["1"] },
  });
});

test("[TUI-01 bar Decision trace] a call whose hunks were accepted in part shows these alone, at their places", () => {
  const hunk = (id: string, start: number, added: readonly string[]) => ({
    id,
    old_start: start,
    old_lines: 1,
    new_start: start + Number(id) - 1,
    new_lines: added.length,
    lines: ["-old", ...added.map((line) => `+${line}`)],
  });
  const hunks = [hunk("1", 1, ["a", "b"]), hunk("2", 10, ["c", "d"]), hunk("3", 20, ["e", "f"])];
  const question = { callId: CALL, tool: "Edit", args: {}, originator: CLIENT, summary: "x" };
  const answer = { callId: CALL, decision: "allow", scope: "once", by: CLIENT, counted: true } as const;
  const diffAfter = (accepted: readonly string[]) =>
    itemsIn(
      fold(
        logOf(
          { kind: "ToolCallStarted", payload: { callId: CALL, tool: "Edit", args: {}, mutating: true } },
          { kind: "PermissionRequested", payload: { ...question, diff: unifiedHunks(hunks), hunks } },
          { kind: "PermissionAnswered", payload: { ...answer, hunks: [...accepted] } },
        ),
      ),
    ).map((item) => (item.kind === "call" ? [item.diff, item.hunks] : []));
  expect(diffAfter(["1", "2", "3"])).toEqual([[unifiedHunks(hunks), undefined]]);
  expect(diffAfter(["1", "3"])).toEqual([
    ["@@ -1,1 +1,2 @@\n-old\n+a\n+b\n@@ -20,1 +21,2 @@\n-old\n+e\n+f", undefined],
  ]);
});

test("[SES-15 bar Rewind] a rewind names its point by a turn, and by its event only if that turn was not read", () => {
  const turn = (number: number): readonly Event[] => [
    {
      kind: "TurnStarted",
      payload: { turn: number, originator: CLIENT, content: [{ type: "text", text: "go" }] },
    },
    { kind: "TurnEnded", payload: { turn: number, reason: "complete" } },
  ];
  const rewound = (to: number): Event => ({
    kind: "CustomEvent",
    payload: { namespace: "cinch", kind: "Rewound", payload: { to, what: "all" } },
  });
  const events = logOf(...turn(1), ...turn(2), rewound(3), rewound(2), rewound(0));
  const textsOf = (transcript: Transcript) =>
    itemsIn(transcript).flatMap((item) => (item.kind === "note" ? [item.text] : []));
  expect(textsOf(fold(events))).toEqual([
    "-- set back to before turn 2: what came after is forgotten",
    "-- set back to after turn 1: what came after is forgotten",
    "-- set back to the beginning: what came after is forgotten",
  ]);
  expect(textsOf(fold(events.slice(4, 5), transcriptBehind(4)))).toEqual([
    "-- set back to event 3: what came after is forgotten",
  ]);
});

test("[TUI-01] a cancel in the middle of a command is one call with what it may have changed, and no error or note", () => {
  const details = { callId: CALL, affected: "a.ts, b.ts" };
  const result = "cancelled: cancelled by the client; it may have taken effect in part";
  const items = itemsIn(
    fold(
      logOf(
        { kind: "ToolCallStarted", payload: { callId: CALL, tool: "Bash", args: {}, mutating: true } },
        {
          kind: "Error",
          payload: { reason: "BashCancelledMidCommand", message: "Cancelled mid-Bash.", details },
        },
        {
          kind: "ToolResult",
          payload: { callId: CALL, content: [{ type: "text", text: result }], isError: true },
        } as Event,
        { kind: "Cancelled", payload: { turn: 1, by: CLIENT, reason: "x" } },
        { kind: "TurnEnded", payload: { turn: 1, reason: "cancelled" } } as Event,
      ),
    ),
  );
  expect(items).toMatchObject([
    {
      kind: "call",
      state: "cancelled",
      output: "",
      cancelled: { affected: "a.ts, b.ts", isBegun: true, by: CLIENT },
    },
    { kind: "end", isSaid: true },
  ]);
});

test("[TUI-01 bar Cancel] a command that is cancelled keeps what it had printed until then", () => {
  const report = { partial: "", tail: "begin\nhalf", bytes: 10, lines: 2, elapsedMs: 9 };
  const result = "cancelled: cancelled by the client; it may have taken effect in part";
  const [start, end] = logOf(
    { kind: "ToolCallStarted", payload: { callId: CALL, tool: "Bash", args: {}, mutating: true } },
    {
      kind: "ToolResult",
      payload: { callId: CALL, content: [{ type: "text", text: result }], isError: true },
    } as Event,
  );
  const progress = {
    ...start,
    kind: "ToolCallProgress",
    aside: true,
    payload: { callId: CALL, ...report },
  } as Envelope;
  expect(itemsIn(fold([start as Envelope, progress, end as Envelope]))).toMatchObject([
    { kind: "call", state: "cancelled", output: "begin\nhalf" },
  ]);
});

test("[TUI-01] an answer stands in the words of its choice, and its question is open until then", () => {
  const askId = fakeId("ask", 1) as AskId;
  const choices = [{ value: "approve", label: "I have read it: use it" }];
  const asked = fold(logOf({ kind: "Asked", payload: { askId, about: "trust", text: "A file", choices } }));
  expect(itemsIn(asked)).toMatchObject([{ isOpen: true }]);
  const [, answer] = logOf(
    { kind: "Asked", payload: { askId, about: "trust", text: "A file", choices } },
    { kind: "Answered", payload: { askId, answer: "approve", by: CLIENT } },
  );
  const items = itemsIn(fold([answer as Envelope], asked));
  expect(items.map((item) => item.kind === "note" && [item.text, item.isOpen])).toEqual([
    ["asked: A file", undefined],
    ["answered: I have read it: use it", undefined],
  ]);
});

test("[TUI-01 bar Decision trace] a question that stands before the turn of its answer is answered in words", () => {
  const askId = fakeId("ask", 1) as AskId;
  const choices = [{ value: "deny", label: "leave it out" }];
  const whole = fold(
    logOf(
      { kind: "Asked", payload: { askId, about: "trust", text: "A file", choices } },
      {
        kind: "TurnStarted",
        payload: { turn: 1, originator: CLIENT, content: [{ type: "text", text: "go" }] },
      },
      { kind: "Answered", payload: { askId, answer: "deny", by: CLIENT } },
    ),
  );
  expect(itemsIn(whole).map((item) => item.kind === "note" && [item.text, item.isOpen])).toEqual([
    ["asked: A file", undefined],
    false,
    ["answered: leave it out", undefined],
  ]);
});

import { expect, test } from "bun:test";
import { testWorld } from "../../../test/support/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { BLOCK_CHARS_MAX, MinimalProjection } from "./projection.ts";

const { ids } = testWorld();
const [session, parentCall, callId] = [ids.next("sess"), ids.next("call"), ids.next("call")];
const frame = { id: 1, session, ts: "2026-03-01T10:00:00.900Z" } as const;
const timestamp = 1_772_359_200;

test("[LIB-06] events of a sub-agent, and events without a counterpart, are left out", () => {
  const projection = new MinimalProjection({ deltas: true });
  const text = { kind: "TextDelta", payload: { text: "hello" } } as const;
  expect(projection.of({ ...frame, ...text })).toEqual([{ type: "text", content: "hello", timestamp }]);
  expect(projection.of({ ...frame, ...text, parentCall })).toEqual([]);
  expect(projection.of({ ...frame, kind: "TodoChanged", payload: { items: [] } })).toEqual([]);
});

test("[LIB-06] text and reasoning come as whole blocks, and in pieces where that is asked for", () => {
  const events: readonly Envelope[] = [
    { ...frame, kind: "ThinkingDelta", payload: { block: { type: "thinking", text: "Let me" } } },
    { ...frame, kind: "ThinkingDelta", payload: { block: { type: "thinking", text: " think" } } },
    { ...frame, kind: "TextDelta", payload: { text: "I will look" } },
    { ...frame, kind: "TextDelta", payload: { text: "." }, parentCall },
    { ...frame, kind: "InputWithdrawn", payload: { inputId: ids.next("call") as never } },
    { ...frame, kind: "TextDelta", payload: { text: "." } },
    { ...frame, kind: "TurnEnded", payload: { turn: 1, reason: "complete" } },
  ];
  const told = (deltas: boolean) => {
    const projection = new MinimalProjection({ deltas });
    return events
      .flatMap((event) => projection.of(event))
      .map((each) => ("content" in each ? [each.type, each.content] : each.type));
  };
  expect(told(false)).toEqual([["reasoning", "Let me think"], ["text", "I will look."], "status"]);
  expect(told(true)).toEqual([
    ["reasoning", "Let me"],
    ["reasoning", " think"],
    ["text", "I will look"],
    ["text", "."],
    "status",
  ]);
});

test("[LIB-06 BUS-07] blocks of one kind that stand next to each other are sent one by one", () => {
  const projection = new MinimalProjection({ deltas: false });
  const thought = (text: string, index?: number): Envelope => ({
    ...frame,
    kind: "ThinkingDelta",
    payload: { block: { type: "thinking", text }, ...(index === undefined ? {} : { index }) },
  });
  const said = (text: string, index: number): Envelope => ({
    ...frame,
    kind: "TextDelta",
    payload: { text, index },
  });
  const events = [thought("a"), thought("b"), thought("c", 1), said("d", 2), said("e", 2), said("f", 3)];
  const ended: Envelope = { ...frame, kind: "TurnEnded", payload: { turn: 1, reason: "complete" } };
  const told = [...events, ended].flatMap((event) => projection.of(event));
  expect(told.map((each) => ("content" in each ? [each.type, each.content] : each.type))).toEqual([
    ["reasoning", "ab"],
    ["reasoning", "c"],
    ["text", "de"],
    ["text", "f"],
    "status",
  ]);
});

test("[LIB-06] a text above the limit comes in parts, and nothing of it is lost", () => {
  const projection = new MinimalProjection({ deltas: false });
  const half = "x".repeat(BLOCK_CHARS_MAX / 2 + 1);
  const told = [half, half, "y"].flatMap((text) =>
    projection.of({ ...frame, kind: "TextDelta", payload: { text } }),
  );
  const ended = projection.of({ ...frame, kind: "TurnEnded", payload: { turn: 1, reason: "complete" } });
  const texts = [...told, ...ended].flatMap((each) => (each.type === "text" ? [each.content] : []));
  expect(texts).toEqual([half, `${half}y`]);
});

test("[LIB-06] a notice leaves the state as it is: idle, thinking or running a tool", () => {
  const projection = new MinimalProjection({ deltas: false });
  const states = (event: Envelope) =>
    projection.of(event).flatMap((each) => (each.type === "status" ? [[each.state, each.message]] : []));
  const notice: Envelope = {
    ...frame,
    kind: "Error",
    payload: { reason: "ContextTruncated", message: "so it is" },
  };
  expect(states(notice)).toEqual([["idle", "so it is"]]);
  projection.of({ ...frame, kind: "TextDelta", payload: { text: "in a turn" } });
  expect(states(notice)).toEqual([["thinking", "so it is"]]);
  projection.of({
    ...frame,
    kind: "ToolCallStarted",
    payload: { callId, tool: "Bash", args: {}, mutating: true },
  });
  expect(states(notice)).toEqual([["running tool", "so it is"]]);
  projection.of({ ...frame, kind: "TurnEnded", payload: { turn: 1, reason: "complete" } });
  expect(states(notice)).toEqual([["idle", "so it is"]]);
});

test("[LIB-06] a failed result says so", () => {
  const projection = new MinimalProjection({ deltas: false });
  const content = [{ type: "text" as const, text: "no such file" }];
  const result = { kind: "ToolResult", payload: { callId, content, isError: true } } as const;
  expect(projection.of({ ...frame, ...result })[0]).toEqual({
    type: "tool_result",
    id: callId,
    name: "",
    result: "no such file",
    isError: true,
    timestamp,
  });
});

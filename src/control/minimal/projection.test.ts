import { expect, test } from "bun:test";
import { testWorld } from "../../../test/support/world.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import { MinimalProjection } from "./projection.ts";

const { ids } = testWorld();
const [session, parentCall, callId] = [ids.next("sess"), ids.next("call"), ids.next("call")];
const frame = { id: 1, session, ts: "2026-03-01T10:00:00.900Z" } as const;
const timestamp = 1_772_359_200;

test("[LIB-06] of a sub-agent nothing is told, and of what has no place there neither", () => {
  const projection = new MinimalProjection();
  const text = { kind: "TextDelta", payload: { text: "hello" } } as const;
  expect(projection.of({ ...frame, ...text })).toEqual([{ type: "text", content: "hello", timestamp }]);
  expect(projection.of({ ...frame, ...text, parentCall })).toEqual([]);
  expect(projection.of({ ...frame, kind: "TodoChanged", payload: { items: [] } })).toEqual([]);
});

test("[LIB-06] reasoning is told as far as it may be shown, and a failed result says so", () => {
  const projection = new MinimalProjection();
  const thinking = (block: unknown): Envelope => ({ ...frame, kind: "ThinkingDelta", payload: { block } });
  expect(projection.of(thinking({ text: "hm" }))).toEqual([{ type: "reasoning", content: "hm", timestamp }]);
  expect(projection.of(thinking({ data: "sealed" }))).toEqual([]);
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

import { expect, test } from "bun:test";
import { fakeId } from "../../../../test/support/fake-connection.ts";
import type { CallId } from "../../../base/ids.ts";
import type { EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { OpenCalls } from "../../../view/session/calls/open-calls.ts";
import { CallLines } from "./call-lines.ts";

const [ONE, TWO] = [fakeId("call", 1) as CallId, fakeId("call", 2) as CallId];

function shellResult(callId: CallId): EnvelopeOf<"ToolResult"> {
  const payload = { callId, content: [{ type: "text", text: "out" }], by: "user", shell: true };
  return { id: 9, kind: "ToolResult", payload } as unknown as EnvelopeOf<"ToolResult">;
}

function wrote(callId: CallId, content: string): EnvelopeOf<"ToolCallStarted"> {
  const preview = { path: "file_path", new: "content" };
  const payload = { callId, tool: "Write", args: { file_path: "a.txt", content }, mutating: true, preview };
  return { id: 1, kind: "ToolCallStarted", payload } as unknown as EnvelopeOf<"ToolCallStarted">;
}

test("[ENG-09 CTL-19] the files of a cancelled command stand with its own result, whichever ends first", () => {
  const lines = new CallLines();
  const call = { tool: "Bash", args: {}, output: "", shell: true } as const;
  const running: OpenCalls = new Map([
    [ONE, call],
    [TWO, call],
  ]);
  const error = (callId: CallId, affected: string) => ({
    reason: "BashCancelledMidCommand",
    message: "x",
    details: { callId, affected },
  });
  expect(lines.isNoNews(error(ONE, "one.txt"), running)).toBe(true);
  expect(lines.isNoNews(error(TWO, "two.txt"), running)).toBe(true);
  expect(lines.ended(shellResult(TWO), call)).toContain("two.txt");
  expect(lines.ended(shellResult(ONE), call)).toContain("one.txt");
});

test("[DOC-01 CTL-19] a Write that nobody was asked about is looked up, an empty one too, and not if a question has shown it", () => {
  const lines = new CallLines();
  const result = (callId: CallId) => ({ callId, content: [] });
  lines.started(wrote(ONE, ""));
  expect(lines.wroteWhole(result(ONE))).toBe(true);
  lines.started(wrote(TWO, "text"));
  lines.asked(TWO);
  expect(lines.wroteWhole(result(TWO))).toBe(false);
});

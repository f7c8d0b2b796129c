import { expect, test } from "bun:test";
import type { Recording } from "../../../test/support/recordings.ts";
import {
  asStream,
  cutAt,
  DRESS,
  readAnswer,
  readRecording,
  recordings,
} from "../../../test/support/recordings.ts";
import type { ArgumentsListener, ArgumentsPiece, ModelEvent, ModelToolUse } from "../provider.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { Dialect } from "./dialect.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

const ALL = recordings();

/** The joined pieces of each block, by its index. */
function joined(pieces: readonly ArgumentsPiece[]): ReadonlyMap<number, { name: string; text: string }> {
  const calls = new Map<number, { name: string; text: string }>();
  for (const { index, name, text } of pieces)
    calls.set(index, { name, text: (calls.get(index)?.text ?? "") + text });
  return calls;
}

/** @param from number of looks after which somebody wants the arguments. */
function listener(pieces: ArgumentsPiece[], from = 0): ArgumentsListener {
  let looks = 0;
  return {
    get isWanted() {
      looks += 1;
      return looks > from;
    },
    take: (piece) => void pieces.push(piece),
  };
}

function callsOf(events: readonly ModelEvent[]): readonly (readonly [number, ModelToolUse])[] {
  return events.flatMap((event) =>
    event.kind === "block" && event.block.type === "tool_use" ? [[event.index, event.block] as const] : [],
  );
}

/** Compares the pieces with the calls of the answer, and returns the number of those. */
function expectWhole(pieces: readonly ArgumentsPiece[], events: readonly ModelEvent[]): number {
  const told = joined(pieces);
  const calls = callsOf(events);
  for (const [index, { name, input, malformed }] of calls) {
    const call = told.get(index);
    expect(call?.name).toBe(name);
    if (malformed !== undefined) expect(call?.text).toBe(malformed);
    else expect(JSON.parse(call?.text.trim() || "{}")).toEqual(input);
  }
  return calls.length;
}

function told(recording: Recording, chunks: readonly Uint8Array[]) {
  const pieces: ArgumentsPiece[] = [];
  const answer = readRecording(recording, chunks, listener(pieces));
  return { answer, pieces };
}

test("[CTL-19] the joined pieces of a call's arguments are its whole text, in every recording of every dialect", () => {
  const found = new Map<string, number>();
  const inPieces = new Set<string>();
  for (const recording of ALL) {
    const plain = readRecording(recording, [recording.bytes]);
    const { answer, pieces } = told(recording, [recording.bytes]);
    expect(answer).toEqual(plain);
    const [folder = ""] = recording.name.split("/");
    if (pieces.length > 2 * joined(pieces).size) inPieces.add(folder);
    found.set(folder, (found.get(folder) ?? 0) + expectWhole(pieces, answer.events));
  }
  for (const folder of ["anthropic", "openai-compatible", "copilot", "openai-responses"]) {
    expect(found.get(folder) ?? 0, folder).toBeGreaterThan(0);
    expect(inPieces.has(folder), folder).toBe(true);
  }
});

test("[CTL-19 R06] where a stream was cut changes nothing about the arguments", () => {
  const withCalls = ALL.filter((each) => callsOf(readRecording(each, [each.bytes]).events).length > 0);
  for (const recording of withCalls) {
    const straight = joined(told(recording, [recording.bytes]).pieces);
    const bytewise = told(
      recording,
      Array.from(recording.bytes, (byte) => Uint8Array.of(byte)),
    );
    expect(joined(bytewise.pieces)).toEqual(straight);
    const step = Math.ceil(recording.bytes.length / 60);
    for (let at = 1; at < recording.bytes.length; at += step)
      expect(joined(told(recording, cutAt(recording.bytes, at)).pieces)).toEqual(straight);
  }
}, 120_000);

test("[CTL-19 R09] a stream that breaks off has passed on the beginning of each call's text", () => {
  for (const recording of ALL) {
    const whole = joined(told(recording, [recording.bytes]).pieces);
    const step = Math.ceil(recording.boundaries.length / 20);
    for (const [at, end] of recording.boundaries.entries()) {
      if (at % step !== 0) continue;
      for (const [index, { text }] of joined(told(recording, [recording.bytes.subarray(0, end)]).pieces))
        expect(whole.get(index)?.text.startsWith(text)).toBe(true);
    }
  }
}, 120_000);

test("[CTL-19] who begins to want the arguments in the middle of a call gets its whole text", () => {
  for (const recording of ALL.filter(({ bytes }) => bytes.length < 30_000)) {
    const bytes = Array.from(recording.bytes, (byte) => Uint8Array.of(byte));
    const whole = joined(told(recording, bytes).pieces);
    for (const from of [1, 2, 5]) {
      const pieces: ArgumentsPiece[] = [];
      readRecording(recording, bytes, listener(pieces, from));
      for (const [index, call] of joined(pieces)) expect(whole.get(index)).toEqual(call);
    }
  }
}, 120_000);

function toldOf(dialect: Dialect, events: readonly unknown[]) {
  const pieces: ArgumentsPiece[] = [];
  const answer = readAnswer(dialect, [asStream(events)], DRESS, listener(pieces));
  expect(answer.thrown).toBeUndefined();
  expect(expectWhole(pieces, answer.events)).toBeGreaterThan(0);
  return pieces;
}

test("[CTL-19] arguments that come with the start of a call, under a late name or only with its end are passed on", () => {
  const block = { type: "tool_use", name: "Read", input: { path: "a" } };
  expect(
    toldOf(anthropicMessages, [
      { type: "message_start", message: { id: "m" } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ]),
  ).toEqual([
    { index: 0, name: "Read", text: "" },
    { index: 0, name: "Read", text: '{"path":"a"}' },
  ]);

  const delta = (call: object) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }],
  });
  expect(
    toldOf(openaiChat, [
      delta({ function: { arguments: '{"path":' } }),
      delta({ function: { name: "Read", arguments: '"a' } }),
      delta({ function: { arguments: '"}' } }),
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      "[DONE]",
    ]),
  ).toEqual([
    { index: 0, name: "Read", text: '{"path":"a' },
    { index: 0, name: "Read", text: '"}' },
  ]);

  const item = { type: "function_call", name: "Read", arguments: '{"path":"a"}', status: "completed" };
  expect(
    toldOf(openaiResponses, [
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"pa' },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { status: "completed" } },
    ]),
  ).toEqual([{ index: 0, name: "Read", text: '{"path":"a"}' }]);
});

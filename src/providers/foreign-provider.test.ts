import { expect, test } from "bun:test";
import { scriptedProvider } from "../../test/support/scripted-provider.ts";
import { messageOf } from "../base/errors.ts";
import { foreignProvider } from "./foreign-provider.ts";
import type { ArgumentsPiece, ModelEvent, ModelRequest, Provider } from "./provider.ts";

const REQUEST: ModelRequest = {
  model: "m",
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 1,
  cache: { prefix: false, messages: [] },
};

/** Returns the indices that the engine sees of events as foreign code gives them. */
async function indicesOf(...events: readonly ModelEvent[]): Promise<unknown> {
  async function* chat() {
    yield* events;
  }
  const provider = foreignProvider({ ...scriptedProvider([]), chat }, { failed: (thrown) => thrown });
  const seen = await Array.fromAsync(provider.chat(REQUEST, new AbortController().signal));
  return seen.map((event) => ("index" in event ? event.index : undefined));
}

const text: ModelEvent = { kind: "text", index: 0, text: "a" };
const thinking: ModelEvent = { kind: "thinking", index: 0, text: "b" };
const textBlock: ModelEvent = { kind: "block", index: 0, block: { type: "text", text: "aa" } };
const thinkingBlock: ModelEvent = {
  ...{ kind: "block", index: 0 },
  block: { type: "thinking", family: "p", text: "b", data: null },
};

test("[PROV-01 ENG-15] pieces of text and thinking that alternate at one index get one block each", async () => {
  expect(await indicesOf(text, thinking, text, textBlock, thinkingBlock)).toEqual([0, 1, 0, 0, 1]);
  expect(await indicesOf(text, thinking, text, thinkingBlock, textBlock)).toEqual([0, 1, 0, 1, 0]);
});

test("[PROV-01 ENG-15] a text that begins after the block at its index has another place", async () => {
  expect(await indicesOf(text, textBlock, text, textBlock)).toEqual([0, 0, 1, 1]);
});

test("[CTL-19 PROV-01] arguments from foreign code get the index of their call, and a wrong piece is its error", async () => {
  const call: ModelEvent = {
    ...{ kind: "block", index: 0 },
    block: { type: "tool_use", name: "Read", input: { a: 1 } },
  };
  const told: unknown[] = [];
  const wrong: unknown[] = [
    { index: -1, name: "a", text: "" },
    { index: 0, name: 1, text: "" },
    { index: 0, name: "a" },
  ];
  const failures: string[] = [];
  const chat: Provider["chat"] = async function* (_request, _signal, _onSilence, listener) {
    yield textBlock;
    listener?.take({ index: 0, name: "Read", text: '{"a":' });
    listener?.take({ index: 0, name: "Read", text: "1}" });
    for (const piece of wrong) {
      try {
        listener?.take(piece as ArgumentsPiece);
      } catch (thrown) {
        failures.push(messageOf(thrown));
      }
    }
    yield call;
  };
  const provider = foreignProvider({ ...scriptedProvider([]), chat }, { failed: (thrown) => thrown });
  const { signal } = new AbortController();
  const events = await Array.fromAsync(
    provider.chat(REQUEST, signal, undefined, { isWanted: true, take: (piece) => void told.push(piece) }),
  );
  expect(events.map((event) => ("index" in event ? event.index : undefined))).toEqual([0, 1]);
  expect(told).toEqual([
    { index: 1, name: "Read", text: '{"a":' },
    { index: 1, name: "Read", text: "1}" },
  ]);
  expect(failures).toHaveLength(wrong.length);
});

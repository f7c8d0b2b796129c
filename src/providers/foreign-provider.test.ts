import { expect, test } from "bun:test";
import { scriptedProvider } from "../../test/support/scripted-provider.ts";
import { foreignProvider } from "./foreign-provider.ts";
import type { ModelEvent, ModelRequest } from "./provider.ts";

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

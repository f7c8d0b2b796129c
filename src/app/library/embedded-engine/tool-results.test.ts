import { expect, test } from "bun:test";
import { call, engineProvider, engineTool, text } from "../../../../test/support/engine-parts.ts";
import type { EngineTool } from "../../../engine.ts";
import { createEngine } from "../../../engine.ts";

/** Runs a turn with one call of a tool, and returns the text of its end and the result that the model saw. */
async function resultOf(execute: () => unknown) {
  await using engine = await createEngine({
    provider: engineProvider([call("t"), text("end"), text("again")]),
    model: "m",
    tools: [engineTool("t", execute as EngineTool["execute"])],
  });
  const session = await engine.createSession();
  const { text: said, reason } = await session.prompt("go");
  const content = (await session.history()).flatMap((message) => message.content);
  const [result] = content.filter((block) => block.type === "tool_result");
  const next = (await session.prompt("go on")).text;
  return { said, reason, next, isError: result?.is_error, shown: JSON.stringify(result?.content) };
}

const circular: { content: unknown[] } = { content: [{ type: "text", text: "x" }] };
circular.content.push(circular);

const MALFORMED: Readonly<Record<string, () => unknown>> = {
  "no block": () => ({ content: [null] }),
  "an unknown block type": () => ({ content: [{ type: "weird" }] }),
  "a text that is a number": () => ({ content: [{ type: "text", text: 5 }] }),
  "an image without its source": () => ({ content: [{ type: "image", data: "AA==" }] }),
  "an isError that is a word": () => ({ content: [{ type: "text", text: "x" }], isError: "yes" }),
  "a cycle": () => circular,
  "a content that throws": () => ({
    get content() {
      throw new Error("getter");
    },
  }),
  undefined: () => undefined,
  null: () => null,
  "a number": () => 5,
  "a list": () => [{ type: "text", text: "x" }],
  "a thenable that throws": () => ({
    // biome-ignore lint/suspicious/noThenProperty: a program may return any object
    then() {
      throw new Error("then");
    },
  }),
  "a thrown symbol": () => {
    throw Symbol("x");
  },
};

for (const [name, execute] of Object.entries(MALFORMED))
  test(`[LIB-10 ENG-12] a tool that answers with ${name} fails its call, and the turn continues`, async () => {
    const { said, reason, next, isError } = await resultOf(execute);
    expect({ said, reason, next, isError }).toEqual({
      ...{ said: "end", reason: "complete", next: "again", isError: true },
    });
  });

test("[LIB-10] a field of a block that is not of its type does not reach the log", async () => {
  const { said, isError, shown } = await resultOf(() => ({ content: [{ type: "text", text: "x", n: 5n }] }));
  expect({ said, isError, shown }).toEqual({
    said: "end",
    isError: undefined,
    shown: expect.stringContaining("x"),
  });
});

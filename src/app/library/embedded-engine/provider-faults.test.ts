import { expect, test } from "bun:test";
import type { ProviderAnswer } from "../../../../test/support/engine-parts.ts";
import { call, engineProvider, engineTool, raw, text } from "../../../../test/support/engine-parts.ts";
import type { ModelUsage, Price, Provider } from "../../../engine.ts";
import { createEngine } from "../../../engine.ts";

const FINISH = { kind: "finish", reason: "stop", raw: "" };

/** Runs a prompt with a provider, and returns the error of its turn and whether the session works afterwards. */
async function failureWith(answer: ProviderAnswer, more: Partial<Provider> = {}) {
  await using engine = await createEngine({
    provider: engineProvider([answer, text("on")], more),
    model: "m",
  });
  const session = await engine.createSession();
  const { reason, message } = await session.prompt("go").then(
    () => ({ reason: "none", message: "" }),
    (thrown) => thrown,
  );
  return { reason, message, next: more.chat === undefined ? (await session.prompt("go on")).text : "on" };
}

const CYCLE: Record<string, unknown> = {};
CYCLE["itself"] = CYCLE;

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function callOf(fields: object, index = 0) {
  return { kind: "block", index, block: { type: "tool_use", name: "t", ...fields } };
}

const FAULTS: Readonly<Record<string, [ProviderAnswer, string, Partial<Provider>?]>> = {
  "throws an Error": [
    () => {
      throw new Error("boom");
    },
    "boom",
  ],
  "answers with no stream": [(() => 5) as never, ""],
  "yields nothing that is an event": [raw(undefined, FINISH), "undefined"],
  "yields an unknown kind": [raw({ kind: "zzz" }, FINISH), '"zzz"'],
  "yields a text that is a number": [raw({ kind: "text", index: 0, text: 5 }, FINISH), "a text has"],
  "yields no block": [raw({ kind: "block", index: 0, block: null }, FINISH), "a block is"],
  "yields a call without a name": [
    raw({ kind: "block", index: 0, block: { type: "tool_use", input: {} } }, FINISH),
    "a block is",
  ],
  "finishes twice": [raw(FINISH, FINISH), "nothing but usage follows"],
  "says more after its finish": [raw(FINISH, { kind: "text", index: 0, text: "x" }), "nothing but usage"],
  "calls with a bigint": [raw(callOf({ input: { count: 1n } }), FINISH), "a block that is not JSON"],
  "calls with a cycle": [raw(callOf({ input: CYCLE }), FINISH), "a block that is not JSON"],
  "calls with a malformed input that is no text": [
    raw(callOf({ input: {}, malformed: 5 }), FINISH),
    "a block is",
  ],
  "thinks in a cycle": [
    raw({ kind: "block", index: 0, block: { type: "opaque", family: "p", data: CYCLE } }, FINISH),
    "a block that is not JSON",
  ],
  "makes nothing of a block": [raw(callOf({ input: {}, toJSON: () => undefined }), FINISH), "a block is"],
  "makes another form of a block": [
    raw(
      { kind: "block", index: 0, block: { type: "text", text: "x", toJSON: () => ({ type: "text" }) } },
      FINISH,
    ),
    "a block is",
  ],
  "finishes with an unknown reason": [
    raw({ kind: "text", index: 0, text: "cut" }, { kind: "finish", reason: "max_tokens", raw: "" }),
    'the reason of a finish is "stop", "tool_use", "length", "refused", "paused" or "error", not "max_tokens"',
  ],
  "finishes without a reason": [raw({ kind: "finish" }), "the reason of a finish is"],
  "thinks too deep": [
    raw({ kind: "block", index: 0, block: { type: "opaque", family: "p", data: nested(20_000) } }, FINISH),
    "nested too deep",
  ],
};

for (const [name, [answer, said]] of Object.entries(FAULTS))
  test(`[LIB-10 PROV-01] a program's provider that ${name} is named by the error, and the session continues`, async () => {
    const { reason, message, next } = await failureWith(answer);
    expect({ reason, next }).toEqual({ reason: "ProviderFailed", next: "on" });
    expect(message).toStartWith("Provider p failed (its code threw): ");
    expect(message).toContain(said);
  });

/** Runs a turn whose first answer has these events. Returns its text, the inputs of its calls, and its blocks. */
async function answerOf(...events: readonly unknown[]) {
  const inputs: unknown[] = [];
  await using engine = await createEngine({
    provider: engineProvider([raw(...events), text("end")]),
    model: "m",
    tools: [engineTool("t", (input) => `ran ${inputs.push(input)}`)],
  });
  const session = await engine.createSession();
  const { text: said } = await session.prompt("go");
  const blocks = (await session.history()).flatMap(({ content }) => content);
  return { said, inputs, types: blocks.map(({ type }) => type).join(" ") };
}

test("[LIB-10 ENG-15] blocks of a program's provider that share an index stay apart, and each call has its result", async () => {
  const two = await answerOf(callOf({ input: { at: 1 } }), callOf({ input: { at: 2 } }), FINISH);
  expect(two.inputs).toEqual([{ at: 1 }, { at: 2 }]);
  expect(two.types).toBe("text tool_use tool_use tool_result tool_result text");
  const pieces = { kind: "text", index: 0, text: "now " };
  const mixed = await answerOf(pieces, callOf({ input: {} }), callOf({ input: {} }, 1), FINISH);
  expect(mixed.said).toBe("end");
  expect(mixed.types).toBe("text text tool_use tool_use tool_result tool_result text");
  const thought = { kind: "thinking", index: 0, text: "hm" };
  expect((await answerOf(pieces, thought, FINISH)).said).toBe("now ");
});

test("[LIB-10 ENG-15] an input that is nested too deep is a call that fails without running", async () => {
  const { said, inputs } = await answerOf(callOf({ input: nested(20_000) }), FINISH);
  expect({ said, inputs }).toEqual({ said: "end", inputs: [] });
});

/** Runs one turn of endless calls under a budget. */
async function spendWith(price: Price | undefined, usage: ModelUsage, models?: Provider["models"]) {
  const answer = call("t", usage);
  const more = models === undefined ? {} : { models, pricesInCatalogue: true };
  const provider = engineProvider([answer], more);
  let runs = 0;
  await using engine = await createEngine({
    provider,
    model: "m",
    ...(price === undefined ? {} : { price }),
    limits: { costUsd: 0.01, rounds: 8 },
    tools: [engineTool("t", () => `${runs++}`)],
  });
  const session = await engine.createSession();
  const { reason, usage: spent } = await session.prompt("go").then(
    (result) => result,
    (thrown) => ({ reason: thrown.reason, usage: undefined }),
  );
  return { reason, cost: spent?.costUsd, calls: provider.calls };
}

const USAGE = { inputTokens: 10, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

for (const [part, value] of [
  ["inputTokens", Number.NaN],
  ["outputTokens", -5],
  ["inputTokens", "10"],
  ["outputTokens", undefined],
  ["cacheReadTokens", Number.POSITIVE_INFINITY],
] as const)
  test(`[LIB-10 PROV-11] ${part} of ${value} makes the cost unknown, and the budget refuses the next request`, async () => {
    const spent = await spendWith({ input: 5, output: 5 }, { ...USAGE, [part]: value } as ModelUsage);
    expect(spent).toEqual({
      reason: expect.stringMatching(/CostUnknown|budget/),
      cost: spent.cost,
      calls: 1,
    });
    expect(spent.cost ?? null).toBeNull();
  });

for (const input of [Number.NaN, -5, "5"] as readonly number[])
  test(`[LIB-10 PROV-11] a catalogue's price of ${input} is no known price`, async () => {
    const listed = async () => [{ id: "m", price: { input, output: 1 } }];
    expect((await spendWith(undefined, USAGE, listed)).calls).toBeLessThanOrEqual(1);
  });

const WRONG: readonly (readonly [string, object])[] = [
  ['limits.costUsd is "5"', { limits: { costUsd: "5" } }],
  ["limits.costUsd is NaN", { limits: { costUsd: Number.NaN } }],
  ['limits.timeMs is "5s"', { limits: { timeMs: "5s" } }],
  ["limits.round is unknown", { limits: { round: 5 } }],
  ["price.input is NaN", { price: { input: Number.NaN, output: 1 } }],
  ["price.output is undefined", { price: { input: 1 } }],
  ["price.input is -5", { price: { input: -5, output: -5 } }],
  ['price.cacheRead is "1"', { price: { input: 1, output: 1, cacheRead: "1" } }],
  ["price is 5", { price: 5 }],
  ["price.longInput.input is undefined", { price: { input: 1, output: 1, longInput: { aboveTokens: 5 } } }],
];

for (const [said, wrong] of WRONG)
  test(`[LIB-10 PROV-11] createEngine refuses a set-up where ${said}`, async () => {
    const setup = { provider: engineProvider([text("hi")]), model: "m", ...wrong } as never;
    const refused = await createEngine(setup).then(String, (thrown) => thrown);
    expect(refused).toMatchObject({ reason: "UsageInvalid", message: expect.stringContaining(said) });
  });

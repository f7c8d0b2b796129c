import { expect, test } from "bun:test";
import fc from "fast-check";
import { inTurn } from "../../../test/support/recordings.ts";
import { NO_HISTORY } from "../../../test/support/request-context.ts";
import { testWorld } from "../../../test/support/world.ts";
import { trustedText } from "../../base/brand.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import { costOf } from "../../providers/choosing/cost.ts";
import { ProviderError } from "../../providers/error.ts";
import type { RequestContext, RequestHandler, RequestMiddleware } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import type { ModelEvent, ModelRequest, ModelUsage, Price } from "../../providers/provider.ts";
import { Spend } from "../../session/budget/spend.ts";
import { costCap } from "./cost-cap.ts";
import { costMeter } from "./cost-meter.ts";

const PRICE: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const USAGE: ModelUsage = {
  inputTokens: 1_000,
  outputTokens: 200,
  cacheReadTokens: 10_000,
  cacheWriteTokens: 400,
};
/** 1,000 · 3 + 200 · 15 + 10,000 · 0.3 + 400 · 3.75 = 10,500 millionths. */
const USD = 0.0105;
const PAYLOAD: PayloadOf<"CostIncremented"> = { provider: "acme", model: "m", ...USAGE, usd: USD, turn: 2 };

const usage = (part: Partial<ModelUsage> = {}): ModelEvent => ({
  kind: "usage",
  usage: { ...USAGE, ...part },
});
const FINISH: ModelEvent = { kind: "finish", reason: "stop", raw: "stop" };
const TEXT: ModelEvent = { kind: "text", index: 0, text: "hi" };

const REQUEST: ModelRequest = {
  model: "m",
  system: [],
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
  outputTokensMax: 100,
  cache: { prefix: false, messages: [] },
};

interface Rig {
  readonly told: Event[];
  readonly asked: ModelRequest[];
  send(request?: ModelRequest): Promise<readonly ModelEvent[]>;
  stream(request?: ModelRequest): AsyncIterable<ModelEvent>;
}

function rig(
  middleware: readonly RequestMiddleware[],
  answer: () => AsyncIterable<ModelEvent>,
  more: Partial<RequestContext> = {},
): Rig {
  const world = testWorld();
  const told: Event[] = [];
  const asked: ModelRequest[] = [];
  const context: RequestContext = {
    world,
    signal: new AbortController().signal,
    session: world.ids.next("sess"),
    originator: world.ids.next("cli"),
    provider: {
      name: "acme",
      family: "acme",
      canonicalFormVersion: 1,
      chat: answer,
      models: async () => [],
      tokenCount: async () => 0,
    },
    turn: 2,
    round: 1,
    history: NO_HISTORY,
    emit: (event) => told.push(event),
    spent: () => undefined,
    ...more,
  };
  const handler: RequestHandler = (request) => {
    asked.push(request);
    return answer();
  };
  const stream = (request = REQUEST) => chainRequest(middleware, handler)(request, context);
  return { told, asked, stream, send: (request) => Array.fromAsync(stream(request)) };
}

const priceOf = (provider: string, model: string) =>
  provider === "acme" && model === "m" ? PRICE : undefined;

const unknownPrice = "refuse";

test("[PROV-11] a call costs its input, output, cache reads and cache writes, emitted once with the last usage", async () => {
  const spend = new Spend();
  const { send, told } = rig([costMeter(priceOf, spend)], () =>
    inTurn([usage({ outputTokens: 1 }), TEXT, usage(), FINISH]),
  );
  expect(await send()).toHaveLength(4);
  expect(told).toEqual([{ kind: "CostIncremented", payload: PAYLOAD }]);
  expect(spend.total).toEqual({ usd: USD, unknownCalls: 0, inputTokens: 11_400, outputTokens: 200 });
});

test("[PROV-11 CLI-01] the cost of a summary is recorded as that of a summary", async () => {
  const answer = () => inTurn([usage(), FINISH]);
  const { send, told } = rig([costMeter(priceOf)], answer, { purpose: "summary" });
  await send();
  expect(told).toEqual([{ kind: "CostIncremented", payload: { ...PAYLOAD, purpose: "summary" } }]);
});

test("[PROV-11] an unknown price is shown as unknown, never as 0", async () => {
  const spend = new Spend();
  const { send, told } = rig([costMeter(() => undefined, spend)], () => inTurn([usage(), FINISH]));
  await send();
  expect(told).toEqual([{ kind: "CostIncremented", payload: { ...PAYLOAD, usd: null } }]);
  expect(spend.total).toMatchObject({ usd: 0, unknownCalls: 1 });

  const { cacheRead: _, ...withoutCacheRead } = PRICE;
  expect(costOf(USAGE, withoutCacheRead)).toBeNull();
  expect(costOf({ ...USAGE, cacheReadTokens: 0 }, withoutCacheRead)).toBeCloseTo(0.0075, 10);
});

test("[PROV-11] an answer without usage counts as unknown, a failure without usage not at all", async () => {
  const answered = rig([costMeter(priceOf)], () => inTurn([TEXT, FINISH]));
  await answered.send();
  expect(answered.told).toMatchObject([{ kind: "CostIncremented", payload: { usd: null, inputTokens: 0 } }]);

  const failed = rig([costMeter(priceOf)], async function* () {
    yield TEXT;
    throw new ProviderError("StreamInterrupted", { provider: "acme", detail: "cut" }, { transient: true });
  });
  await expect(failed.send()).rejects.toMatchObject({ reason: "StreamInterrupted" });
  expect(failed.told).toEqual([]);
});

test("[PROV-11] tokens that an attempt used until it failed or was left are still billed", async () => {
  const failed = rig([costMeter(priceOf)], async function* () {
    yield usage();
    throw new ProviderError("StreamInterrupted", { provider: "acme", detail: "cut" }, { transient: true });
  });
  await expect(failed.send()).rejects.toMatchObject({ reason: "StreamInterrupted" });
  expect(failed.told).toEqual([{ kind: "CostIncremented", payload: PAYLOAD }]);

  const left = rig([costMeter(priceOf)], () => inTurn([usage(), TEXT, FINISH]));
  for await (const event of left.stream()) if (event.kind === "text") break;
  expect(left.told).toEqual([{ kind: "CostIncremented", payload: PAYLOAD }]);
});

test("[PROV-11] long inputs have their own price where the provider has one", () => {
  const price: Price = {
    input: 1,
    output: 1,
    cacheRead: 1,
    longInput: { aboveTokens: 1_000, input: 2, output: 3, cacheRead: 2 },
  };
  const at = (inputTokens: number): ModelUsage => ({
    inputTokens,
    outputTokens: 100,
    cacheReadTokens: 500,
    cacheWriteTokens: 0,
  });
  expect(costOf(at(500), price)).toBeCloseTo(0.0011, 12);
  expect(costOf(at(501), price)).toBeCloseTo((1_001 * 2 + 100 * 3) / 1e6, 12);
});

test("[PROV-11] spend is kept for each provider, and a log's costs can be counted again", () => {
  const spend = new Spend();
  spend.count(PAYLOAD);
  spend.count({ ...PAYLOAD, usd: null });
  spend.count({ provider: "other", model: "x", inputTokens: 1, outputTokens: 2, usd: 0.5 });
  expect([...spend.perProvider]).toEqual([
    ["acme", { usd: USD, unknownCalls: 1, inputTokens: 22_800, outputTokens: 400 }],
    ["other", { usd: 0.5, unknownCalls: 0, inputTokens: 1, outputTokens: 2 }],
  ]);
  expect(spend.total.usd).toBeCloseTo(USD + 0.5, 12);
});

test("[ENG-13] below the cap a request goes through; at the cap it is refused before it is sent, with cap and spend", async () => {
  const spend = new Spend();
  const cap = costCap({ capUsd: 0.02, spend, priceOf, unknownPrice });
  const { send, asked } = rig([cap, costMeter(priceOf, spend)], () => inTurn([usage(), FINISH]));
  await send();
  await send();
  expect(asked).toHaveLength(2);
  await expect(send()).rejects.toMatchObject({
    reason: "CostBudgetExceeded",
    fields: { spent: "0.021", cap: "0.02" },
    message:
      "The next request could exceed the cost cap: $0.021 of $0.02 is spent. Raise --max-cost to go on.",
  });
  expect(asked).toHaveLength(2);
});

test("[ENG-13] a tiny cap is shown with its significant digits", async () => {
  const { send } = rig([costCap({ capUsd: 0.0000123, spend: new Spend(), priceOf, unknownPrice })], () =>
    inTurn([FINISH]),
  );
  await expect(send()).rejects.toMatchObject({ fields: { spent: "0.00", cap: "0.000012" } });
});

test("[ENG-13] a request whose input alone would pass the cap is refused before it is sent", async () => {
  const { send, asked } = rig([costCap({ capUsd: 1, spend: new Spend(), priceOf, unknownPrice })], () =>
    inTurn([FINISH]),
  );
  const text = "x".repeat(4_000_000 / 3);
  const long: ModelRequest = { ...REQUEST, messages: [{ role: "user", content: [{ type: "text", text }] }] };
  await expect(send(long)).rejects.toMatchObject({
    reason: "CostBudgetExceeded",
    fields: { spent: "0.00", cap: "1.00" },
  });
  const system: ModelRequest = { ...REQUEST, system: [{ name: "profile", text: trustedText(text) }] };
  await expect(send(system)).rejects.toMatchObject({ reason: "CostBudgetExceeded" });
  expect(asked).toEqual([]);
  await send();
  expect(asked).toHaveLength(1);
});

test("[ENG-13] at the cap a request is refused even where its input would cost nothing", async () => {
  const spend = new Spend();
  spend.count({ ...PAYLOAD, usd: 1 });
  const free = () => ({ input: 0, output: 1 });
  const { send, asked } = rig([costCap({ capUsd: 1, spend, priceOf: free, unknownPrice })], () =>
    inTurn([FINISH]),
  );
  await expect(send()).rejects.toMatchObject({ reason: "CostBudgetExceeded" });
  expect(asked).toEqual([]);
});

test("[ENG-13] with warn, a model of unknown price is reported once, and known prices still count", async () => {
  const spend = new Spend();
  const prices = (_: string, model: string) => (model === "m" ? undefined : { input: 0, output: 1 });
  const cap = costCap({ capUsd: 1, spend, priceOf: prices, unknownPrice: "warn" });
  const { send, asked, told } = rig([cap], () => inTurn([FINISH]));
  await send();
  await send();
  expect(asked).toHaveLength(2);
  expect(told.filter(({ kind }) => kind === "Error").map(({ payload }) => payload)).toMatchObject([
    {
      reason: "CostUncapped",
      severity: "notice",
      message: expect.stringContaining("The price of m is unknown"),
    },
  ]);
  spend.count({ ...PAYLOAD, usd: 1 });
  await expect(send()).rejects.toMatchObject({ reason: "CostBudgetExceeded" });
});

test("[ENG-13] with refuse, a cap that cannot be kept is refused: no price for the model, or an earlier cost unknown", async () => {
  const unpriced = costCap({ capUsd: 1, spend: new Spend(), priceOf: () => undefined, unknownPrice });
  const noPrice = rig([unpriced], () => inTurn([FINISH]));
  await expect(noPrice.send()).rejects.toMatchObject({
    reason: "CostUnknown",
    fields: { cap: "1.00", model: "m" },
  });
  const spend = new Spend();
  spend.count({ ...PAYLOAD, usd: null });
  const unknown = rig([costCap({ capUsd: 1, spend, priceOf, unknownPrice })], () => inTurn([FINISH]));
  await expect(unknown.send()).rejects.toMatchObject({ reason: "CostUnknown" });
  expect([noPrice.asked, unknown.asked]).toEqual([[], []]);
});

test("[ENG-13] whatever a session does, no request is sent once the cap is spent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 100_000 }), { maxLength: 20 }), async (outputs) => {
      const spend = new Spend();
      let next = 0;
      const answer = () => inTurn([usage({ outputTokens: outputs[next++] ?? 0 }), FINISH]);
      const { send } = rig(
        [costCap({ capUsd: 2, spend, priceOf, unknownPrice }), costMeter(priceOf, spend)],
        answer,
      );
      for (const _ of outputs) {
        const before = spend.total.usd;
        const sent = await send().then(
          () => true,
          () => false,
        );
        if (sent) expect(before).toBeLessThan(2);
      }
    }),
  );
});

import { expect, test } from "bun:test";
import type { FakeClock } from "../../../test/support/fake-clock.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { NO_HISTORY } from "../../../test/support/request-context.ts";
import { testWorld } from "../../../test/support/world.ts";
import { trustedText } from "../../base/brand.ts";
import type { CallId } from "../../base/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import type { ModelRequest, ModelUsage } from "../../providers/provider.ts";
import { CacheMisses } from "./cache-miss.ts";

const MESSAGE: Message = { role: "user", content: [{ type: "text", text: "hello" }] };
const ANSWER: Message = { role: "assistant", content: [{ type: "text", text: "hi" }] };
const REQUEST: ModelRequest = {
  model: "m",
  system: [{ name: "profile", text: trustedText("Be brief.") }],
  messages: [MESSAGE],
  tools: [{ name: "Ls", description: "", inputSchema: {} }],
  outputTokensMax: 100,
  cache: { prefix: false, messages: [] },
};
const NEXT: ModelRequest = { ...REQUEST, messages: [{ ...MESSAGE }, ANSWER, MESSAGE] };

interface Sent {
  readonly usage: Partial<ModelUsage>;
  readonly request?: ModelRequest;
  readonly context?: Partial<RequestContext>;
  readonly laterMs?: number;
}

/** Returns the misses of requests that follow each other. */
async function missesOf(sent: readonly Sent[], clock: FakeClock = fakeClock()) {
  const world = { ...testWorld(), clock };
  const provider = {
    ...{ name: "acme", family: "acme", canonicalFormVersion: 1 },
    chat: () => {
      throw new Error("nothing is sent");
    },
    models: async () => [],
    tokenCount: async () => 0,
  };
  const base: RequestContext = {
    ...{ world, provider, signal: new AbortController().signal, turn: 1, round: 1, history: NO_HISTORY },
    ...{ session: world.ids.next("sess"), originator: world.ids.next("cli") },
    emit: () => undefined,
    spent: () => undefined,
  };
  const misses = new CacheMisses();
  const found = [];
  for (const { usage, request = REQUEST, context = {}, laterMs = 0 } of sent) {
    await clock.advance(laterMs);
    const tokens = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, ...usage };
    found.push(misses.answered(request, { ...base, ...context }, tokens));
  }
  return found;
}

const WRITTEN = { cacheWriteTokens: 9_000 };
const AGAIN = { cacheReadTokens: 0, cacheWriteTokens: 9_100 };

test.each([
  ["model_changed", { ...NEXT, model: "other" }, 0],
  ["tools_changed", { ...NEXT, tools: [] }, 0],
  ["system_changed", { ...NEXT, system: [] }, 0],
  ["effort_changed", { ...NEXT, thinking: { effort: "high" } }, 0],
  ["history_changed", { ...NEXT, messages: [ANSWER] }, 0],
  ["expired", NEXT, 300_001],
  ["unknown", NEXT, 300_000],
] as const)("[CTL-19] a miss of the prompt cache has its cause: %s", async (cause, request, laterMs) => {
  const misses = await missesOf([{ usage: WRITTEN }, { usage: AGAIN, request, laterMs }]);
  expect(misses).toEqual([undefined, { cause, lostTokens: 9_000 }]);
});

test("[CTL-19] a hit, a small difference and a provider that never caches are no misses", async () => {
  const hit = { usage: { cacheReadTokens: 9_000 }, request: NEXT };
  expect(await missesOf([{ usage: WRITTEN }, hit])).toEqual([undefined, undefined]);
  const rounded = { usage: { cacheReadTokens: 8_000 } };
  expect(await missesOf([{ usage: WRITTEN }, rounded])).toEqual([undefined, undefined]);
  const large = { usage: { inputTokens: 50_000 } };
  expect(await missesOf([large, large, large])).toEqual([undefined, undefined, undefined]);
});

test("[CTL-19] a provider that caches by itself is expected to have the whole last request", async () => {
  const read = { usage: { inputTokens: 2_000, cacheReadTokens: 5_000 } };
  const misses = await missesOf([{ usage: { inputTokens: 5_000 } }, read, { usage: { inputTokens: 7_500 } }]);
  expect(misses).toEqual([undefined, undefined, { cause: "unknown", lostTokens: 7_000 }]);
});

test("[CTL-19] each conversation is compared with itself, and a summary with nothing", async () => {
  const agent = { context: { parentCall: "call_00000000000000000000000001" as CallId } };
  const misses = await missesOf([
    { usage: WRITTEN },
    { usage: WRITTEN, ...agent },
    { usage: {}, context: { purpose: "summary" } },
    { usage: { cacheReadTokens: 9_000 } },
    { usage: {}, ...agent },
  ]);
  expect(misses).toEqual([...Array(4).fill(undefined), { cause: "unknown", lostTokens: 9_000 }]);
});

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import type { Message } from "../../../protocol/message.ts";
import { TokenCounter } from "./token-counter.ts";

const message = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  content: fc.array(
    fc.oneof(
      fc.record({
        type: fc.constant("text" as const),
        text: fc.string({ unit: "binary", maxLength: 2_000 }),
      }),
      fc.constant({
        type: "image" as const,
        source: { type: "base64" as const, media_type: "image/png", data: "aGk=" },
      }),
    ),
    { maxLength: 4 },
  ),
}) satisfies fc.Arbitrary<Message>;

const messages = fc.array(message, { maxLength: 12 });
const request = (list: readonly Message[]) => ({ system: [], tools: [], messages: list });
const usage = (inputTokens: number) => ({
  inputTokens,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

test("[SES-13] more messages never count less, whatever a provider has counted before", async () => {
  await holds(
    fc.property(
      messages,
      message,
      fc.array(fc.tuple(messages, fc.nat({ max: 1e9 }))),
      (list, more, learnt) => {
        const tokens = new TokenCounter();
        for (const [sent, counted] of learnt) tokens.learn("m", request(sent), usage(counted));
        const before = tokens.ofRequest("m", request(list));
        const after = tokens.ofRequest("m", request([...list, more]));
        expect(after).toBeGreaterThanOrEqual(before);
        expect(tokens.ofMessages("m", list)).toBeLessThanOrEqual(before);
      },
    ),
  );
});

test("[SES-13] a request never counts less than its provider has just counted for it, within what can be true", async () => {
  const long: Message = { role: "user", content: [{ type: "text", text: "x".repeat(8_000) }] };
  await holds(
    fc.property(messages, fc.double({ min: 0.6, max: 4, noNaN: true }), (list, share) => {
      const tokens = new TokenCounter();
      const sent = request([long, ...list]);
      const counted = Math.floor(tokens.ofRequest("m", sent) * share);
      tokens.learn("m", sent, usage(counted));
      expect(tokens.ofRequest("m", sent)).toBeGreaterThanOrEqual(counted);
      expect(tokens.atLeast("m", sent)).toBeLessThanOrEqual(tokens.ofRequest("m", sent));
      expect(tokens.ofRequest("another", sent)).toBe(new TokenCounter().ofRequest("m", sent));
    }),
  );
});

test("[SES-13] nonsense that a provider reports changes little, and a correction wears off", () => {
  const tokens = new TokenCounter();
  const sent = request([{ role: "user", content: [{ type: "text", text: "x".repeat(40_000) }] }]);
  const before = tokens.ofRequest("m", sent);
  tokens.learn("m", sent, usage(0));
  expect(tokens.ofRequest("m", sent)).toBe(before);
  tokens.learn("m", sent, usage(1_000_000_000));
  expect(tokens.ofRequest("m", sent)).toBeLessThanOrEqual(before * 4);
  for (let n = 0; n < 30; n++) tokens.learn("m", sent, usage(before));
  expect(tokens.ofRequest("m", sent)).toBeLessThan(before * 1.01);
});

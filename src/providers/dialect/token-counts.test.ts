import { expect, test } from "bun:test";
import { asStream, readAnswer } from "../../../test/support/recordings.ts";
import type { ModelUsage } from "../provider.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { Dialect } from "./dialect.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

type Counts = readonly [input: unknown, output: unknown];

const WIRES: readonly (readonly [Dialect, (counts: Counts) => readonly unknown[]])[] = [
  [
    openaiChat,
    ([prompt_tokens, completion_tokens]) => [
      { choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens, completion_tokens } },
      "[DONE]",
    ],
  ],
  [
    openaiResponses,
    ([input_tokens, output_tokens]) => [
      {
        type: "response.completed",
        response: { status: "completed", output: [], usage: { input_tokens, output_tokens } },
      },
    ],
  ],
  [
    anthropicMessages,
    ([input_tokens, output_tokens]) => [
      { type: "message_start", message: { id: "msg_1", usage: { input_tokens } } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens } },
      { type: "message_stop" },
    ],
  ],
];

test.each(WIRES)(
  "[PROV-11 REL-06] a token count is a whole number, or it is not one (%#)",
  async (dialect, events) => {
    const usageOf = async (...counts: Counts) => {
      const answer = await readAnswer(dialect, [asStream(events(counts))]);
      const usages = answer.events.flatMap((event) => (event.kind === "usage" ? [event.usage] : []));
      return usages.at(-1);
    };
    const usage = (inputTokens: number, outputTokens: number): ModelUsage => ({
      inputTokens,
      outputTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
    expect(await usageOf(12.5, 3)).toEqual(usage(13, 3));
    expect(await usageOf(1e300, 3)).toEqual(usage(0, 3));
    expect(await usageOf(2 ** 53, 0.25)).toEqual(usage(0, 1));
    expect(await usageOf(-4, -0.5)).toEqual(usage(0, 0));
    expect(await usageOf("12", 1_000_000)).toEqual(usage(0, 1_000_000));
  },
);

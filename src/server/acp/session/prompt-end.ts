import type { PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { unreachable } from "../../../base/assert.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { TurnEndReason } from "../../../protocol/events/events.ts";
import type { UsageInfo } from "../../../protocol/resources.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import type { TurnResult } from "../../../view/turn-result.ts";
import { turnAnswer } from "../../../view/turn-result.ts";

/** Returns the answer to a prompt whose turn has ended; the failure of the turn, which is an error here. */
export function promptEnd(result: TurnResult): PromptResponse | HarnessError {
  const { reason = "error", error } = result;
  const stopReason = stopReasonOf(reason);
  if (stopReason === undefined) {
    const { reason: why, message } = error ?? {
      reason: reason === "empty" ? "EmptyResponse" : "InternalError",
      message: endingText(reason) ?? reason,
    };
    return new HarnessError("EngineRefused", { reason: why, message });
  }
  const answer = turnAnswer(result);
  return {
    stopReason,
    ...(answer.usage === undefined ? {} : { usage: usageOf(answer.usage) }),
    _meta: { cinch: answer },
  };
}

function usageOf(usage: UsageInfo): NonNullable<PromptResponse["usage"]> {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const { cache_read_tokens: cachedReadTokens, cache_write_tokens: cachedWriteTokens } = usage;
  const totalTokens = inputTokens + outputTokens + cachedReadTokens + cachedWriteTokens;
  return { totalTokens, inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens };
}

/** Returns undefined if the turn has failed, which is an error here and no way to stop. */
function stopReasonOf(reason: TurnEndReason): PromptResponse["stopReason"] | undefined {
  switch (reason) {
    case "complete":
    case "yield":
      return "end_turn";
    case "cancelled":
      return "cancelled";
    case "length":
      return "max_tokens";
    case "turn_limit":
    case "time_limit":
    case "budget":
    case "no_progress":
      return "max_turn_requests";
    case "empty":
    case "error":
      return undefined;
    default:
      return unreachable(reason);
  }
}

import type { JsonObject } from "../../../base/json.ts";
import { claudeEfforts, nearestEffort, thinkingBudget } from "../../effort.ts";
import type { ModelRequest } from "../../provider.ts";

/** The parts of an API message that matter here. */
interface WireMessage {
  readonly content: readonly JsonObject[];
}

/** API limits: a budget of at least this, and below `max_tokens`. */
const BUDGET_TOKENS_MIN = 1_024;
/** Thinking counts as output: at least a quarter of the limit is reserved for the answer. */
const ANSWER_SHARE = 4;

/**
 * Returns the fields that request thinking: a token budget up to the 4.5 models and for other models than Claude;
 * adaptive thinking with an effort on later ones, which refuse or deprecate budgets.
 *
 * With a budget, thinking is omitted if the API would refuse the request: no space below the output limit, or an
 * unfinished round of tool calls that did not begin with thinking (after a change of family).
 */
export function anthropicThinking(request: ModelRequest, messages: readonly WireMessage[]): JsonObject {
  if (request.thinking === undefined) return {};
  const { effort } = request.thinking;
  if (isAdaptive(request.model)) {
    const taken = nearestEffort(effort, claudeEfforts(request.model));
    return { thinking: { type: "adaptive" }, output_config: { effort: taken } };
  }
  const roomMax = request.outputTokensMax - Math.ceil(request.outputTokensMax / ANSWER_SHARE);
  const budget = Math.min(Math.max(thinkingBudget(request.thinking), BUDGET_TOKENS_MIN), roomMax);
  if (budget < BUDGET_TOKENS_MIN || isInUnthoughtRound(messages)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

function isAdaptive(model: string): boolean {
  const isClaude = /\bclaude-/.test(model);
  return (
    isClaude && !/claude-(3|instant|2|(opus|sonnet|haiku)-4([-.][015])?(-\d{8}|-latest|@.*|$))/.test(model)
  );
}

function isInUnthoughtRound(messages: readonly WireMessage[]): boolean {
  const isRound = messages.at(-1)?.content.some(({ type }) => type === "tool_result") ?? false;
  const first = messages.at(-2)?.content[0]?.["type"];
  return isRound && first !== "thinking" && first !== "redacted_thinking";
}

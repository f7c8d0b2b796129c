/** Thinking efforts, from the least to the most. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** Returns the effort, or the nearest accepted one below it. `taken` is in ascending order and begins with "low". */
export function nearestEffort(effort: Effort, taken: readonly Effort[]): Effort {
  const wanted = EFFORTS.indexOf(effort);
  return taken.findLast((each) => EFFORTS.indexOf(each) <= wanted) ?? "low";
}

const COMMON: readonly Effort[] = ["low", "medium", "high"];

/**
 * Returns the values that Claude accepts as `output_config.effort`. The first models with adaptive thinking know
 * fewer values than later ones and refuse a request with another.
 */
export function claudeEfforts(model: string): readonly Effort[] {
  if (/claude-opus-4[-.]6/.test(model)) return [...COMMON, "max"];
  return /claude-(?:sonnet|haiku)-4[-.]6/.test(model) ? COMMON : EFFORTS;
}

/**
 * Returns the values that OpenAI accepts as `reasoning.effort`. The first reasoning models know fewer values than
 * later ones.
 */
export function openAiEfforts(model: string): readonly Effort[] {
  const isLater = /gpt-5\.(?:[2-9]|1\d)|gpt-5\.1-codex-max|gpt-[6-9]/.test(model);
  return isLater ? [...COMMON, "xhigh"] : COMMON;
}

/** Returns the values that servers of OpenAI's older dialect are likely to accept. */
export function commonEfforts(): readonly Effort[] {
  return COMMON;
}

const BUDGET_TOKENS: Readonly<Record<Effort, number>> = {
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 49_152,
};

/** Returns the tokens of thinking for models that take a budget. */
export function thinkingBudget({
  effort,
  budgetTokens,
}: {
  readonly effort: Effort;
  readonly budgetTokens?: number;
}): number {
  return budgetTokens ?? BUDGET_TOKENS[effort];
}

/** How hard a model is to think, from the least to the most. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** The effort, or the nearest below it of those that are taken. `taken` is in ascending order and begins with "low". */
export function effortWithin(effort: Effort, taken: readonly Effort[]): Effort {
  const wanted = EFFORTS.indexOf(effort);
  return taken.findLast((each) => EFFORTS.indexOf(each) <= wanted) ?? "low";
}

const COMMON: readonly Effort[] = ["low", "medium", "high"];

/**
 * What Claude takes as `output_config.effort`: the first models with adaptive thinking know fewer words than the later
 * ones, and refuse a request with another.
 */
export function claudeEfforts(model: string): readonly Effort[] {
  if (/claude-opus-4[-.]6/.test(model)) return [...COMMON, "max"];
  return /claude-(?:sonnet|haiku)-4[-.]6/.test(model) ? COMMON : EFFORTS;
}

/** What OpenAI takes as `reasoning.effort`: the first reasoning models know fewer words than the later ones. */
export function openAiEfforts(model: string): readonly Effort[] {
  const isLater = /gpt-5\.(?:[2-9]|1\d)|gpt-5\.1-codex-max|gpt-[6-9]/.test(model);
  return isLater ? [...COMMON, "xhigh"] : COMMON;
}

/** What is taken by whoever speaks OpenAI's older dialect, as far as one can know. */
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

/** Tokens of thinking, for models that take a budget. */
export function thinkingBudget({
  effort,
  budgetTokens,
}: {
  readonly effort: Effort;
  readonly budgetTokens?: number;
}): number {
  return budgetTokens ?? BUDGET_TOKENS[effort];
}

/** Thinking efforts. "off": the model is not asked to think; some think all the same. */
export const EFFORT_WORDS = ["off", "low", "medium", "high", "xhigh", "max"] as const;
export type EffortWord = (typeof EFFORT_WORDS)[number];

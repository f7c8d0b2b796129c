/** How hard a model is to think. "off": it is not asked to think; some do so all the same. */
export const EFFORT_WORDS = ["off", "low", "medium", "high", "xhigh", "max"] as const;
export type EffortWord = (typeof EFFORT_WORDS)[number];

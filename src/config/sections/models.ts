import { EFFORT_WORDS } from "../../protocol/effort.ts";
import type { ConfigOf, TableSection, TopSection } from "../../session/config-section.ts";
import { modelProblem } from "../providers/model-name.ts";

/** The model of a session. */
export const modelSection = {
  shape: "top",
  name: "model",
  about: "The model of a session: [models.md](../models.md).",
  inRepositoryProfile: true,
  keys: {
    defaultModel: {
      kind: "text",
      key: "default_model",
      meaning: "The model, as `provider:name`.",
      otherwise: "the first vendor with a key, then a provider of yours, then a server on this machine",
      example: "local:qwen3-coder",
      flag: { name: "--model", option: "model" },
      ownProfileFirst: true,
      check: modelProblem,
    },
  },
} as const satisfies TopSection;

/** `[thinking]`: how hard a model is to think before it answers. */
export const thinkingSection = {
  shape: "table",
  name: "thinking",
  about: "How hard a model thinks before it answers. `/effort` changes it in a session.",
  keys: {
    effort: {
      kind: "word",
      key: "effort",
      words: EFFORT_WORDS,
      meaning: "How hard the model is to think.",
      default: "off",
      example: "high",
      flag: { name: "--effort", option: "effort" },
    },
    budgetTokens: {
      kind: "integer",
      key: "budget_tokens",
      min: 1_024,
      unit: "tokens",
      meaning: "The budget of thinking, for models that take one.",
      otherwise: "what fits the effort",
      example: 16_000,
    },
  },
} as const satisfies TableSection;

export type ThinkingKeys = ConfigOf<typeof thinkingSection>;

import { UNKNOWN_PRICES } from "../../providers/provider.ts";
import type { TableSection } from "../../session/config-section.ts";
import { PERMISSION_TIMEOUT_MS } from "../../session/questions.ts";

/** Default for provider calls in one turn (ENG-05). */
const ROUNDS_MAX = 50;
/** Default for failures of the same call in a row. */
export const REPEATED_FAILURES_MAX = 5;
/** Default for equal results of the same call in a row. */
export const REPEATED_RESULTS_MAX = 20;
/** Default for tokens of one answer. */
const OUTPUT_TOKENS_MAX = 16_384;

/**
 * Limits of a turn and of a session. A profile has them in a table, config.toml has some of them at its top level.
 */
export const limitsSection = {
  shape: "table",
  name: "limits",
  in: "profile",
  about:
    "Limits of a turn and of a session. A profile holds them under `[limits]`; `config.toml` holds some of them at its top, under names of their own.",
  unknown: "warn",
  keys: {
    roundsMax: {
      kind: "integer",
      key: "rounds",
      configKey: "max_turns",
      min: 1,
      unit: "rounds",
      meaning: "Rounds with the model in one turn.",
      default: ROUNDS_MAX,
      example: 30,
      flag: { name: "--max-turns", option: "maxTurns" },
    },
    costUsd: {
      kind: "number",
      key: "cost",
      configKey: "max_cost",
      min: 0,
      unit: "US dollars",
      meaning: "Cost of a session, and, if a flag or config.toml sets it, of the sessions that it continues.",
      otherwise: "no limit",
      example: 2.5,
      flag: { name: "--max-cost", option: "maxCostUsd" },
    },
    unknownPrice: {
      kind: "word",
      key: "unknown_price",
      configKey: "unknown_price",
      words: UNKNOWN_PRICES,
      meaning:
        "With a limit of the cost: whether a model without a known price is used with a warning or refused.",
      default: "warn",
      example: "refuse",
    },
    timeMs: {
      kind: "duration",
      key: "time",
      configKey: "max_time",
      meaning: "Wall-clock time of one turn.",
      otherwise: "no limit",
      example: "20m",
      project: "restrict",
      flag: { name: "--max-time", option: "maxTimeMs" },
    },
    outputTokens: {
      kind: "integer",
      key: "output_tokens",
      min: 1,
      unit: "tokens",
      meaning: "Tokens of one answer, unless the model takes less.",
      default: OUTPUT_TOKENS_MAX,
      example: 8_192,
    },
    permissionTimeoutMs: {
      kind: "seconds",
      key: "permission_timeout",
      min: 1,
      unit: "seconds",
      meaning:
        "How long a question waits for an answer. Then it is denied. If it is not set, the time counts only while no person is there.",
      default: PERMISSION_TIMEOUT_MS / 1_000,
      example: 120,
    },
    repeatedFailures: {
      kind: "integer",
      key: "repeated_failures",
      min: 2,
      unit: "calls",
      meaning: "How often in a row the same call may fail before the turn is ended.",
      default: REPEATED_FAILURES_MAX,
      example: 5,
    },
    repeatedResults: {
      kind: "integer",
      key: "repeated_results",
      min: 2,
      unit: "calls",
      meaning:
        "How often in a row the same call may have the same result, without waiting, before the turn is ended.",
      default: REPEATED_RESULTS_MAX,
      example: 20,
    },
  },
} as const satisfies TableSection;

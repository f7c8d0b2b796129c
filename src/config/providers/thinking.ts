import type { EffortWord } from "../../protocol/effort.ts";
import { EFFORT_WORDS } from "../../protocol/effort.ts";
import type { Table } from "../table.ts";

/** `[thinking]`: how hard a model is to think before it answers. */
export interface ThinkingKeys {
  readonly effort?: EffortWord;
  /** Tokens, for models that take a budget. */
  readonly budgetTokens?: number;
}

const BUDGET_TOKENS_MIN = 1_024;

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function thinkingFrom(parent: Table): { readonly thinking?: ThinkingKeys } {
  const table = parent.table("thinking");
  if (table === undefined) return {};
  const effort = table.oneOf("effort", EFFORT_WORDS);
  const budgetTokens = table.integer("budget_tokens", BUDGET_TOKENS_MIN);
  table.refuseUnknown();
  return {
    thinking: {
      ...(effort === undefined ? {} : { effort }),
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
    },
  };
}

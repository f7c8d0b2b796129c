import type { Table } from "../table.ts";

/** What a configuration says of when and how a conversation is made smaller. */
export interface CompactionKeys {
  /** How full the window may get, above 0 and up to 1. */
  readonly threshold?: number;
  readonly keepTurns?: number;
  /** Tokens of the model's window, where what is known of it is wrong or nothing is. */
  readonly contextTokens?: number;
}

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function compactionFrom(parent: Table): { readonly compaction?: CompactionKeys } {
  const table = parent.table("compaction");
  if (table === undefined) return {};
  const threshold = table.number("threshold", 0);
  const keepTurns = table.integer("keep_turns", 1);
  const contextTokens = table.integer("context_tokens", 1_000);
  table.refuseUnknown();
  if (threshold !== undefined && (threshold < 0.1 || threshold > 1)) {
    throw table.problem("threshold", "must be a share of the window, from 0.1 to 1");
  }
  return {
    compaction: {
      ...(threshold === undefined ? {} : { threshold }),
      ...(keepTurns === undefined ? {} : { keepTurns }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    },
  };
}

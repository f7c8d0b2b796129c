import { expect, test } from "bun:test";
import { Table } from "../table.ts";
import { compactionFrom } from "./compaction.ts";

const read = (value: Record<string, unknown>) =>
  compactionFrom(new Table({ path: "config.toml", text: "", value: { compaction: value } as never }));

test("[SES-13 PROF-03] when a conversation is made shorter can be set, and what is wrong is told by its key", () => {
  expect(read({ threshold: 0.5, keep_turns: 1, context_tokens: 8_000 })).toEqual({
    compaction: { threshold: 0.5, keepTurns: 1, contextTokens: 8_000 },
  });
  expect(read({})).toEqual({ compaction: {} });
  for (const [key, value] of [
    ["threshold", 0.05],
    ["threshold", 1.5],
    ["threshold", "high"],
    ["keep_turns", 0],
    ["context_tokens", 12],
    ["treshold", 0.5],
  ] as const)
    expect(() => read({ [key]: value })).toThrow(`compaction.${key}: `);
});

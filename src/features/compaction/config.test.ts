import { expect, test } from "bun:test";
import { readSections, saidOf } from "../../config/settings/read-section.ts";
import { Table } from "../../config/table.ts";
import { compactionSection } from "./config.ts";

function read(value: Record<string, unknown>) {
  const table = new Table({ path: "config.toml", text: "", value: { compaction: value } as never });
  return saidOf(readSections(table, "config", [compactionSection]).values, compactionSection);
}

test("[SES-13 PROF-03] the size at which a conversation is shortened can be set, and a wrong value names its key", () => {
  expect(read({ threshold: 0.5, keep_turns: 1, context_tokens: 8_000 })).toEqual({
    threshold: 0.5,
    keepTurns: 1,
    contextTokens: 8_000,
  });
  expect(read({})).toEqual({});
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

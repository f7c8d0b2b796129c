import { expect, test } from "bun:test";
import { readAccepted } from "../../protocol/commands/results.ts";
import { mcpStatusText, reloadedSkillsText } from "./result-texts.ts";
import { rewindText } from "./rewind-text.ts";

test("[MCP-02 CMD-01] the status of servers is drawn from its fields, and nothing of a server drives a terminal", () => {
  const running = { name: "files", state: "running", tools: 3 } as const;
  const broken = { name: "odd", state: "degraded", tools: 0, problem: "it said \u001b[2J" } as const;
  expect(mcpStatusText({ servers: [running, broken] })).toMatch(
    /^files: running, 3 tools\nodd: degraded\. it said [^\u001b]*$/,
  );
  const toolNames = [{ name: "mcp__files__a" }, { name: "mcp__files__b_c", spelled: "mcp__files__b.c" }];
  expect(mcpStatusText({ servers: [running], toolNames }).split("\n")).toEqual([
    "files: running, 3 tools",
    "  mcp__files__a",
    "  mcp__files__b_c (mcp__files__b.c)",
    "  and 1 more",
  ]);
  expect(mcpStatusText({ servers: [running], approved: false })).toBe(
    "Nothing was approved. files: running, 3 tools",
  );
});

test("[SKL-04] the reload of skills is drawn from its fields", () => {
  expect(reloadedSkillsText({ skills: ["a", "b"], waiting: [] })).toBe("Reloaded: 2 skills.");
  expect(reloadedSkillsText({ skills: ["a"], waiting: ["s/b"], asks: true })).toEndWith(
    "Inactive until acknowledged: s/b; you are asked about each.",
  );
});

test("[SES-15 CTL-16] a result with fewer fields, as of an older engine, is read, and an invalid one is left out", () => {
  const old = { to: 7, what: "files", done: true, files: { change: ["a.ts"] }, later: 1 };
  const { result } = readAccepted("RewindSession", { result: old });
  expect(result?.files).toMatchObject({ change: ["a.ts"], create: [], notRestorable: [] });
  expect(result === undefined ? "" : rewindText(result, { undo: String })).toStartWith("Set back to event 7");
  expect(readAccepted("RewindSession", { result: "text" })).toEqual({});
  expect(readAccepted("ManageMcp", { result: { text: "old" } }).result).toEqual({ servers: [], text: "old" });
});

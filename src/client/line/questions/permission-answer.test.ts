import { expect, test } from "bun:test";
import type { CallId, ClientId } from "../../../base/ids.ts";
import { parseChoice, permissionQuestionText, ruleQuestionText } from "./permission-answer.ts";

const REQUEST = {
  callId: "call_00000000000000000000000001" as CallId,
  tool: "Write",
  args: {},
  originator: "cli_00000000000000000000000001" as ClientId,
  summary: "Write:.git/config",
};

test("[PERM-03] where an answer counts for this call alone, only once and deny are offered and taken", () => {
  const request = { ...REQUEST, onceOnly: true };
  expect(permissionQuestionText(request)).toBe(
    "Permission needed: Write\n| Write:.git/config\n  1  allow once\n  2  deny",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const once = { kind: "answer", decision: "allow", scope: "once" } as const;
  const unclear = { kind: "unclear" } as const;
  const all = ["1", "y", "2", "n", "3", "tool", "rule", "4"].map((text) => parseChoice(text, request));
  expect(all).toEqual([once, once, deny, deny, unclear, unclear, unclear, deny]);
  expect(parseChoice("3", REQUEST)).toEqual({ kind: "answer", decision: "allow", scope: "tool" });
});

test("[PERM-03 MCP-07] where what begins alike is every call of the tool, that is offered once, and deny behind it", () => {
  const request = {
    ...REQUEST,
    tool: "mcp__every__echo",
    summary: "mcp__every__echo:{}",
    rule: "mcp__every__echo",
  };
  expect(permissionQuestionText(request)).toBe(
    "Permission needed: mcp__every__echo\n| mcp__every__echo:{}\n  1  allow once\n  2  allow every mcp__every__echo call for this session\n  3  deny",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const tool = { kind: "answer", decision: "allow", scope: "tool" } as const;
  const all = ["2", "rule", "tool", "3", "n", "4", "5"].map((text) => parseChoice(text, request));
  expect(all).toEqual([tool, tool, tool, deny, deny, deny, { kind: "unclear" }]);
});

test("[PERM-03 PERM-06] the question names what would run, why it is asked, and what each answer would allow", () => {
  const question = permissionQuestionText({
    ...REQUEST,
    tool: "Bash",
    summary: "npm run test",
    reason: "no rule allows it",
    rule: "Bash:npm run test",
  });
  expect(question).toBe(
    [
      "Permission needed: Bash",
      "| npm run test",
      "because: no rule allows it",
      "  1  allow once",
      "  2  allow for this session: Bash:npm run test",
      "  3  allow every Bash call for this session",
      "  4  deny",
    ].join("\n"),
  );
  expect(permissionQuestionText(REQUEST)).toContain("\n  2  allow for this session: exactly this\n");
  expect(ruleQuestionText("Bash:npm run test")).toBe(
    "Rule: Bash:npm run test\nEnter keeps it. To allow all that begins alike, type the first words of it, such as: npm run",
  );
});

test("[SBX-04 PERM-03] where the sandbox can be given hosts, that is an answer of its own", () => {
  const request = { ...REQUEST, onceOnly: true, hosts: ["example.com"] };
  expect(permissionQuestionText(request)).toEndWith(
    "\n  1  allow once, outside of the sandbox\n  2  allow in the sandbox, which reaches example.com for this session\n  3  deny",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const all = ["1", "2", "hosts", "3", "n", "4", "5"].map((text) => parseChoice(text, request));
  expect(all).toEqual([
    { kind: "answer", decision: "allow", scope: "once" },
    { kind: "answer", decision: "allow", scope: "once", hosts: true },
    { kind: "answer", decision: "allow", scope: "once", hosts: true },
    deny,
    deny,
    deny,
    { kind: "unclear" },
  ]);
});

import { expect, test } from "bun:test";
import type { CallId, ClientId } from "../../../base/ids.ts";
import {
  parseChoice,
  parseRuleAnswer,
  permissionQuestionText,
  ruleQuestionText,
} from "./permission-answer.ts";

const REQUEST = {
  callId: "call_00000000000000000000000001" as CallId,
  tool: "Write",
  args: {},
  originator: "cli_00000000000000000000000001" as ClientId,
  summary: "Write:.git/config",
};

test("[PERM-03] where an answer counts for this call alone, only once and deny are offered and taken, and no other number", () => {
  const request = { ...REQUEST, onceOnly: true };
  expect(permissionQuestionText(request)).toBe(
    "Permission needed: Write\n| Write:.git/config\n  1  allow once\n  2  deny\n  2: WORDS  deny, and tell the model what to do instead",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const once = { kind: "answer", decision: "allow", scope: "once" } as const;
  const unclear = { kind: "unclear" } as const;
  const all = ["1", "y", "2", "n", "3", "tool", "rule", "4"].map((text) => parseChoice(text, request));
  expect(all).toEqual([once, once, deny, deny, unclear, unclear, unclear, unclear]);
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
    "Permission needed: mcp__every__echo\n| mcp__every__echo:{}\n  1  allow once\n  2  allow every mcp__every__echo call for this session\n  3  deny\n  3: WORDS  deny, and tell the model what to do instead",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const tool = { kind: "answer", decision: "allow", scope: "tool" } as const;
  const unclear = { kind: "unclear" } as const;
  const all = ["2", "rule", "tool", "3", "n", "4", "5"].map((text) => parseChoice(text, request));
  expect(all).toEqual([tool, tool, tool, deny, deny, unclear, unclear]);
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
      "  4: WORDS  deny, and tell the model what to do instead",
    ].join("\n"),
  );
  expect(permissionQuestionText(REQUEST)).toContain("\n  2  allow for this session: exactly this\n");
  expect(ruleQuestionText({ rule: "Bash:npm run test" })).toBe(
    "Rule: Bash:npm run test\nEnter keeps it. To allow all that begins alike, type the first words of it, such as: npm run",
  );
});

test("[SBX-04 PERM-03] where the sandbox can be given hosts, that is an answer of its own", () => {
  const request = { ...REQUEST, onceOnly: true, hosts: ["example.com"] };
  expect(permissionQuestionText(request)).toEndWith(
    "\n  1  allow once, outside of the sandbox\n  2  allow in the sandbox, which reaches example.com for this session\n  3  deny\n  3: WORDS  deny, and tell the model what to do instead",
  );
  const deny = { kind: "answer", decision: "deny", scope: "once" } as const;
  const all = ["1", "2", "hosts", "3", "n", "4", "5"].map((text) => parseChoice(text, request));
  expect(all).toEqual([
    { kind: "answer", decision: "allow", scope: "once" },
    { kind: "answer", decision: "allow", scope: "once", hosts: true },
    { kind: "answer", decision: "allow", scope: "once", hosts: true },
    deny,
    deny,
    { kind: "unclear" },
    { kind: "unclear" },
  ]);
});

test.each([
  ["4: use pnpm", "use pnpm"],
  ["no, use pnpm instead ", "use pnpm instead"],
  ["N:use pnpm\nand yarn", "use pnpm\nand yarn"],
  ["2: use pnpm", undefined],
  ["no:", undefined],
  ["nothing, go on", undefined],
])("[PERM-14] a denial carries what to do instead: %j", (text, words) => {
  const expected =
    words === undefined ? { kind: "unclear" } : { kind: "answer", decision: "deny", scope: "once", words };
  expect(parseChoice(text, { ...REQUEST, rule: "Bash:npm test" })).toEqual(expected as never);
});

test("[PERM-14] the question shows its parts, why it is asked and what would end that; nothing in them drives a terminal", () => {
  const part = { text: "npm test\u001b[2J", verdict: "ask", why: "no rule\u001b[2J allows it" } as const;
  const request = {
    ...{ ...REQUEST, tool: "Bash", summary: "ls && npm test", reason: "no rule allows it" },
    ...{ rule: "Bash:ls && npm test", prefixes: ["Bash:npm *", "Bash:npm test *"] },
    parts: [{ text: "ls", verdict: "allow" as const, why: "it only reads" }, part],
    why: { cause: "no-rule", text: "no rule allows it", ends: { setting: "set\u001b[2J x" } } as const,
  };
  const text = permissionQuestionText(request);
  expect(text).toContain("\nallow: ls (it only reads)\nask: npm test");
  expect(text).toContain("\nbecause: no rule allows it\nto stop asking: set");
  expect(text).not.toContain("\u001b");
  expect(permissionQuestionText({ ...request, why: { ...request.why, cause: "network" } })).not.toContain(
    "to end",
  );
  expect(parseChoice("2", request)).toEqual({ kind: "rule" });
  expect(ruleQuestionText(request)).toEndWith("such as: npm");
  const rule = (typed: string) => parseRuleAnswer(typed, request);
  const picked = { kind: "answer", decision: "allow", scope: "argv_glob" } as const;
  expect(rule("npm")).toEqual({ ...picked, rule: "Bash:npm *" });
  expect(rule("npm test")).toEqual({ ...picked, rule: "Bash:npm test *" });
  expect([rule("ls"), rule("np")]).toEqual([{ kind: "unclear" }, { kind: "unclear" }]);
});

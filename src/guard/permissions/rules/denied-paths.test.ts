import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import type { Rule, RuleSource } from "../../../session/guard/rule.ts";
import { inspectCommand } from "../inspection/inspect-command.ts";
import { deniedPaths } from "./denied-paths.ts";
import { readRules } from "./read-rules.ts";
import { parseRule } from "./rule.ts";

function rules(...texts: readonly string[]): readonly Rule[] {
  return texts.flatMap((text) => {
    const [, effect = "", rest = ""] = /^(\w+) (.*)$/.exec(text) ?? [];
    const parsed = parseRule({ effect: effect as RuleSource["effect"], text: rest }, "user", TOOLS);
    return parsed.kind === "rule" ? [parsed.rule] : [];
  });
}

test("[PERM-02 SBX-01] what deny rules forbid of files and folders is a place that a sandbox can hold; a pattern is none", () => {
  const listed = rules(
    "deny Read:secrets/**",
    "deny Grep:notes.txt",
    "deny Read:/etc/hosts",
    "deny Read:=odd [name]",
    "deny Edit:package.json",
    "deny Write:src/generated/**",
    "deny Write:/elsewhere/**",
    "deny Edit:../beside.txt",
    "deny Read:**/*.pem",
    "deny Read:/**",
    "deny Read",
    "deny Bash:cat *",
    "ask Read:asked/**",
    "allow Read:allowed/**",
  );
  expect(deniedPaths(listed, "/w")).toEqual({
    hidden: ["/w/secrets", "/w/notes.txt", "/etc/hosts", "/w/odd [name]"],
    readOnly: [
      { path: "/w/package.json", kind: "file" },
      { path: "/w/src/generated", kind: "directory" },
    ],
  });
});

test("[PERM-02] what a deny rule forbids to read is denied at the end of a long line of reads, and asked for where a search may meet it", async () => {
  await using folder = temporaryDirectory();
  const root = folder.path;
  mkdirSync(join(root, "secrets/deep"), { recursive: true });
  await Bun.write(join(root, "secrets/deep/plan.txt"), "launch");
  await Bun.write(join(root, "src/a.txt"), "a");
  const place = { root, scratch: join(root, "../scratch") };
  const reading = readRules(rules("deny Read:secrets/**"), place);
  const { files } = testWorld();
  const facts = (command: string) =>
    inspectCommand({ kind: "command", command, cwd: root }, place, { files, ownDirectories: [], reading });

  const long = await facts(`${"cat src/a.txt; ".repeat(100)}cat secrets/deep/plan.txt`);
  expect(long.ruleMatches?.[0]?.rule.match).toEqual({ kind: "glob", text: "secrets/**" });
  expect((await facts("grep -r launch .")).approvalReason).toBe(
    'it may also read what the rule deny "Read:secrets/**" is about',
  );
  const beside = await facts("grep -r launch src; cat src/a.txt");
  expect({ loud: beside.approvalReason, met: beside.ruleMatches }).toEqual({ loud: undefined, met: [] });
});

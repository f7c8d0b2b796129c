import { expect, test } from "bun:test";
import { deniedPlaces } from "./denied-places.ts";
import type { Rule, RuleSource } from "./rule.ts";
import { parseRule } from "./rule.ts";

function rules(...texts: readonly string[]): readonly Rule[] {
  return texts.flatMap((text) => {
    const [, effect = "", rest = ""] = /^(\w+) (.*)$/.exec(text) ?? [];
    const parsed = parseRule({ effect: effect as RuleSource["effect"], text: rest }, "user");
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
  expect(deniedPlaces(listed, "/w")).toEqual({
    hidden: ["/w/secrets", "/w/notes.txt", "/etc/hosts", "/w/odd [name]"],
    readOnly: [
      { path: "/w/package.json", kind: "file" },
      { path: "/w/src/generated", kind: "directory" },
    ],
  });
});

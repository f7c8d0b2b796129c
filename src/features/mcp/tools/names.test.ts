import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { serverToolPrefix } from "../../../tools/server-tool-names.ts";
import { toolNames } from "./names.ts";

test("[MCP-02 S37] a tool is known by its server's name and its own, and by nobody else's", () => {
  expect(toolNames("git-hub", ["get_issue", "search.code", "b__c", "日本"])).toEqual([
    "mcp__git_hub__get_issue",
    "mcp__git_hub__search_code",
    "mcp__git_hub__b__c",
    "mcp__git_hub____",
  ]);
});

test("[MCP-02] tools whose names become the same stay distinct, and a plain name stays unchanged", () => {
  const [plain, dotted, slashed] = toolNames("s", ["a_b", "a.b", "a/b"]);
  expect(plain).toBe("mcp__s__a_b");
  expect(dotted).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/);
  expect(new Set([plain, dotted, slashed]).size).toBe(3);
  // Whatever else the server offers, in whatever order.
  expect(toolNames("s", ["a/b", "x", "a_b"])[0]).toBe(slashed ?? "");
});

test("[MCP-02 TOOL-06] property: any names give names that every provider takes, each its own", async () => {
  const server = fc.stringMatching(/^[A-Za-z0-9]{1,8}(?:[_-][A-Za-z0-9]{1,8}){0,2}$/);
  const tools = fc.uniqueArray(
    fc.oneof(fc.string({ maxLength: 128 }), fc.constantFrom("a.b", "a_b", "a-b")),
    {
      maxLength: 20,
    },
  );
  await holds(
    fc.property(server, tools, (name, given) => {
      const names = toolNames(name, given);
      expect(new Set(names).size).toBe(given.length);
      for (const each of names) {
        expect(each).toMatch(/^[A-Za-z0-9_]{1,64}$/);
        expect(each.startsWith(serverToolPrefix(name))).toBe(true);
      }
    }),
  );
});

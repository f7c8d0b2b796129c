import { expect, test } from "bun:test";
import { withoutSchemaIssues } from "./schema-words.ts";

test("[CTL-13] the issues of a schema are reported by their path and message, other texts as they are", () => {
  const issues = [
    { code: "invalid_type", path: ["tools", 0, "name"], message: "expected string" },
    { path: [], message: "expected object" },
  ];
  expect(withoutSchemaIssues(`Invalid result for initialize: ${JSON.stringify(issues, null, 2)}`)).toBe(
    "Invalid result for initialize: tools.0.name: expected string; the whole: expected object",
  );
  for (const text of ["connection reset", "[ {no JSON", "a [1] b"])
    expect(withoutSchemaIssues(text)).toBe(text);
});

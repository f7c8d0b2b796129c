import { expect, test } from "bun:test";
import { readOmissions, readReport } from "./test-report.ts";

test("a report is read into what passed and what failed, and a skipped test is neither", () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" failures="1" skipped="1">
  <testsuite name="src/a.test.ts" file="src/a.test.ts" tests="4" failures="1" skipped="1">
    <testcase name="[BUS-01] a &lt;b&gt; &amp; &quot;c&quot;" classname="" file="src/a.test.ts" line="2" />
    <testcase name="not good" classname="group" file="src/a.test.ts" line="3">
      <failure type="AssertionError" message="expected &lt;skipped /&gt;">text</failure>
    </testcase>
    <testcase name="left out" classname="" file="src/a.test.ts" line="4">
      <skipped />
    </testcase>
    <testcase name="after" classname="" file="src/a.test.ts" line="5" />
  </testsuite>
</testsuites>`;
  expect(readReport(xml)).toEqual({ passed: 2, failures: ["src/a.test.ts: group > not good"] });
  expect(readReport("")).toEqual({ passed: 0, failures: [] });
});

test("omitted tests are grouped by the program that was missing", () => {
  const lines = [
    { program: "tmux", test: "one" },
    { program: "bwrap", test: "two" },
    { program: "tmux", test: "three" },
  ].map((line) => `${JSON.stringify(line)}\n`);
  expect(readOmissions(lines.join(""))).toEqual([
    { program: "tmux", tests: ["one", "three"] },
    { program: "bwrap", tests: ["two"] },
  ]);
});

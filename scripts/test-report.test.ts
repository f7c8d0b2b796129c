import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../test/support/world.ts";
import { failingOutput, omissionText, readable, readOmissions, readReport } from "./test-report.ts";

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

test.each([["--isolate"], ["--parallel"]])(
  "of a run with %s the failed tests are shown with their output, and nothing else",
  async (flag) => {
    await using folder = temporaryDirectory();
    const file = (name: string, text: string) =>
      writeFileSync(join(folder.path, name), `import { expect, test } from "bun:test";\n${text}`);
    const good = 'test("good", () => console.log("noise of good"));\n';
    file("a.test.ts", `${good}test("bad", () => { console.log("words of bad"); expect(1).toBe(2); });\n`);
    file("b.test.ts", good);
    file("c.test.ts", 'throw new Error("cannot be loaded");\n');
    const args = ["test", flag, folder.path];
    const run = Bun.spawnSync([process.execPath, "--no-install", "--config=/dev/null", ...args], {
      cwd: folder.path,
      env: { PATH: process.env["PATH"] ?? "" },
      stderr: "pipe",
    });
    const whole = run.stdout.toString() + run.stderr.toString();
    const shown = failingOutput(whole);
    for (const told of [
      "a.test.ts:\n",
      "error: expect(received).toBe(expected)",
      "(fail) bad",
      "cannot be loaded",
    ])
      expect(shown).toContain(told);
    for (const left of ["(pass)", "Ran 3", " pass\n"]) {
      expect(shown).not.toContain(left);
    }
    // With workers, an error's text may stand under the file that came next.
    if (flag === "--isolate") expect(shown).not.toContain("b.test.ts");
  },
);

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

test("what was left out is named with its reason, and that nothing was is told too", () => {
  expect(omissionText([])).toBe("Nothing left out: every program that these tests need is on the PATH.");
  const omissions = [
    { program: "tmux", tests: ["one", "three"] },
    { program: "bwrap", tests: ["two"] },
  ];
  expect(omissionText(omissions)).toBe(
    [
      "Left out, since the program 'tmux' is not on the PATH:",
      "  one",
      "  three",
      "",
      "Left out, since the program 'bwrap' is not on the PATH:",
      "  two",
    ].join("\n"),
  );
});

test("an over-long line is cut with what is missing of it, and others are shown whole", () => {
  const whole = "x".repeat(2_000);
  expect(readable(`a\n${whole}\n${whole}yyy\nb`)).toBe(`a\n${whole}\n${whole} … (3 more characters)\nb`);
});

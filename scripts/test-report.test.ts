import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../test/support/world.ts";
import {
  failingOutput,
  flakyText,
  namePattern,
  omissionText,
  readable,
  readOmissions,
  readPackages,
  readReport,
} from "./test-report.ts";

test("a report is read into what passed and what failed, and a skipped test is neither", () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" failures="1" skipped="1">
  <testsuite name="src/a.test.ts" file="src/a.test.ts" tests="4" failures="1" skipped="1">
    <testcase name="[BUS-01] a &lt;b&gt; &amp; &quot;c&quot;" classname="" file="src/a.test.ts" time="1.5" line="2" />
    <testcase name="not good" classname="group" file="src/a.test.ts" line="3">
      <failure type="AssertionError" message="expected &lt;skipped /&gt;">text</failure>
    </testcase>
    <testcase name="left out" classname="" file="src/a.test.ts" line="4">
      <skipped />
    </testcase>
    <testcase name="after" classname="" file="src/a.test.ts" time="0.25" line="5" />
  </testsuite>
</testsuites>`;
  expect(readReport(xml)).toEqual({
    passed: 2,
    failures: [{ file: "src/a.test.ts", test: "not good", text: "src/a.test.ts: group > not good" }],
    seconds: new Map([["src/a.test.ts", 1.75]]),
  });
  expect(readReport("")).toEqual({ passed: 0, failures: [], seconds: new Map() });
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

const OMITTED = [
  { program: "tmux", test: "one", file: "a.test.ts" },
  { program: "bwrap", test: "two", file: "b.test.ts" },
  { program: "tmux", test: "three", file: "b.test.ts" },
];

test("omitted tests are read with their program and file", () => {
  const lines = OMITTED.map((line) => `${JSON.stringify(line)}\n`);
  expect(readOmissions(lines.join(""))).toEqual(OMITTED);
});

test("the pattern of omitted tests matches their names, in a group too, and nothing else", () => {
  const [odd, plain] = ["odd (a|b) costs $1. [sic]", "two"];
  const pattern = new RegExp(namePattern([odd, plain].map((test) => ({ program: "p", test, file: "a" }))));
  for (const name of [odd, plain, `group ${odd}`]) expect(name).toMatch(pattern);
  for (const name of [`${odd} more`, "twofold", "nottwo", "odd (a|b) costs $1x [sic]"])
    expect(name).not.toMatch(pattern);
});

test("skipped tests are listed with their reason, and so is a run that skipped none", () => {
  const packages = readPackages("# a comment\nbwrap bubblewrap\n");
  expect(omissionText([], packages)).toBe(
    "Nothing left out: every program that these tests need is on the PATH.",
  );
  expect(omissionText(OMITTED, packages)).toBe(
    [
      "Left out, since the program 'tmux' is not on the PATH.",
      "  one",
      "  three",
      "",
      "Left out, since the program 'bwrap' is not on the PATH. Install it (Debian: apt-get install bubblewrap).",
      "  two",
    ].join("\n"),
  );
});

test("an over-long line is cut with what is missing of it, and others are shown whole", () => {
  const whole = "x".repeat(2_000);
  expect(readable(`a\n${whole}\n${whole}yyy\nb`)).toBe(`a\n${whole}\n${whole} … (3 more characters)\nb`);
});

test("a flaky test is named with its file", () => {
  const flaky = { file: "a.e2e.ts", test: "late", text: "a.e2e.ts: group > late" };
  expect(flakyText([flaky])).toEndWith(":\n  a.e2e.ts: group > late");
});

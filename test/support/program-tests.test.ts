import { expect, test } from "bun:test";
import { endToEndFiles, startsProgram } from "./program-tests.ts";
import { filesUnder, readSource } from "./source.ts";

/** Judges `test/e2e/a.e2e.ts` among made up files. */
function judged(files: Readonly<Record<string, string>>): boolean {
  return startsProgram("test/e2e/a.e2e.ts", (file) => files[file]);
}

const RUNNER = { "test/support/cinch.ts": 'process.env["CINCH_UNDER_TEST"] ?? "cinch"' };

test.each([
  ["by itself", { "test/e2e/a.e2e.ts": 'const isBinary = process.env["CINCH_UNDER_TEST"] !== undefined;' }],
  ["as the compiled binary", { "test/e2e/a.e2e.ts": 'Bun.spawn(["dist/cinch"]);' }],
  ["as the launcher", { "test/e2e/a.e2e.ts": 'Bun.spawn([join(ROOT, "cinch")]);' }],
  ["by an import", { "test/e2e/a.e2e.ts": 'import { runCinch } from "../support/cinch.ts";', ...RUNNER }],
  ["by a lazy import", { "test/e2e/a.e2e.ts": 'await import("../support/cinch.ts");', ...RUNNER }],
  [
    "by an import of an import",
    {
      "test/e2e/a.e2e.ts": 'import { openServed } from "../support/served.ts";',
      "test/support/served.ts": 'import { startCinch } from "./cinch.ts";',
      ...RUNNER,
    },
  ],
  [
    "by a script that it starts",
    {
      "test/e2e/a.e2e.ts": 'Bun.spawn([process.execPath, join(ROOT, "test/support/one-child.ts")]);',
      "test/support/one-child.ts": 'import { runCinch } from "./cinch.ts";',
      ...RUNNER,
    },
  ],
  [
    "by a script whose path ends a template",
    {
      "test/e2e/a.e2e.ts": "Bun.spawn([process.execPath, `${ROOT}/test/support/one-child.ts`]);",
      "test/support/one-child.ts": 'import { runCinch } from "./cinch.ts";',
      ...RUNNER,
    },
  ],
])("a test file that starts the program %s is one of the program", (_how, files) => {
  expect(judged(files)).toBe(true);
});

test("a test file that reaches the program's sources alone is none of the program", () => {
  const files = {
    "test/e2e/a.e2e.ts": 'import { COMMANDS } from "../../src/cli/commands/commands.ts";',
    "src/cli/commands/commands.ts": '// "test/support/cinch.ts"\nexport const COMMANDS = ["dist/cinch"];',
    ...RUNNER,
  };
  expect(judged(files)).toBe(false);
});

test("every end-to-end test file is on one side, and one that runs cinch is on the program's", () => {
  const [program, others] = [true, false].map((startProgram) => endToEndFiles({ startProgram })) as [
    readonly string[],
    readonly string[],
  ];
  expect([...program, ...others].sort()).toEqual([...filesUnder("test/e2e", "**/*.e2e.ts")]);
  expect(program.length).toBeGreaterThan(60);
  expect(others.length).toBeGreaterThan(0);
  const runs = /\b(?:runCinch|startCinch|cinchPath|openPlace|openServed|openTerminal)\(/;
  expect(others.filter((file) => runs.test(readSource(file)))).toEqual([]);
});

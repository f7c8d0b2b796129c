import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPackages } from "../scripts/test-report.ts";
import { filesUnder, isTest, ROOT, readSource } from "./support/source.ts";

test("CI installs every program that a test requires", () => {
  const required = ["src", "test", "scripts", "bench", "examples", "sdk"]
    .flatMap((folder) => filesUnder(folder, "**/*.ts"))
    .filter((file) => isTest(file) && file !== "test/support/requires.test.ts") // whose programs are made up
    .flatMap((file) =>
      named(named(readSource(file), /\brequireProgram\(([^)]+)\)/g).join(" "), /"([\w-]+)"/g),
    );
  const installed = [...readPackages(readSource("scripts/programs.txt")).keys()];
  expect(readSource(".ci/run")).toContain("scripts/programs.txt");
  expect(required).toContain("tmux");
  expect(required.filter((program) => !installed.includes(program))).toEqual([]);
});

function named(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

test("a rule that follows types ends the check with an error, in npm test and in npm run lint", () => {
  const { linter } = JSON.parse(readSource("biome-typed.json")) as {
    readonly linter: { readonly rules: { readonly nursery: Readonly<Record<string, string>> } };
  };
  const rules = Object.entries(linter.rules.nursery);
  expect(rules.map(([, level]) => level)).toEqual(rules.map(() => "error"));
  for (const [rule] of rules) {
    expect(readSource("scripts/test.ts")).toContain(`--only=nursery/${rule}`);
    expect(readSource("package.json")).toContain(`--only=nursery/${rule}`);
  }
});

test("CI runs every test without the programs, what that left out with them, and the compiled binary", () => {
  const run = readSource(".ci/run");
  for (const step of [
    'sh scripts/without.sh "$hidden" npm test -- --omitted "$omitted"',
    'npm test -- --unit --only "$omitted"',
    'npm test -- --e2e --only "$omitted"',
    "others=$(sh scripts/bun.sh scripts/program-tests.ts --without)",
    "of_program=$(sh scripts/bun.sh scripts/program-tests.ts)",
    'CINCH_UNDER_TEST="$PWD/dist/cinch" count npm test -- --e2e $of_program',
  ]) {
    expect(run).toContain(step);
  }
  expect(run).toMatch(/npm test -- --e2e --only "\$omitted" .*\$others$/m);
  const launched = /^launched="(.*)"$/m.exec(run)?.[1]?.split(" ") ?? [];
  expect(launched.filter((name) => !existsSync(join(ROOT, `test/e2e/${name}.e2e.ts`)))).toEqual([]);
});

test("every way to run tests has one time limit, of minutes", () => {
  const starters = ["scripts/bun.sh", "scripts/test.ts", "test/support/deletable.ts"];
  const limits = starters.map((file) => named(readSource(file), /--timeout=(\d+)/g));
  expect(limits).toEqual(starters.map(() => ["300000"]));
});

import { expect, test } from "bun:test";
import { readPackages } from "../scripts/test-report.ts";
import { filesUnder, isTest, readSource } from "./support/source.ts";

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

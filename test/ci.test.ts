import { expect, test } from "bun:test";
import { filesUnder, isTest, readSource } from "./support/source.ts";

test("CI installs every program that a test requires", () => {
  const required = ["src", "test", "scripts", "bench", "examples", "sdk"]
    .flatMap((folder) => filesUnder(folder, "**/*.ts"))
    .filter((file) => isTest(file) && file !== "test/support/requires.test.ts") // whose programs are made up
    .flatMap((file) => named(readSource(file), /\brequireProgram\("([\w-]+)"\)/g));
  const installed = named(readSource(".ci/run"), /\[([\w-]+)\]=[\w-]/g);
  expect(required).toContain("tmux");
  expect(required.filter((program) => !installed.includes(program))).toEqual([]);
});

function named(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

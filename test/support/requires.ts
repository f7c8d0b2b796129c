import { test } from "bun:test";
import { appendFileSync } from "node:fs";

type TestBody = () => void | Promise<void>;
type Test = (name: string, body: TestBody, timeoutMs?: number) => void;

/**
 * `test` for tests that need a program of the machine.
 *
 * Where the program is missing the test is left out, and the run says so at its end; with CINCH_TEST_REQUIRE=all
 * it fails instead.
 */
export function requireProgram(program: string): Test {
  return requirement(program, Bun.which(program) !== null, process.env["CINCH_TEST_REQUIRE"] === "all");
}

/** `requireProgram` for a program that CI may be without: its tests are then left out there too, and named. */
export function preferProgram(program: string): Test {
  return requirement(program, Bun.which(program) !== null, false);
}

/** `requireProgram` with its facts as arguments. */
export function requirement(program: string, present: boolean, mustRun: boolean): Test {
  if (present) return (name, body, timeoutMs) => test(name, body, timeoutMs);
  if (mustRun) return (name) => test(name, () => Promise.reject(new Error(`needs the program ${program}`)));
  return (name) => recordOmission(program, name);
}

function recordOmission(program: string, name: string): void {
  const file = process.env["CINCH_TEST_OMITTED"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ program, test: name })}\n`);
  // A file whose tests are all left out must still hold one, or the runner takes it for a mistake.
  Reflect.get(test, "skip")(name, () => undefined);
}

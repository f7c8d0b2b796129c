import { test } from "bun:test";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { ROOT } from "./source.ts";

type TestBody = () => void | Promise<void>;
type Test = (name: string, body: TestBody, timeoutMs?: number) => void;

/**
 * `test` for tests that need programs of the machine.
 *
 * Where one is missing the test is left out, and the run says so at its end; with CINCH_TEST_REQUIRE=all
 * it fails instead.
 */
export function requireProgram(...programs: readonly [string, ...string[]]): Test {
  const missing = programs.find((program) => Bun.which(program) === null);
  const isRequired = process.env["CINCH_TEST_REQUIRE"] === "all";
  return requirement(missing ?? programs[0], missing === undefined, isRequired);
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

/**
 * Records that a test ran without the parts of it that need a program: the run names it at its end, and a later run
 * of what was left out runs it again. Nothing where the program is there.
 */
export function recordPartial(program: string, name: string): void {
  const record = process.env["CINCH_TEST_OMITTED"];
  const line = { program, test: name, file: relative(ROOT, Bun.main) };
  if (record !== undefined) appendFileSync(record, `${JSON.stringify(line)}\n`);
}

function recordOmission(program: string, name: string): void {
  recordPartial(program, name);
  // A file whose tests are all left out must still hold one, or the runner takes it for a mistake.
  Reflect.get(test, "skip")(name, () => undefined);
}

import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readSlow, timings, unlistedText } from "./test-order.ts";
import type { FailedTest } from "./test-report.ts";
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

/**
 * Checks and tests everything and prints one line for each step; the last line is `N passed, N failed`.
 *
 * Prints the output of what fails, with long lines cut, and names a file with the whole output; --verbose prints all of
 * it. Lists at the end the tests that were left out because a program is missing, or says that none was.
 * A test that fails beside the others runs once more, alone, if no more than `RERUNS_MAX` failed. If it
 * passes then, it counts as passed, and the end of the output names it as flaky, below the output of its failure.
 * A check that fails counts as one failure, one that passes as nothing. With paths, only the test files under them run.
 * `--unit` and `--e2e` run that part of the tests alone. `--omitted FILE` writes the list of omitted tests to a file;
 * `--only FILE` runs the tests of such a list and nothing else.
 */
const ROOT = resolve(import.meta.dir, "..");
const SLOW_TESTS = "scripts/slow-tests.txt";
const STEP_MS_MAX = 60 * 60_000;
const CORES = availableParallelism();
// Many tests wait for a process or for a time limit of the program, so there are more workers than cores.
const UNIT_WORKERS = CORES + 1;
const END_TO_END_WORKERS = 2 * CORES;
/** More failures than this have another cause than the load of the machine. */
const RERUNS_MAX = 3;
const TIMEOUT = "--timeout=300000";
const BIOME = "node_modules/@biomejs/biome/bin/biome";
const TYPED_LINT = ["--config-path=biome-typed.json", "--max-diagnostics=none", "--reporter=concise"];
const TYPED_RULES = ["--only=nursery/noFloatingPromises", "--only=nursery/useExhaustiveSwitchCases"];
const BUN = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null"];

interface Outcome {
  readonly passed: number;
  readonly failures: readonly string[];
  readonly output: string;
  /** The part that is shown after a failure. Default: all. */
  readonly shown?: string;
  /** Tests that passed only when they ran once more, alone. */
  readonly flaky?: readonly FailedTest[];
}

const { values: options, positionals: paths } = parseArgs({
  args: Bun.argv.slice(2),
  allowPositionals: true,
  options: {
    verbose: { type: "boolean", short: "v" },
    unit: { type: "boolean" },
    e2e: { type: "boolean" },
    omitted: { type: "string" },
    only: { type: "string" },
  },
});
/** The tests of `--only`; undefined: all. */
const only = options.only === undefined ? undefined : readOmissions(readFileSync(options.only, "utf8"));
/** The output of every step, for the file that is left when one fails. */
const whole: string[] = [];
const scratch = mkdtempSync(join(tmpdir(), "cinch-run-"));
try {
  const outcomes = await runAll();
  tellOmitted();
  printFlaky(outcomes);
  tellTotals(outcomes);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function runAll(): Promise<readonly Outcome[]> {
  const isPart = options.unit === true || options.e2e === true;
  const checks = !isPart && paths.length === 0 && only === undefined;
  const outcomes: Outcome[] = [];
  // These rules follow types through every schema, which takes one core a while: they run beside everything else.
  const typed = checks ? check(BIOME, "lint", ...TYPED_LINT, ...TYPED_RULES) : undefined;
  if (checks) {
    outcomes.push(
      await step("types", () => check("node_modules/typescript/bin/tsc", "-p", ".")),
      await step("lint and format", () => check(BIOME, "check")),
      await step("unused code", () => check("node_modules/knip/bin/knip.js", "--no-progress")),
    );
  }
  const unit =
    !isPart || options.unit === true ? testFiles("{src,test,scripts,bench,examples,sdk}/**/*.test.ts") : [];
  const endToEnd = !isPart || options.e2e === true ? testFiles("test/e2e/**/*.e2e.ts") : [];
  if (unit.length > 0) outcomes.push(await step("tests", () => rerunTests(unit, UNIT_WORKERS)));
  if (endToEnd.length > 0)
    outcomes.push(await step("end-to-end", () => rerunTests(endToEnd, END_TO_END_WORKERS)));
  if (typed !== undefined) outcomes.push(await step("typed lint", () => typed));
  if (paths.length > 0 && outcomes.length === 0) console.log(`no test file under ${paths.join(", ")}`);
  return outcomes;
}

function testFiles(pattern: string): readonly string[] {
  const found = [...new Bun.Glob(pattern).scanSync(ROOT)].filter((file) => !file.startsWith("test/data/"));
  const wanted = paths.map((path) => resolve(path));
  return found.sort().filter((file) => {
    const absolute = join(ROOT, file);
    if (only !== undefined && !only.some((omitted) => omitted.file === file)) return false;
    return wanted.length === 0 || wanted.some((path) => `${absolute}/`.startsWith(`${path}/`));
  });
}

async function step(name: string, run: () => Promise<Outcome>): Promise<Outcome> {
  const started = performance.now();
  const outcome = await run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { passed, failures, output } = outcome;
  const ok = failures.length === 0;
  whole.push(`== ${name}\n${output}`);
  if (options.verbose === true) console.log(output.trimEnd());
  else if (!ok || outcome.flaky !== undefined) console.log(readable(outcome.shown ?? output.trimEnd()));
  const counts = passed > 0 ? `${passed} passed, ${failures.length} failed, ` : "";
  console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(16)} ${counts}${seconds} s`);
  return { ...outcome, failures: failures.map((failure) => `${name}: ${failure}`) };
}

async function check(...args: readonly string[]): Promise<Outcome> {
  const { code, output } = await run(args, process.env);
  return { passed: 0, failures: code === 0 ? [] : [`ended with code ${code}, see above`], output };
}

/** Runs the tests; the few that failed run once more, alone: is the program wrong, or was the machine too busy? */
async function rerunTests(files: readonly string[], workers: number): Promise<Outcome> {
  const first = await testRun(files, workers, only);
  const { failed } = first;
  if (failed.length === 0 || failed.length > RERUNS_MAX || failed.length < first.failures.length)
    return first;
  const again = await testRun([...new Set(failed.map(({ file }) => file))], 1, failed);
  const output = `${first.output}\n== once more, alone\n${again.output}`;
  // A run that crashed, or left one out, shows nothing.
  const ran = again.passed + again.failed.length;
  if (ran < failed.length || again.failures.length > again.failed.length) return { ...first, output };
  const shown = [first.shown, ...(again.failures.length > 0 ? [again.shown] : [])].join("\n\n");
  const flaky = failed.filter(({ text }) => !again.failures.includes(text));
  const passed = first.passed + flaky.length;
  const outcome = { passed, failures: again.failures, output, shown };
  return flaky.length === 0 ? outcome : { ...outcome, flaky };
}

interface TestOutcome extends Outcome {
  readonly shown: string;
  /** The failures that are tests. */
  readonly failed: readonly FailedTest[];
}

/** @param wanted the tests to run; undefined: all of the files. */
async function testRun(
  files: readonly string[],
  workers: number,
  wanted: readonly { readonly test: string }[] | undefined,
): Promise<TestOutcome> {
  const reportFile = join(scratch, "report.xml");
  rmSync(reportFile, { force: true });
  const orderFile = join(scratch, "timings.json");
  const slow = readSlow(readFileSync(join(ROOT, SLOW_TESTS), "utf8"));
  writeFileSync(orderFile, timings(files, slow));
  const flags = [`--parallel=${workers}`, `--timings=${orderFile}`, TIMEOUT];
  const reporting = ["--reporter=junit", `--reporter-outfile=${reportFile}`];
  const names = wanted === undefined ? [] : ["-t", namePattern(wanted)];
  const args = ["test", ...flags, ...reporting, ...names, ...files.map((file) => `./${file}`)];
  const { code, output } = await run(args, testEnvironment());
  const report = readReport(readIfThere(reportFile));
  const unlisted = unlistedText(report.seconds, slow);
  if (unlisted !== undefined) console.log(unlisted);
  // A file that cannot be loaded, or a runner that crashes, fails no test that the report could name.
  const errors = Number(/^ (\d+) errors?$/m.exec(output)?.[1] ?? 0);
  const outside = Array.from({ length: errors }, () => "an error outside of any test, see above");
  const named = [...report.failures.map(({ text }) => text), ...outside];
  const failures = code === 0 || named.length > 0 ? named : [`the run ended with code ${code}, see above`];
  // A runner that failed without naming a test has told why somewhere in all of it.
  const shown = named.length === 0 ? output.trimEnd() : failingOutput(output);
  return { passed: report.passed, failures, failed: report.failures, output, shown };
}

/** A home of its own: no test may depend on, or touch, what the person who runs it has at home. */
function testEnvironment(): Readonly<Record<string, string | undefined>> {
  const passed = Object.entries(process.env).filter(([name]) => !name.startsWith("XDG_"));
  const home = process.env["HOME"];
  const compiled = join(scratch, "compiled");
  mkdirSync(compiled, { recursive: true });
  return {
    ...Object.fromEntries(passed),
    HOME: scratch,
    CINCH_TEST_OMITTED: omittedFile(),
    CINCH_TEST_COMPILED: compiled,
    // For folders of tests that must not lie below /tmp, where the whole clone does.
    ...(home === undefined ? {} : { CINCH_TEST_HOME: home }),
  };
}

function omittedFile(): string {
  return options.omitted === undefined ? join(scratch, "omitted.jsonl") : resolve(options.omitted);
}

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly code: number; readonly output: string }> {
  // Both streams go into one file: they keep their order, and no pipe can fill up.
  const log = join(mkdtempSync(join(scratch, "step-")), "output.txt");
  const output = openSync(log, "w");
  try {
    const child = Bun.spawn([...BUN, ...args], {
      cwd: ROOT,
      env: { ...env },
      stdio: ["ignore", output, output],
      timeout: STEP_MS_MAX,
      killSignal: "SIGKILL",
    });
    return { code: await child.exited, output: readIfThere(log) };
  } finally {
    closeSync(output);
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a run that crashed early wrote none
  }
}

function tellOmitted(): void {
  const packages = readPackages(readFileSync(join(ROOT, "scripts/programs.txt"), "utf8"));
  console.log(`\n${omissionText(readOmissions(readIfThere(omittedFile())), packages)}`);
}

function printFlaky(outcomes: readonly Outcome[]): void {
  const flaky = outcomes.flatMap((outcome) => outcome.flaky ?? []);
  if (flaky.length > 0) console.log(`\n${flakyText(flaky)}`);
}

function tellTotals(outcomes: readonly Outcome[]): void {
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((failure) => `  ${failure}`).join("\n")}`);
  if (failures.length > 0 && options.verbose !== true) {
    const log = join(tmpdir(), `cinch-test-${process.pid}.log`);
    writeFileSync(log, whole.join("\n"));
    console.log(`\nThe whole output: ${log}`);
  }
  console.log(`\n${passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
}

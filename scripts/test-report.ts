/** A test that failed. */
export interface FailedTest {
  /** Path below the root of the repository. */
  readonly file: string;
  /** Its own name, without the group's. */
  readonly test: string;
  /** The file and full name. */
  readonly text: string;
}

/** Result of one run of the test runner. */
export interface TestReport {
  readonly passed: number;
  readonly failures: readonly FailedTest[];
  /** Seconds that the tests of each file took. */
  readonly seconds: ReadonlyMap<string, number>;
}

/** Reads the JUnit report that `bun test` writes; an empty text is a run without tests. */
export function readReport(xml: string): TestReport {
  let passed = 0;
  const failures: FailedTest[] = [];
  const seconds = new Map<string, number>();
  for (const [, attributes = "", selfClosed, body = ""] of xml.matchAll(CASE)) {
    const file = attribute(attributes, "file");
    seconds.set(file, (seconds.get(file) ?? 0) + Number(attribute(attributes, "time")));
    if (selfClosed === undefined && /<failure\b/.test(body)) failures.push(failedTest(attributes));
    else if (selfClosed !== undefined || !/<skipped\b/.test(body)) passed += 1;
  }
  return { passed, failures, seconds };
}

const CASE = /<testcase\b((?:\s+[\w-]+="[^"]*")*)\s*(?:(\/)>|>([\s\S]*?)<\/testcase>)/g;

function failedTest(attributes: string): FailedTest {
  const group = attribute(attributes, "classname");
  const file = attribute(attributes, "file");
  const test = attribute(attributes, "name");
  return { file, test, text: `${file}: ${group === "" ? "" : `${group} > `}${test}` };
}

function attribute(attributes: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  return value.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES.get(entity) ?? "");
}

const ENTITIES = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["amp", "&"],
]);

/**
 * Reduces the test runner's output: of each file with a failed test that test's output, and errors
 * outside of tests. What passed, and what it printed, is left out; the summary is told elsewhere.
 */
export function failingOutput(output: string): string {
  const lines: string[] = [];
  let header: string | undefined;
  let block: string[] = [];
  const keep = () => {
    if (header !== undefined) lines.push("", header);
    header = undefined;
    lines.push(...block);
    block = [];
  };
  let repeats = false;
  for (const line of output.split("\n")) {
    if (/^\d+ tests? (?:failed|skipped)/.test(line)) repeats = true;
    else if (SUMMARY.test(line) || (repeats && line.startsWith("(fail) "))) continue;
    else if (/^\((?:pass|skip|todo)\) /.test(line)) {
      // With workers, the text of an error may come late: under the next test, or the next file.
      if (isThrown(block)) keep();
      block = [];
    } else if (/^\S.*\.(?:test|e2e)\.ts:$/.test(line)) {
      if (isTold(block)) keep();
      block = [];
      header = line;
    } else {
      block.push(line);
      if (line.startsWith("(fail) ")) keep();
    }
  }
  if (isTold(block)) keep();
  return lines.join("\n").trim();
}

const SUMMARY =
  /^(?:\s*\d+ (?:pass|fail|skip|todo|errors?|snapshots?|expect\(\) calls|filtered out)\b|Ran \d+ tests?)/;

/** Tells an error that the runner printed, with the place it was thrown at, from the words of a test. */
function isThrown(block: readonly string[]): boolean {
  return (
    block.some((line) => line.startsWith("error: ")) &&
    block.some((line) => /^\s+at \S.*:\d+:\d+\)?$/.test(line))
  );
}

/** Returns true if the output after a file's last test reports an error. */
function isTold(block: readonly string[]): boolean {
  return block.some((line) => /^(?:# Unhandled error|.*\berror\b|panic|.*\bcrash)/i.test(line));
}

/** A test that was left out, or ran in part, for want of a program. One JSON line of the file of omissions. */
export interface Omission {
  readonly program: string;
  readonly test: string;
  /** Path below the root of the repository. */
  readonly file: string;
}

/** Reads the lines that `test/support/requires.ts` wrote. */
export function readOmissions(lines: string): readonly Omission[] {
  return lines
    .split("\n")
    .filter((text) => text !== "")
    .map((line): Omission => JSON.parse(line));
}

/** Returns the pattern of `bun test -t` that matches the names of these tests and no other name. */
export function namePattern(tests: readonly Pick<Omission, "test">[]): string {
  const names = new Set(tests.map(({ test }) => test.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")));
  return `(?:^|\\s)(?:${[...names].join("|")})$`;
}

/** Reads `scripts/programs.txt`: the Debian package of each program that tests need. */
export function readPackages(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", line.split(" ")[1] ?? ""]));
}

/** Names the tests that failed beside the others and passed alone. */
export function flakyText(flaky: readonly FailedTest[]): string {
  const lines = flaky.map(({ text }) => `  ${text}`);
  return `Flaky: failed beside other tests, passed alone (output of the failure above):\n${lines.join("\n")}`;
}

const LINE_CHARACTERS_MAX = 2_000;

/** Cuts lines that nobody can read, such as a whole object in one line; the log file that is named has them whole. */
export function readable(output: string): string {
  return output
    .split("\n")
    .map((line) => {
      const more = line.length - LINE_CHARACTERS_MAX;
      return more <= 0 ? line : `${line.slice(0, LINE_CHARACTERS_MAX)} … (${more} more characters)`;
    })
    .join("\n");
}

/** Names what was left out, why, and what to install; also says that nothing was left out. */
export function omissionText(omissions: readonly Omission[], packages: ReadonlyMap<string, string>): string {
  if (omissions.length === 0) return "Nothing left out: every program that these tests need is on the PATH.";
  const groups = Map.groupBy(omissions, ({ program }) => program);
  return [...groups]
    .map(([program, tests]) => {
      const debian = packages.get(program);
      const remedy = debian === undefined ? "" : ` Install it (Debian: apt-get install ${debian}).`;
      return [
        `Left out, since the program '${program}' is not on the PATH.${remedy}`,
        ...tests.map(({ test }) => `  ${test}`),
      ].join("\n");
    })
    .join("\n\n");
}

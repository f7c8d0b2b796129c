/** What one run of the test runner came to. */
export interface TestReport {
  readonly passed: number;
  /** The file and full name of each test that failed. */
  readonly failures: readonly string[];
}

/** Reads the JUnit report that `bun test` writes; an empty text is a run without tests. */
export function readReport(xml: string): TestReport {
  let passed = 0;
  const failures: string[] = [];
  for (const [, attributes = "", selfClosed, body = ""] of xml.matchAll(CASE)) {
    if (selfClosed === undefined && /<failure\b/.test(body)) failures.push(fullName(attributes));
    else if (selfClosed !== undefined || !/<skipped\b/.test(body)) passed += 1;
  }
  return { passed, failures };
}

const CASE = /<testcase\b((?:\s+[\w-]+="[^"]*")*)\s*(?:(\/)>|>([\s\S]*?)<\/testcase>)/g;

function fullName(attributes: string): string {
  const group = attribute(attributes, "classname");
  return `${attribute(attributes, "file")}: ${group === "" ? "" : `${group} > `}${attribute(attributes, "name")}`;
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

/** One program that was missing and the tests that were left out for it. */
export interface Omission {
  readonly program: string;
  readonly tests: readonly string[];
}

/** Groups the lines that `test/support/requires.ts` wrote, by program, in order of first mention. */
export function readOmissions(lines: string): readonly Omission[] {
  const byProgram = new Map<string, string[]>();
  for (const line of lines.split("\n").filter((text) => text !== "")) {
    const { program, test }: { program: string; test: string } = JSON.parse(line);
    byProgram.set(program, [...(byProgram.get(program) ?? []), test]);
  }
  return [...byProgram].map(([program, tests]) => ({ program, tests }));
}

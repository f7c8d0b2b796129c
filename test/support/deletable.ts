import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { FEATURES } from "../../src/app/features.ts";
import { FEATURE_LIST, featureImports } from "./feature-imports.ts";
import { filesUnder, importsOf, isTest, ROOT, readSource } from "./source.ts";

/** Features that can be deleted: their folder and their line in `app/features.ts`, and then `npm run generate`. */
export const DELETABLE = [
  "agents-md",
  "checkpoints",
  "compaction",
  "diagnostics",
  "hooks",
  "limits",
  "mcp",
  "memory",
  "mentions",
  "notify",
  "plan-mode",
  "plugins",
  "profiles",
  "prompts",
  "skills",
  "subagents",
  "tasks",
  "telemetry",
] as const;

/** Tests of `src/` that fail without any feature: they repeat names of all features, or need a clone that is set up. */
export const OF_THE_WHOLE: readonly string[] = [
  "src/app/engine/served-features.test.ts", // events that are sent
  "src/app/explain/check-profile.test.ts", // names of tools in messages
  "src/credentials/store/key-store.test.ts", // starts the launcher of the clone
  "src/features/mcp/open.test.ts", // names of tools in messages
  "src/server/acp/acp.test.ts", // names of slash commands
];

const FOLDERS = ["src", "test", "scripts", "bench", "examples", "sdk", "docs"];
const FILES = ["cinch", "package.json", "tsconfig.json", "knip.jsonc"];
/** Large, and no source. */
const LEFT_OUT = /\/(?:test\/data|node_modules|dist|\.venv|__pycache__)(?:\/|$)/;

/** Returns the features that files outside them import, so that they cannot be deleted, sorted. */
export function neededFeatures(): readonly string[] {
  return [...new Set([...featureImports().values()].flat())].sort();
}

/** Returns the files of the program, tests and the feature not counted, that name one of its errors. */
export function errorsNamed(feature: string): readonly string[] {
  const folder = `src/features/${feature}/`;
  const reasons = reasonsOf(feature);
  const named = new RegExp(`"(?:${reasons.join("|")})"`);
  if (reasons.length === 0) return [];
  return filesUnder("src", "**/*.ts").filter(
    (file) => !isTest(file) && !file.startsWith(folder) && named.test(readSource(file)),
  );
}

function reasonsOf(feature: string): readonly string[] {
  const tables = filesUnder(`src/features/${feature}`, "**/errors.ts").map((file) => readSource(file));
  const names = tables.flatMap((text) =>
    [...text.matchAll(/^ {2}([A-Z]\w+):/gm)].map(([, name = ""]) => name),
  );
  return [...new Set(names)];
}

/** Copies the sources without some features: without their folders and their lines in `app/features.ts`. */
export function copyWithout(features: readonly string[], target: string): void {
  mkdirSync(target, { recursive: true });
  for (const folder of FOLDERS)
    cpSync(join(ROOT, folder), join(target, folder), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(path),
    });
  for (const file of FILES) cpSync(join(ROOT, file), join(target, file));
  symlinkSync(join(ROOT, "node_modules"), join(target, "node_modules"));
  for (const feature of features) {
    rmSync(join(target, "src/features", feature), { recursive: true });
    const list = join(target, FEATURE_LIST);
    const lines = readFileSync(list, "utf8").split("\n");
    const name = `${feature.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())}Feature`;
    writeFileSync(list, lines.filter((line) => !new RegExp(`\\b${name}\\b`).test(line)).join("\n"));
  }
}

/** Problems that a check printed; empty if it found none. */
export type Problems = readonly string[];

/** Generates what is made from the lists, and returns why that failed. */
export async function generate(copy: string): Promise<Problems> {
  return await run(copy, ["scripts/generate.ts"]);
}

/** Checks the types of the program without its tests. */
export async function checkTypes(copy: string): Promise<Problems> {
  const config = {
    extends: "./tsconfig.json",
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
    include: ["src"],
    exclude: ["src/**/*.test.ts"],
  };
  writeFileSync(join(copy, "tsconfig.rest.json"), JSON.stringify(config));
  return await run(copy, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.rest.json"]);
}

/** A file of `src/` or one of its exports that nothing uses any more. */
export interface Unused {
  readonly file: string;
  /** Name of the export; absent: the whole file. */
  readonly name?: string;
}

/**
 * Looks for files and exports of `src/` that nothing uses any more. Tests count as users, those of the features that
 * are gone too. A package or a test helper that only the feature used is removed with it, by hand.
 * @throws Error if the check itself fails.
 */
export async function findUnused(copy: string): Promise<readonly Unused[]> {
  const { output } = await bun(copy, [
    "node_modules/knip/bin/knip.js",
    "--no-progress",
    "--no-config-hints",
    "--include=files,exports,types,duplicates",
    "--reporter=json",
  ]);
  const { issues }: { readonly issues: readonly UnusedInFile[] } = JSON.parse(output);
  return issues
    .filter(({ file }) => file.startsWith("src/"))
    .flatMap(({ file, files, exports, types, duplicates }) => [
      ...(files.length > 0 ? [{ file }] : []),
      ...[...exports, ...types, ...duplicates.flat()].map(({ name }) => ({ file, name })),
    ]);
}

interface UnusedInFile {
  readonly file: string;
  readonly files: readonly unknown[];
  readonly exports: readonly { readonly name: string }[];
  readonly types: readonly { readonly name: string }[];
  readonly duplicates: readonly (readonly { readonly name: string }[])[];
}

/** Returns true if several features use something: it stays in use while only one of them is deleted. */
export function isShared({ file, name }: Unused): boolean {
  const features = new Set<string>();
  const seen = new Set([file]);
  const used = [{ file, name }];
  for (const one of used) {
    for (const [user, { source, imports }] of sources()) {
      if (!imports.includes(one.file)) continue;
      if (one.name !== undefined && !new RegExp(`\\b${one.name}\\b`).test(source)) continue;
      const [, feature] = /^src\/features\/([^/]+)\//.exec(user) ?? [];
      if (feature !== undefined) features.add(feature);
      else if (!seen.has(user)) used.push({ file: user, name: undefined });
      seen.add(user);
    }
  }
  return features.size > 1;
}

/** Returns the sources of the program, each with the files that it imports. */
const sources = lazy(() => {
  const files = filesUnder("src", "**/*.ts").filter((file) => !isTest(file) && file !== FEATURE_LIST);
  return files.map((file) => {
    const source = readSource(file);
    const imports = importsOf(source).map(({ specifier = "" }) => posix.join(posix.dirname(file), specifier));
    return [file, { source, imports }] as const;
  });
});

function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns the test files of `src/` that a deleted feature leaves: those that reach no file of it by their imports and
 * name neither it nor one of its tools, slash commands, settings and errors. A test that names one is about the
 * feature, too.
 */
export function remainingTests(feature: string): readonly string[] {
  const folder = `src/features/${feature}/`;
  const named = wordsOf(feature);
  const tests = filesUnder("src", "**/*.test.ts").filter(
    (file) => !file.startsWith(folder) && !OF_THE_WHOLE.includes(file) && !named.test(readSource(file)),
  );
  return tests.filter((file) => !reaches(file, (each) => each.startsWith(folder)));
}

/** Runs test files in a copy, and returns what failed. */
export async function runTests(copy: string, files: readonly string[]): Promise<Problems> {
  const lines = await run(copy, ["test", "--timeout=300000", ...files.map((file) => `./${file}`)]);
  return lines.filter((line) => /^\(fail\)|^error:/.test(line));
}

function wordsOf(name: string): RegExp {
  const { tools = [], commands = [], config = [] } = FEATURES.find((each) => each.name === name) ?? {};
  const words = [
    ...tools.map((tool) => `\\b${tool.name}\\b`),
    ...commands.map((command) => `/${command.name}\\b`),
    ...config.flatMap((section) =>
      section.shape === "part"
        ? Object.entries(section.keys).flatMap(([property, { key }]) => [`\\b${property}\\b`, `\\b${key}\\b`])
        : `\\[+${section.name}\\b`,
    ),
    ...reasonsOf(name).map((reason) => `\\b${reason}\\b`),
    `cinch ${name}\\b`,
    `features/${name}\\b`,
  ];
  return new RegExp(words.join("|"));
}

/** Returns true if a file imports one that matches, directly or through files outside `app/features.ts`. */
function reaches(start: string, matches: (file: string) => boolean): boolean {
  const seen = new Set<string>();
  const files = [start];
  for (const file of files) {
    if (matches(file)) return true;
    if (seen.has(file) || file === FEATURE_LIST || !file.endsWith(".ts") || !existsSync(join(ROOT, file)))
      continue;
    seen.add(file);
    for (const { specifier = "" } of importsOf(readSource(file)))
      if (specifier.startsWith(".")) files.push(posix.join(posix.dirname(file), specifier));
  }
  return false;
}

async function run(cwd: string, argv: readonly string[]): Promise<Problems> {
  const { output, code } = await bun(cwd, argv);
  return code === 0 ? [] : output.split("\n").filter((line) => line.trim() !== "");
}

async function bun(cwd: string, argv: readonly string[]) {
  const child = Bun.spawn(
    [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", ...argv],
    {
      cwd,
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { output: `${stdout}${stderr}`, code };
}

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { FEATURES } from "../../src/app/features.ts";
import type { DeclaredSection } from "../../src/session/config-section.ts";
import type { TrustLayout } from "../../src/session/guard/trust.ts";
import { FEATURE_LIST, featureImports } from "./feature-imports.ts";
import { filesUnder, importsOf, isTest, ROOT, readSource } from "./source.ts";

/** Features that can be deleted: their folder and their line in `app/features.ts`, and then `npm run generate`. */
export const DELETABLE = [
  "agents-md",
  "attachments",
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
  "workspace-status",
] as const;

/** Tests of `src/` that fail without any feature: they repeat names of all features, or need a clone that is set up. */
export const OF_THE_WHOLE: readonly string[] = [
  "src/app/engine/served-features.test.ts", // events that are sent
  "src/app/explain/check-profile.test.ts", // names of tools in messages
  "src/credentials/store/key-store.test.ts", // starts the launcher of the clone
  "src/features/mcp/open.test.ts", // names of tools in messages
  "src/server/acp/acp.test.ts", // names of slash commands
];

/** Features, each with tests that fail without it and name nothing of it. */
export const NEEDED_UNNAMED: Readonly<Partial<Record<(typeof DELETABLE)[number], readonly string[]>>> = {
  "agents-md": [
    // Its text is the system text of a session.
    "src/app/harness.test.ts",
    "src/client/slash/commands/profiles.test.ts",
    "src/features/profiles/switching.test.ts",
    "src/features/subagents/open-delegate.test.ts", // and counts as spent
  ],
  checkpoints: [
    "src/features/subagents/open-agents.test.ts", // what a sub-agent changed is set back
  ],
  compaction: [
    "src/app/explain/effective-keys.test.ts", // a table of the settings
    "src/app/plan/feature-set.test.ts", // features of a program
    // It makes the summary that a session takes along under another profile.
    "src/client/slash/commands/profiles.test.ts",
    "src/features/profiles/switching.test.ts",
  ],
  limits: [
    "src/app/library/facade.test.ts", // caps and costs of a program's engine
    "src/app/plan/feature-set.test.ts", // features of a program
    "src/app/plan/session-wishes.test.ts", // caps of an agent's session
    // Caps of sub-agents and tasks.
    "src/features/subagents/open-agents.test.ts",
    "src/features/subagents/open-delegate.test.ts",
  ],
  mentions: [
    "src/client/slash/commands/profiles.test.ts", // files that a person names in a prompt, after a switch
  ],
  plugins: [
    "src/app/engine/engine-port.test.ts", // a provider of a plugin
    "src/app/library/embedded-engine/deaf-provider.test.ts", // a hook of a program
    "src/app/library/facade.test.ts", // middleware and tools of a program
    "src/app/plan/feature-set.test.ts", // features of a program
  ],
};

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

/** Profiles that stand in the program. */
const PROFILES = "src/config/profiles";

/**
 * Copies the sources without some features: without their folders, their lines in `app/features.ts`, and their settings
 * in the profiles of the program.
 */
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
    for (const file of filesUnder(PROFILES, "*.toml")) {
      const path = join(target, file);
      writeFileSync(path, withoutSections(readFileSync(path, "utf8"), sectionsOf(feature)));
    }
  }
}

function sectionsOf(feature: string): readonly DeclaredSection[] {
  return FEATURES.find(({ name }) => name === feature)?.config ?? [];
}

/**
 * Takes sections out of a TOML text: tables, each with what follows up to the next one, and above all tables the keys
 * of a part, and the empty list that stands for a table.
 */
function withoutSections(text: string, sections: readonly DeclaredSection[]): string {
  const names = sections.filter(({ shape }) => shape !== "part").map(({ name }) => name);
  const keys = sections.flatMap((section) =>
    section.shape === "part" ? Object.values(section.keys).map(({ key }) => key) : [section.name],
  );
  const [top = "", ...tables] = text.split(/^(?=\[)/m);
  const rest = keys.reduce((kept, key) => kept.replace(new RegExp(`^${key} = .*\n`, "m"), ""), top);
  return [
    rest,
    ...tables.filter((table) => !names.some((name) => new RegExp(`^\\[+${name}[\\].]`).test(table))),
  ].join("");
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
 * name neither it nor one of its tools, slash commands, settings, errors and files that a person acknowledges. A test
 * that names one is about the feature, too; so are those of `NEEDED_UNNAMED`.
 */
export function remainingTests(feature: (typeof DELETABLE)[number]): readonly string[] {
  const folder = `src/features/${feature}/`;
  const named = wordsOf(feature);
  const others = [...OF_THE_WHOLE, ...(NEEDED_UNNAMED[feature] ?? [])];
  const tests = filesUnder("src", "**/*.test.ts").filter(
    (file) => !file.startsWith(folder) && !others.includes(file) && !named.test(readSource(file)),
  );
  return tests.filter((file) => !reaches(file, (each) => each.startsWith(folder)));
}

/** Result of some test files in a copy. */
export interface TestsInCopy {
  readonly passed: number;
  /** The file and name of each test that failed, and errors outside of tests. */
  readonly failed: Problems;
}

/** Runs test files in a copy. */
export async function runTests(copy: string, files: readonly string[]): Promise<TestsInCopy> {
  const { output, code } = await bun(copy, ["test", "--timeout=300000", ...files.map((file) => `./${file}`)]);
  const failed = new Set<string>();
  let passed = 0;
  let file = "";
  for (const line of output.split("\n")) {
    const [, header] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    if (/^\d+ tests? failed:$/.test(line)) break; // all of them again
    if (header !== undefined) file = header;
    else if (line.startsWith("(pass) ")) passed += 1;
    else if (line.startsWith("(fail) ") || line.startsWith("# Unhandled error"))
      failed.add(`${file}: ${line.replace(/ \[[\d.]+m?s\]$/, "")}`);
  }
  if (code !== 0 && failed.size === 0) failed.add(`the run ended with code ${code}: ${output.slice(-2_000)}`);
  return { passed, failed: [...failed] };
}

function wordsOf(name: string): RegExp {
  const { tools = [], commands = [], config = [], trust } = FEATURES.find((each) => each.name === name) ?? {};
  const words = [
    ...tools.map((tool) => `\\b${tool.name}\\b`),
    ...commands.map((command) => `/${command.name}\\b`),
    ...config.flatMap((section) =>
      section.shape === "part"
        ? Object.entries(section.keys).flatMap(([property, { key }]) => [`\\b${property}\\b`, `\\b${key}\\b`])
        : `\\[+${section.name}\\b`,
    ),
    ...(trust?.layouts ?? []).filter((layout) => layout.in === "project").map(fileWord),
    ...reasonsOf(name).map((reason) => `\\b${reason}\\b`),
    `cinch ${name}\\b`,
    `features/${name}\\b`,
  ];
  return new RegExp(words.join("|"));
}

/** Returns the pattern of a path below a folder of its own, or of a file beside those of other features. */
function fileWord({ folder, names }: TrustLayout): string {
  const path = folder.replaceAll(".", "\\.");
  if (folder.includes("/") || !(names instanceof RegExp)) return `${path}\\b`;
  return `${path}/${names.source.replace(/^\^/, "").replace(/\$$/, "\\b")}`;
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

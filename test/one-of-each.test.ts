import { expect, test } from "bun:test";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { COMMAND_KINDS } from "../src/protocol/kinds.ts";
import { codeOf, filesUnder, isTest, readSource } from "./support/source.ts";

/**
 * Ratchets: what should exist once. Every number here may only fall, and whoever removes one lowers its number in the
 * same commit.
 */
const FILES = filesUnder("src", "**/*.{ts,tsx}").filter(
  (file) => !isTest(file) && !file.endsWith(".d.ts") && !file.startsWith("src/cli/commands/demo/project/"),
);
const CODE = new Map(FILES.map((file) => [file, codeOf(readSource(file))]));

/** Every tool that cinch itself has, apart from those whose names are kinds of commands too. */
const TOOL_NAMES: ReadonlySet<string> = new Set(
  TOOLS.all.map(({ name }) => name).filter((name) => !(COMMAND_KINDS as readonly string[]).includes(name)),
);

/** Files that declare tools and the facts about them. */
const DECLARES_TOOLS = /^src\/tools\/|^src\/features\/[\w-]+\/tools(?:\.ts$|\/)/;

/**
 * Words that only look like the name of a tool: nodes of a syntax tree, and the title of a resource. And the scripted
 * model of the preset `conformance`, which calls tools as a model does.
 */
const OTHER_WORDS: readonly (readonly [file: RegExp, word: string])[] = [
  [/^src\/shell\/syntax\//, "Glob"],
  [/^src\/protocol\/queries\/engine-queries\.ts$/, "Skill"],
  [/^src\/providers\/conformance\/conformance\.ts$/, "TodoWrite"],
  [/^src\/providers\/conformance\/conformance\.ts$/, "Ls"],
];

test("[TOOL-06] a tool is named only where it is declared", () => {
  const found = [...CODE].flatMap(([file, { strings }]) => {
    const words = OTHER_WORDS.filter(([place]) => place.test(file)).map(([, word]) => word);
    const named = strings.filter((text) => TOOL_NAMES.has(text) && !words.includes(text));
    return DECLARES_TOOLS.test(file) ? [] : named.map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
  const stale = OTHER_WORDS.filter(
    ([place, word]) => ![...CODE].some(([file, { strings }]) => place.test(file) && strings.includes(word)),
  );
  expect(stale).toEqual([]);
  expect(OTHER_WORDS.filter(([, word]) => !TOOL_NAMES.has(word))).toEqual([]);
});

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|interface|type|function\*?) ([\w$]+)/gm;

/** Names that several files export by convention, each with the convention. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  ERRORS: "each module's table of error texts, which `scripts/reasons.ts` joins by this name",
  REFUSALS: "each module's own table of refusals, which `scripts/reasons.ts` joins by this name",
  run: "the code of a subcommand, which its `command.ts` imports when it is called",
  examine: "a doctor check of a feature, which its manifest imports when it is called",
};

/** The package under another runtime: exports the package's names, each of which throws. */
const MIRROR = "src/unsupported-runtime.ts";

test("[DOC-01] an exported name has one meaning", () => {
  const files = new Map<string, readonly string[]>();
  for (const [file, { text }] of CODE) {
    if (file === MIRROR) continue;
    for (const name of new Set([...text.matchAll(EXPORTED)].map(([, each = ""]) => each)))
      files.set(name, [...(files.get(name) ?? []), file]);
  }
  const shared = [...files].filter(([, { length }]) => length > 1);
  const others = shared.filter(([name]) => !Object.hasOwn(SHARED_NAMES, name));
  const shown = others.map(([name, places]) => `${name}: ${places.join(" ")}`);
  expect(shown).toEqual([]);
  expect(Object.keys(SHARED_NAMES).filter((name) => !shared.some(([each]) => each === name))).toEqual([]);
});

/**
 * The only files that name the features of the program, with the name that each imports. All others are given the
 * set of their engine, so that two sets cannot meet in one program.
 */
const COMPOSITION_ROOTS: readonly string[] = [
  "src/app/library/embedded-engine/engine-settings.ts: FEATURES",
  "src/app/plan/feature-set.ts: FEATURES SECTIONS TOOLS",
  "src/app/plan/sections.ts: FEATURES",
  "src/app/plan/tool-list.ts: FEATURES",
  "src/app/slash/slash-commands.ts: FEATURES",
  "src/cli/commands/ack/run.ts: FEATURES PROGRAM_FEATURES",
  "src/cli/commands/commands.ts: FEATURES",
  "src/cli/commands/creds/creds-rotate.ts: PROGRAM_FEATURES",
  "src/cli/commands/creds/creds-server.ts: FEATURES",
  "src/cli/commands/line/notice-ways.ts: FEATURES",
  "src/cli/commands/permissions/run.ts: TOOLS",
  "src/cli/context.ts: FEATURES PROGRAM_FEATURES",
  "src/cli/io/code-channels.ts: FEATURES",
  "src/cli/process-context.ts: PROGRAM_FEATURES",
  "src/cli/secrets.ts: PROGRAM_FEATURES",
];

const FEATURE_LISTS = [
  ["FEATURES", "/features.ts"],
  ["PROGRAM_FEATURES", "/feature-set.ts"],
  ["SECTIONS", "/sections.ts"],
  ["TOOLS", "/tool-list.ts"],
] as const;

test("[LIB-10 PROF-01] only composition roots name the features of the program; everything else is given a set", () => {
  const found = [...CODE].flatMap(([file, { text }]) => {
    const source = readSource(file);
    const names = FEATURE_LISTS.filter(
      ([name, path]) => new RegExp(`\\b${name}\\b`).test(text) && source.includes(path),
    ).map(([name]) => name);
    return names.length === 0 ? [] : [`${file}: ${names.join(" ")}`];
  });
  expect(found).toEqual([...COMPOSITION_ROOTS]);
});

/**
 * Functions that read or make what a session's plan is made of, and the number of files that call each outside the
 * file that declares it. The owners are `userConfig`, `settingsUnder` and `judgeFilesBy` in `app/plan`; a policy is
 * made by `policyAt`.
 */
const CALLERS: Readonly<Record<string, number>> = {
  loadConfig: 1,
  userConfig: 6,
  configuredProviders: 5,
  openProfile: 1,
  loadProfile: 2,
  listProfiles: 1,
  profilesOf: 5,
  namedProfile: 3,
  openSettings: 4,
  settingsUnder: 3,
  judgeItems: 1,
  policyFrom: 0,
  policyAt: 1,
};

test("[PROF-01] configuration, profile, trust and policy are read by one planner", () => {
  for (const [name, count] of Object.entries(CALLERS)) {
    expect(
      FILES.filter((file) => CODE.get(file)?.text.includes(`function ${name}(`)),
      name,
    ).toHaveLength(1);
    const files = [...CODE].filter(([, { text }]) => isCaller(text, name)).map(([file]) => file);
    expect(files.length, `${name}: ${files.join(", ")}`).toBe(count);
  }
});

function isCaller(code: string, name: string): boolean {
  return new RegExp(`(?<![.\\w$])(?<!function )${name}\\(`).test(code) && !code.includes(`function ${name}(`);
}

const FUNCTION_LINES_MAX = 80;

/** Functions that are longer, with the most lines that each may have. A length may only fall. */
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  "src/guard/sandbox/bubblewrap/bubblewrap.ts bubblewrap": 107,
  "src/guard/sandbox/repository/repository-scan.ts repositoryScan": 103,
  "src/view/session/session-view.ts ownAfter": 90,
};

const FUNCTION_HEAD =
  /^( {0,2})(?:export )?(?:static )?(?:async )?(?:function\*? )?\*?(?!if\b|for\b|while\b|switch\b|return\b)(#?[\w$]+)[(<]/;

/** Returns true for a line that closes a function with this indentation, or stands further out. */
function leaves(line: string, indent: string): boolean {
  return line === `${indent}}` || line.search(/\S/) < indent.length;
}

/** Returns the functions and methods of formatted code, with their lines from head to closing brace. */
function functionLengths(code: string): ReadonlyMap<string, number> {
  const lines = code.split("\n");
  const found = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    const [, indent = "", name] = FUNCTION_HEAD.exec(line) ?? [];
    if (name === undefined || (indent === "" && !line.includes("function"))) continue;
    const end = lines.findIndex((each, index) => index > at && /\S/.test(each) && leaves(each, indent));
    if (lines[end] === `${indent}}`) found.set(name, Math.max(found.get(name) ?? 0, end - at + 1));
  }
  return found;
}

test("[DOC-01] no other function is longer than 80 lines, and those that are do not grow", () => {
  const long = new Map<string, number>();
  for (const [file, { text }] of CODE)
    for (const [name, lines] of functionLengths(text))
      if (lines > FUNCTION_LINES_MAX) long.set(`${file} ${name}`, lines);
  expect([...long.keys()].sort()).toEqual(Object.keys(LONG_FUNCTIONS).sort());
  expect([...long].filter(([name, lines]) => lines > (LONG_FUNCTIONS[name] ?? 0))).toEqual([]);
  const sample = `export function long(\n  a: string,\n): void {\n${"  act();\n".repeat(80)}}\n`;
  expect([...functionLengths(sample)]).toEqual([["long", 84]]);
});

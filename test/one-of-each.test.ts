import { expect, test } from "bun:test";
import { codeOf, filesUnder, isTest, readSource } from "./support/source.ts";

/**
 * Ratchets: what should exist once. Every number here may only fall, and whoever removes one lowers its number in the same commit.
 */
const FILES = filesUnder("src", "**/*.{ts,tsx}").filter(
  (file) => !isTest(file) && !file.endsWith(".d.ts") && !file.startsWith("src/cli/commands/demo/project/"),
);
const CODE = new Map(FILES.map((file) => [file, codeOf(readSource(file))]));

/** Every tool that cinch itself has, apart from `EnterPlanMode` and `ExitPlanMode`, which are kinds of commands too. */
const TOOL_NAMES: ReadonlySet<string> = new Set(
  `Read Write Edit MultiEdit Ls Glob Grep Bash BashTask WebFetch TodoWrite ToolSearch CallTool MemoryRead MemoryWrite
  MemoryForget Skill SkillWrite Agent Delegate ScheduleTask ListMcpResources ReadMcpResource`.split(/\s+/),
);

/** Files that declare tools and the facts about them. */
const DECLARES_TOOLS = /^src\/tools\/|^src\/features\/[\w-]+\/tools(?:\.ts$|\/)/;

/**
 * Words that only look like the name of a tool: nodes of a syntax tree, and the title of a resource. And the scripted model
 * of the preset `conformance`, which calls tools as a model does.
 */
const OTHER_WORDS: readonly (readonly [file: RegExp, word: string])[] = [
  [/^src\/shell\/syntax\//, "Glob"],
  [/^src\/protocol\/queries\/engine-queries\.ts$/, "Skill"],
  [/^src\/providers\/conformance\/conformance\.ts$/, "TodoWrite"],
  [/^src\/providers\/conformance\/conformance\.ts$/, "Ls"],
];

const TOOL_LITERALS_MAX = 0;

test("[TOOL-06] a tool is named only where it is declared", () => {
  const found = [...CODE].flatMap(([file, { strings }]) => {
    const words = OTHER_WORDS.filter(([place]) => place.test(file)).map(([, word]) => word);
    const named = strings.filter((text) => TOOL_NAMES.has(text) && !words.includes(text));
    return DECLARES_TOOLS.test(file) ? [] : named.map((name) => `${file}: ${name}`);
  });
  expect(found.slice(TOOL_LITERALS_MAX), `of ${found.length}: ${found.join(", ")}`).toEqual([]);
});

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|interface|type|function\*?) ([\w$]+)/gm;

/** Names that several files export by convention, each with the convention. At most `SHARED_NAMES_MAX`. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  ERRORS: "each module's table of error texts, which `scripts/reasons.ts` joins by this name",
  REFUSALS: "each module's own table of refusals, which `scripts/reasons.ts` joins by this name",
  run: "the code of a subcommand, which its `command.ts` imports when it is called",
  examine: "a doctor check of a feature, which its manifest imports when it is called",
};
const SHARED_NAMES_MAX = 20;

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
  expect(Object.keys(SHARED_NAMES).length).toBeLessThanOrEqual(SHARED_NAMES_MAX);
});

/**
 * Files that call what makes up a session's plan, outside the file that declares it. Each is the planner: `userConfig`,
 * `settingsUnder` and `judgeFilesBy` in `app/plan`. A policy is made by `policyAt` beside `policyFrom`.
 */
const CALLERS_MAX: Readonly<Record<string, number>> = {
  loadConfig: 1,
  openProfile: 1,
  judgeItems: 1,
  policyFrom: 0,
};

test("[PROF-01] configuration, profile, trust and policy are read by one planner", () => {
  for (const [name, most] of Object.entries(CALLERS_MAX)) {
    const files = [...CODE].filter(([, { text }]) => isCaller(text, name)).map(([file]) => file);
    expect(files.slice(most), `${name} is called in ${files.length}: ${files.join(", ")}`).toEqual([]);
  }
});

function isCaller(code: string, name: string): boolean {
  return new RegExp(`(?<![.\\w$])(?<!function )${name}\\(`).test(code) && !code.includes(`function ${name}(`);
}

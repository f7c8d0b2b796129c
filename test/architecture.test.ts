import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { layerOf, moduleOf } from "./support/layers.ts";
import { filesUnder, isTest, ROOT, readSource } from "./support/source.ts";

const PAGE = "docs/architecture.md";
const TEXT = readSource(PAGE);

/** Returns every module of `src/` that holds code. */
function modules(): readonly string[] {
  const files = filesUnder("src", "**/*.ts").filter(
    (file) => !isTest(file) && !file.includes("/demo/project/"),
  );
  return [...new Set(files.map((file) => moduleOf(file.slice("src/".length)) ?? file))].sort();
}

test("[DOC-01] the map names every module that holds code, on its layer, and no other", () => {
  const named = new Map<string, number>();
  for (const section of TEXT.split(/^### Layer /m).slice(1)) {
    const [own = ""] = section.split(/^## /m);
    for (const [, module = ""] of own.matchAll(/\*\*`([\w/-]+)\/`\*\*/g))
      named.set(module, Number.parseInt(own, 10));
  }
  const expected = modules().map((module) => [module, Math.floor(layerOf(module))]);
  expect([...named].sort()).toEqual(expected as [string, number][]);
});

/** Words of the shortest sentence that says something of a folder. */
const WORDS_MIN = 2;

/** Folders of subcommands. Each says what it is in its `command.ts`, from which `docs/command-line.md` is made. */
const SUBCOMMANDS = new Set(
  ["cli/commands/*/command.ts", "features/*/cli/command.ts"]
    .flatMap((files) => filesUnder("src", files))
    .map((file) => file.split("/").slice(1, -1).join("/")),
);

test("[DOC-01] every folder that holds code has one sentence in the map, and no other folder has", () => {
  const layers =
    TEXT.split(/^### Layer /m)
      .slice(1)
      .join("")
      .split(/^## /m)[0] ?? "";
  const entries = layers.matchAll(/^(?:\*\*`([\w/-]+)\/`\*\*|- `([\w/-]+)\/`) ([\s\S]*?\.)(?=\s|$)/gm);
  const said = [...entries].map(([, module, folder, words = ""]) => ({
    folder: module ?? folder ?? "",
    words,
  }));
  const dull = said.filter(({ words }) => words.split(/\s+/).length < WORDS_MIN);
  expect(dull).toEqual([]);
  const folders = filesUnder("src", "**/*.ts")
    .filter((file) => !isTest(file) && !file.includes("/demo/project/"))
    .map((file) => file.split("/").slice(1, -1).join("/"));
  const wanted = new Set([
    ...folders.filter((folder) => folder !== "" && !SUBCOMMANDS.has(folder)),
    ...modules(),
  ]);
  expect(said.map(({ folder }) => folder).sort()).toEqual([...wanted].sort());
});

test("[DOC-01] the map begins with the way of a prompt down and of an event up, both drawn", () => {
  const [first = "", second = ""] = TEXT.split(/^## /m).slice(1);
  for (const [title, section] of [
    ["A prompt on its way down", first],
    ["An event on its way up", second],
  ]) {
    expect(section).toStartWith(title ?? "");
    expect(section).toContain("```text");
  }
  const steps = [...first.matchAll(/^ (\d) {2}\S/gm)].map(([, step]) => Number(step));
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("[DOC-01] every file that a page names exists", () => {
  const pages = ["architecture", "agent-loop", "tools", "configuration", "design"].map(
    (name) => `docs/${name}.md`,
  );
  const decisions = filesUnder("docs/decisions", "*.md");
  const missing = ["README.md", ...pages, ...decisions].flatMap((page) =>
    [...readSource(page).matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|toml|sh))`/g)]
      .map(([, file = ""]) => file)
      .filter((file) => !/^(?:config|bunfig|\w*NAME(?:\.rules)?)\.toml$|^\.cinch\//.test(file))
      .filter((file) => ![`src/${file}`, file].some((path) => existsSync(join(ROOT, path))))
      .map((file) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["Tool", "src/tools/middleware.ts"],
  ["Request", "src/providers/middleware.ts"],
])("[DOC-01 ENG-07] the order of %s middleware is the normative one of its contract", (name, file) => {
  const words = (text: string) => text.replaceAll(/[\s*]+/g, " ").trim();
  const page = new RegExp(`^${name}: ([^.]+)\\.$`, "m").exec(TEXT)?.[1];
  const contract = /Order in a harness, normative: ([^.]+)\./.exec(readSource(file))?.[1];
  expect(words(page ?? "")).toBe(words(contract ?? "(none)"));
});

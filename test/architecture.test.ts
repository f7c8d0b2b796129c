import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { filesUnder, ROOT, readSource } from "./support/source.ts";

const PAGE = "docs/architecture.md";
const TEXT = readSource(PAGE);

test("[DOC-01] the map names folders of src", () => {
  const named = [...TEXT.matchAll(/^\*\*`([\w/-]+)\/`\*\*/gm)].map(([, folder = ""]) => folder);
  expect(named.length).toBeGreaterThan(10);
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

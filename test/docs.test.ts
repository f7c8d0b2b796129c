import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { blocksOf, documents } from "./support/documents.ts";
import { filesUnder, isTest, ROOT, readSource } from "./support/source.ts";

const BLOCKS = documents().flatMap((file) => blocksOf(file, readSource(file)));

function blocks(language: string) {
  return BLOCKS.filter((block) => block.language === language);
}

describe("[DOC-01] what stands in a document", () => {
  test("shell blocks are shell, and their npm scripts exist", () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(readSource("package.json"));
    for (const { place, text } of blocks("sh")) {
      const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", "-n", "-c", text]);
      expect({ place, exitCode, stderr: stderr.toString() }).toEqual({ place, exitCode: 0, stderr: "" });
      for (const [, name = ""] of text.matchAll(/\bnpm run (?:--?[\w-]+ )*([\w:]+)/g)) {
        expect({ place, name, known: name in scripts }).toEqual({ place, name, known: true });
      }
    }
  });

  test("TOML and JSON blocks parse", () => {
    for (const { place, text } of blocks("toml")) expect({ place, parsed: parseToml(text) }).toBeObject();
    for (const { place, text } of blocks("json")) expect({ place, parsed: JSON.parse(text) }).toBeObject();
    for (const { text } of blocks("jsonl")) for (const line of text.trim().split("\n")) JSON.parse(line);
  });

  test("TypeScript blocks type-check against the library", () => {
    const found = blocks("ts");
    if (found.length === 0) return;
    const cache = join(ROOT, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "docs-"));
    try {
      for (const [at, { text }] of found.entries())
        writeFileSync(join(folder, `block-${at}.ts`), `${text}\nexport {};\n`);
      const compilerOptions = {
        incremental: false,
        tsBuildInfoFile: null,
        paths: {
          cinch: [join(ROOT, "src/index.ts")],
          "cinch/engine": [join(ROOT, "src/engine.ts")],
        },
      };
      const config = {
        extends: join(ROOT, "tsconfig.json"),
        compilerOptions,
        include: ["*.ts", join(ROOT, "src/**/*.d.ts")],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const tsc = [process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder];
      const { stdout } = Bun.spawnSync(tsc, { cwd: folder });
      const places = found.map(({ place }, at) => `block-${at}.ts is ${place}`).join("\n");
      expect(`${stdout.toString()}${stdout.length > 0 ? places : ""}`).toBe("");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 300_000);

  test("links between documents lead somewhere", () => {
    const files = new Set([...documents(), ...filesUnder("docs", "**/*"), "LICENSE"]);
    const broken = documents().flatMap((file) =>
      [...readSource(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, target = ""]) => join(file, "..", target))
        .filter((target) => !files.has(target) && !Bun.file(join(ROOT, target)).size)
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

test("every requirement that a test names is a row of docs/requirements.md", () => {
  const rows = new Set(
    [...readSource("docs/requirements.md").matchAll(/^\| ([A-Z]+\d?-\d+) \|/gm)].map(([, id]) => id),
  );
  expect(rows.size).toBeGreaterThan(200);
  const unknown = ["src", "test", "scripts", "bench"].flatMap((folder) =>
    filesUnder(folder, "**/*.ts")
      .filter((file) => isTest(file) || file.startsWith("test/contracts/"))
      .flatMap((file) =>
        [...readSource(file).matchAll(/["'`]\[([A-Z]+\d?-?\d+(?: [A-Z]+\d?-?\d+)*)\] /g)]
          .flatMap(([, ids = ""]) => ids.split(" "))
          .filter((id) => !rows.has(id) && !/^[SRP]\d+$/.test(id))
          .map((id) => `${file}: ${id}`),
      ),
  );
  expect(unknown).toEqual([]);
});

/** Rows that are not done yet whose tests cover what works today. */
const DONE_IN_PART: readonly string[] = ["CTL-20", "TUI-09"];

/** Returns the ids in the first column of the table of rows that are not done yet. */
function notDoneYet(page: string): ReadonlySet<string> {
  const table = page.split("\n## ").find((section) => section.startsWith("Not done yet\n")) ?? "";
  const cells = [...table.matchAll(/^\| ((?:[A-Z]+\d?-\d+ ?)+)\|/gm)];
  return new Set(cells.flatMap(([, ids = ""]) => ids.trim().split(" ")));
}

test("every row of docs/requirements.md is named by a test or stands as not done yet, and never both", () => {
  const page = readSource("docs/requirements.md");
  const missing = notDoneYet(page);
  const list = page.slice(page.indexOf("\n## Sources\n"));
  const rows = [...list.matchAll(/^\| ([A-Z]+\d?-\d+) \|/gm)].map(([, id = ""]) => id);
  const tests = ["src", "test", "scripts", "bench"]
    .flatMap((folder) => filesUnder(folder, "**/*.ts"))
    .filter((file) => isTest(file) || file.startsWith("test/"));
  const named = new Set(
    tests.flatMap((file) =>
      [...readSource(file).matchAll(/["'`]\[((?:[A-Z]+\d?-?\d+ ?)+)\] /g)].flatMap(([, ids = ""]) =>
        ids.split(" "),
      ),
    ),
  );
  expect(rows.filter((id) => !named.has(id) && !missing.has(id))).toEqual([]);
  expect([...missing].filter((id) => named.has(id) || !rows.includes(id))).toEqual([...DONE_IN_PART]);
});

test("[DOC-01] every file and folder of the sources that a document names exists", () => {
  const roots = readdirSync(join(ROOT, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const inSource = new RegExp(
    `\`((?:${roots.join("|")})/[\\w./-]+\\.ts|(?:${roots.join("|")})/(?:[\\w.-]+/)+)\``,
    "g",
  );
  const inRoot = /`((?:src|test|scripts|docs|bench|sdk|examples|\.ci)\/[\w./-]+)`/g;
  const missing = documents().flatMap((file) => {
    const text = readSource(file);
    const paths = [
      ...[...text.matchAll(inRoot)].map(([, path = ""]) => path),
      ...[...text.matchAll(inSource)].map(([, path = ""]) => `src/${path}`),
    ];
    return paths
      .filter((path) => !existsSync(join(ROOT, path)) && path !== SKILLS_OWN)
      .map((path) => `${file}: ${path}`);
  });
  expect(missing).toEqual([]);
});

/** A file of the skill that docs/skills.md shows as an example. */
const SKILLS_OWN = "scripts/collect.sh";

test("the table of dependencies is what package.json pins and what is installed", () => {
  const { dependencies, devDependencies } = JSON.parse(readSource("package.json"));
  const pinned = Object.entries<string>({ ...dependencies, ...devDependencies });
  const listed = [
    ...readSource("docs/dependencies.md").matchAll(/^\| `([^`]+)` \| (\S+) \| ([^|]+) \| \S/gm),
  ];
  const installed = pinned.map(([name, version]) => {
    const { license } = JSON.parse(readSource(`node_modules/${name}/package.json`));
    return `${name} ${version} ${license}`;
  });
  expect(listed.map(([, name, version, licence]) => `${name} ${version} ${licence}`).sort()).toEqual(
    installed.sort(),
  );
  expect(pinned.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

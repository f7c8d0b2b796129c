import { expect, test } from "bun:test";
import { posix } from "node:path";
import {
  BLOCKING_BANS,
  broken,
  MODULE_BANS,
  PATH_BANS,
  SOURCE_BANS,
  TEST_BANS,
  TEXT_BANS,
} from "./support/bans.ts";
import { requireProgram } from "./support/requires.ts";
import { codeOf, filesUnder, importsOf, isTest, ROOT, readSource } from "./support/source.ts";

const TYPESCRIPT = ["src", "test", "scripts", "bench", "examples", "sdk"].flatMap((folder) =>
  filesUnder(folder, "**/*.ts"),
);
const OURS = TYPESCRIPT.filter((file) => !/^test\/data\/|\/demo\/project\//.test(file));
const SOURCES = OURS.filter((file) => file.startsWith("src/") && !isTest(file) && !file.endsWith(".d.ts"));

test("only host/ reaches for the clock, chance, the network and processes, and only cli/ for the environment", () => {
  expect(SOURCES.flatMap((file) => broken(file, codeOf(readSource(file)).text, SOURCE_BANS))).toEqual([]);
  const modules = SOURCES.flatMap((file) =>
    importsOf(readSource(file)).flatMap(({ specifier }) => broken(file, specifier ?? "", MODULE_BANS)),
  );
  expect(modules).toEqual([]);
});

test("[PERM-02] no path is compared by its first characters", () => {
  expect(SOURCES.flatMap((file) => broken(file, readSource(file), PATH_BANS))).toEqual([]);
  const caught = (code: string, file = "src/x.ts") => broken(file, code, PATH_BANS).length;
  expect(caught("path.startsWith(`${root}/`)")).toBe(1);
  expect(caught("home?.startsWith(`${this.#root}/`)")).toBe(1);
  expect(caught("path.startsWith(`${await files.realpath(root)}/`)")).toBe(1);
  expect(caught('path.startsWith(root + "/")')).toBe(1);
  expect(caught("path.startsWith(root === sep ? sep : root + sep)")).toBe(1);
  expect(caught("store.startsWith(folder)")).toBe(1);
  expect(caught("path.startsWith(this.#parts.root, 1)")).toBe(1);
  expect(caught('relative(a, b).startsWith("..")')).toBe(1);
  expect(caught("const start = `${folder}/`;\nreturn path.startsWith(start);")).toBe(1);
  expect(caught('path.startsWith("/") && name.startsWith(`${server}.`) && word.startsWith("~/")')).toBe(0);
  expect(caught("path.startsWith(`${root}/`)", "src/base/files/below.ts")).toBe(0);
});

test("[CTL-11] nothing in src waits in a way that blocks its thread", () => {
  expect(SOURCES.flatMap((file) => broken(file, readSource(file), BLOCKING_BANS))).toEqual([]);
  const caught = (code: string, file = "src/x.ts") => broken(file, code, BLOCKING_BANS).length;
  expect(caught("Atomics.wait(cells, 0, 0, 20)")).toBe(1);
  expect(caught('execFileSync("git", ["status"])')).toBe(1);
  expect(caught('Bun.spawnSync(["git"])')).toBe(1);
  expect(caught("Bun.sleepSync(5)")).toBe(1);
  expect(caught("while (clock.monotonic() < end) {}")).toBe(1);
  expect(caught("while (clock.now() < end);")).toBe(1);
  expect(caught('database.run("PRAGMA busy_timeout = 20000")')).toBe(1);
  expect(caught("database.exec(`PRAGMA busy_timeout = ${WAIT_MS_MAX}`)")).toBe(1);
  expect(caught("Connection.open(path, BUSY_MS_MAX)")).toBe(1);
  expect(caught("Connection.open(path, 0); Connection.openFrozen(path, 0)")).toBe(0);
  expect(caught("while (clock.monotonic() < end) { await clock.sleep(5, signal); }")).toBe(0);
  expect(caught('database.run("PRAGMA busy_timeout = 0")')).toBe(0);
});

/** Words with which a doc comment never begins: they ask, or leave out the noun or the verb. */
const QUESTIONING =
  "What|Whether|Where|Of|As|How|Told|That|Those|Such|Same|So|Who|Whoever|Whom|Whose|Which|Why|Somebody|Nobody|Asked|Begun|Kept|Made|Seen";

test("doc comments begin with a verb or a noun phrase, not with a question or a participle", () => {
  const begun = OURS.flatMap((file) => questioningDocs(readSource(file)).map((line) => `${file}:${line}`));
  expect(begun).toEqual([]);
  // `#` stands for `/*`, so that this file passes too.
  const sample = [
    "#* Whether it is. */",
    "#*",
    " * As before.",
    " */",
    "#* What. */ x(#* Asks. */)",
    "// How",
    "#* Who asked. */",
    "#* Whole lines. */",
  ];
  expect(questioningDocs(sample.join("\n").replaceAll("#", "/*"))).toEqual([1, 2, 5, 7]);
});

/** Returns the lines on which such a doc comment begins. */
function questioningDocs(source: string): readonly number[] {
  const begun = source.matchAll(new RegExp(`/\\*\\*\\s+(?:\\*\\s+)?(?:${QUESTIONING})\\b`, "g"));
  return [...begun].map(({ index }) => source.slice(0, index).split("\n").length);
}

test("no test sleeps", () => {
  const tests = OURS.filter((file) => isTest(file) || file.startsWith("test/"));
  expect(tests.flatMap((file) => broken(file, codeOf(readSource(file)).text, TEST_BANS))).toEqual([]);
});

requireProgram("git")("no open ends, no paths of somebody's machine, no package host", () => {
  const { stdout } = Bun.spawnSync(["git", "ls-files", "-z"], { cwd: ROOT });
  const listed = stdout
    .toString()
    .split("\0")
    .filter((file) => file !== "" && !file.startsWith("test/data/"));
  // Outside a clone, as in an unpacked archive, the sources are what there is.
  const files = (listed.length > 0 ? listed : OURS).filter((file) => !/\.(?:png|gz|db|wasm)$/.test(file));
  expect(files.flatMap((file) => broken(file, readIfThere(file), TEXT_BANS))).toEqual([]);
});

test("the lock file names no host", () => {
  expect(readSource("package-lock.json")).not.toMatch(
    /"resolved"|https?:\/\/(?!(?:github\.com|opencollective|paypal|www\.|feross|tidelift|dubzzz))[^"]*\.tgz/,
  );
});

test("every file in src is imported by something that is no test", () => {
  const entries = ["src/cli/main.ts", "src/index.ts", "src/engine.ts", ...contractsAhead()];
  const imported = new Set(
    OURS.filter((file) => !isTest(file) && !file.startsWith("test/")).flatMap((file) =>
      importsOf(readSource(file)).map(({ specifier }) => posix.join(posix.dirname(file), specifier ?? "")),
    ),
  );
  // The tables of errors are joined by `scripts/reasons.ts`, which finds them by their name.
  const isTable = (file: string) => file.endsWith("/errors.ts");
  expect(SOURCES.filter((file) => !imported.has(file) && !entries.includes(file) && !isTable(file))).toEqual(
    [],
  );
});

/** Contracts whose second side comes later are listed, each with its reason, in knip's configuration. */
function contractsAhead(): readonly string[] {
  const config: unknown = Bun.JSONC.parse(readSource("knip.jsonc"));
  const { entry } = config as { readonly entry: readonly string[] };
  return entry.filter((file) => file.startsWith("src/") && file.endsWith(".ts"));
}

function readIfThere(file: string): string {
  try {
    return readSource(file);
  } catch {
    return ""; // removed, and not yet told to git
  }
}

test("what is banned would be caught, and what only looks like it would not", () => {
  const caught = (code: string, file = "src/engine/loop/loop.ts") =>
    broken(file, codeOf(code).text, SOURCE_BANS).length;
  expect(caught("const at = Date.now();")).toBe(1);
  expect(caught("const at = new Date( );")).toBe(1);
  expect(caught("Math.random()")).toBe(1);
  expect(caught("setTimeout(go, 5)")).toBe(1);
  expect(caught("setInterval(go, 5)")).toBe(1);
  expect(caught("AbortSignal.timeout(5)")).toBe(1);
  expect(caught("const r = await fetch(url);")).toBe(1);
  expect(caught("const r = await fetch(url(1), { a });")).toBe(1);
  expect(caught("function dumping(fetch: Fetch) { return fetch(url); }")).toBe(0);
  expect(caught("Bun.spawn([])")).toBe(1);
  expect(caught("process.env.HOME")).toBe(1);
  expect(caught("process.argv[2]")).toBe(1);
  expect(caught("process.argv[2]", "src/cli/main.ts")).toBe(0);
  expect(caught("Date.now()", "src/platform/clock.ts")).toBe(0);
  expect(caught("world.fetch(url); clock.setTimeout(1); new Date(0); // Date.now()\n'Math.random()'")).toBe(
    0,
  );
  expect(
    caught("return { fetch(url, init) { return 1; }, async fetch(a) {} }; interface A { fetch(b: c): D }"),
  ).toBe(0);
  expect(broken("src/a.test.ts", "await Bun.sleep(5)", TEST_BANS)).toHaveLength(1);
  expect(broken("test/support/until.ts", "await Bun.sleep(5)", TEST_BANS)).toHaveLength(0);
  expect(broken("README.md", "// TO" + "DO later", TEXT_BANS)).toHaveLength(1);
  expect(broken("README.md", "TodoChanged, a todo list", TEXT_BANS)).toHaveLength(0);
  expect(broken("README.md", "cd /wo" + "rk/main", TEXT_BANS)).toHaveLength(1);
  expect(broken("README.md", "cd /home/" + "bob/x and ~/work/ and src/root/x", TEXT_BANS)).toHaveLength(1);
});

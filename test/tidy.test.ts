import { expect, test } from "bun:test";
import { posix } from "node:path";
import {
  BARE_NAME_BANS,
  BLOCKING_BANS,
  broken,
  MODULE_BANS,
  PATH_BANS,
  PROGRAM_BANS,
  SOURCE_BANS,
  staleExceptions,
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

// A rejected promise that nobody holds ends the program: `inBackground` shows the failure instead.
test("[TUI-10] no work of the terminal client is started without a place for its failure", () => {
  const unheld = /\bvoid [a-zA-Z_][\w.#?]*\(/;
  const files = SOURCES.filter((file) => file.startsWith("src/client/terminal/"));
  expect(files.filter((file) => unheld.test(codeOf(readSource(file)).text))).toEqual([]);
  expect(unheld.test("() => void this.#read()")).toBe(true);
  expect(unheld.test("(text: string) => void;")).toBe(false);
});

test("[ENG-26 PERF-01] one file of the terminal client sends inputs, and one asks for the facts of a session", () => {
  const files = SOURCES.filter((file) => file.startsWith("src/client/terminal/"));
  const withText = (text: string) => files.filter((file) => readSource(file).includes(text));
  expect(withText('kind: "SendInput"')).toEqual(["src/client/terminal/input/message-sender.ts"]);
  expect(withText('kind: "GetSession"')).toEqual(["src/client/terminal/session/session-info.ts"]);
});

test("each exception of a ban is still needed", () => {
  const texts = SOURCES.map((file) => [file, readSource(file)] as const);
  const code = texts.map(([file, text]) => [file, codeOf(text).text] as const);
  const imports = texts.flatMap(([file, text]) =>
    importsOf(text).map(({ specifier = "" }) => [file, specifier] as const),
  );
  const tests = OURS.filter((file) => isTest(file) || file.startsWith("test/"));
  const testCode = tests.map((file) => [file, codeOf(readSource(file)).text] as const);
  const stale = [
    ...staleExceptions(code, [...SOURCE_BANS, ...PROGRAM_BANS]),
    ...staleExceptions(imports, MODULE_BANS),
    ...staleExceptions(texts, [...PATH_BANS, ...BLOCKING_BANS]),
    ...staleExceptions(testCode, TEST_BANS),
    ...staleExceptions(texts, TEXT_BANS),
  ];
  expect(stale).toEqual([]);
  const [ban] = TEST_BANS;
  expect(ban).toBeDefined();
  if (ban !== undefined) expect(staleExceptions([["test/support/a.ts", "wait()"]], [ban])).toHaveLength(1);
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

test("[S33] programs that run outside the sandbox are looked up in one place", () => {
  expect(SOURCES.flatMap((file) => broken(file, codeOf(readSource(file)).text, PROGRAM_BANS))).toEqual([]);
  expect(SOURCES.flatMap((file) => broken(file, readSource(file), BARE_NAME_BANS))).toEqual([]);
  const caught = (code: string, file = "src/x.ts") =>
    broken(file, code, [...PROGRAM_BANS, ...BARE_NAME_BANS]).length;
  expect(caught("(info.mode & 0o111) !== 0")).toBe(1);
  expect(caught('const git = Bun.which("git")')).toBe(1);
  expect(caught('world.spawn({ argv: ["git", "status"], cwd })')).toBe(1);
  expect(caught('const argv = ["sh", "-c", text] as const')).toBe(1);
  expect(caught('const argv = ["/bin/sh", "-c", text] as const')).toBe(0);
  expect(caught("spawn({ argv: [program, ...args] })")).toBe(0);
  expect(caught("!isInside(root, await files.realpath(program))")).toBe(1);
  expect(caught("relativeWithin(this.root, program)")).toBe(1);
  expect(caught("isInside(root, absolute)")).toBe(0);
  expect(caught("0o111", "src/guard/sandbox/policy/trusted-program.ts")).toBe(0);
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

/** Phrases that comments do without: each has a plainer word, such as "continues" and "is reported". */
const DIALECT =
  /\b(?:anew|(?:is|are|was|were|be|been|being) told|of one's own|in the place of|(?:goes|go|gone|going|went) on|be it|what of it|that there (?:is|are)|what there is|looked at|whoever)\b/gi;

test("comments in src use plain words", () => {
  const found = SOURCES.flatMap((file) => dialectIn(readSource(file)).map((phrase) => `${file}: ${phrase}`));
  expect(found).toEqual([]);
  // `#` stands for `/*`, so that this file passes too.
  const sample = [
    "#* Tells that the session goes",
    " * on. */",
    'const a = "goes on"; // made anew',
    "# Goes. */",
  ];
  expect(dialectIn(sample.join("\n").replaceAll("#", "/*"))).toEqual(["goes on", "anew"]);
});

/** Returns the phrases of dialect in the comments of a source, in lower case. */
function dialectIn(source: string): readonly string[] {
  const comments = source.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g);
  return [...comments]
    .map(([comment]) => comment.replaceAll(/\s*\n\s*\*?\s*/g, " "))
    .flatMap((comment) => [...comment.matchAll(DIALECT)].map(([phrase]) => phrase.toLowerCase()));
}

/** Limit for the length of a line with a comment. */
const COMMENT_COLUMNS_MAX = 120;

test("no paragraph of a comment ends with a lone word that fits on the line before it", () => {
  const found = OURS.flatMap((file) => loneWords(readSource(file)).map((line) => `${file}:${line}`));
  expect(found).toEqual([]);
  const sample = [
    " * Sends what waits to the",
    " * end.",
    " *",
    " * - a list",
    " * item",
    " */",
    "  // Reads to the",
    "  // end.",
    "  call();",
    " * Sends what waits to the",
    " * end. Returns",
    " * nothing.",
    " * @throws Error if it",
    " *   fails.",
    " */",
    ` * ${"long ".repeat(23)}line`,
    " * end.",
  ];
  expect(loneWords(sample.join("\n"))).toEqual([2, 8, 12, 14]);
});

/** Returns the lines of comments that a paragraph ends on with one word, though the line before has room for it. */
function loneWords(source: string): readonly number[] {
  const comment = /^(\s*(?:\*|\/\/)) +(\S.*)$/;
  const lines = source.split("\n");
  return lines.flatMap((line, at) => {
    const [, margin, word = ""] = comment.exec(line) ?? [];
    const before = lines[at - 1] ?? "";
    const [, marginBefore, textBefore = ""] = comment.exec(before) ?? [];
    const [, marginAfter, textAfter = ""] = comment.exec(lines[at + 1] ?? "") ?? [];
    const isLast = marginAfter !== margin || textAfter.startsWith("@");
    if (margin === undefined || marginBefore !== margin || !isLast) return [];
    if (!/^[\w`("'][^\s/]*$/.test(word) || !/^[\w`("'@].* \S*[^\s:]$/.test(textBefore)) return [];
    return before.length + 1 + word.length <= COMMENT_COLUMNS_MAX ? [at + 1] : [];
  });
}

/** A variable named by a participle: it says what happened to a value, and not what the value is. */
const PARTICIPLE_NAME =
  /\b(?:const|let|var) (?:[{[](?:(?! of |[=;]).)*?(?<![.#\w])\b)?(?:kept|held|gone|told|given|theirs|own)\b(?!:)/gs;

/** Files that still have such variables. The list may only become shorter. */
const PARTICIPLE_FILES = [
  "src/cli/commands/serve/run.ts",
  "src/client/slash/commands/help-text.ts",
  "src/server/hub/queries/engine-queries.ts",
];

test("variables are named for what they hold, not for what happened to it", () => {
  const checked = SOURCES.filter((file) => !PARTICIPLE_FILES.includes(file));
  const found = checked.flatMap((file) =>
    [...codeOf(readSource(file)).text.matchAll(PARTICIPLE_NAME)].map(([name]) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
  const caught = (code: string) => [...code.matchAll(PARTICIPLE_NAME)].length;
  expect(caught("const kept = entries.filter(isNew);")).toBe(1);
  expect(caught("const { notices: told } = opened;")).toBe(1);
  expect(caught("const { held: heldKeys } = found;")).toBe(0);
  expect(caught("const keptBackup = a.held;")).toBe(0);
});

const COMMENT_LINE_CHARS_MAX = 120;

test("no line with a comment is longer than an editor shows", () => {
  const found = OURS.flatMap((file) => longCommentLines(readSource(file)).map((line) => `${file}:${line}`));
  expect(found).toEqual([]);
  const long = "x".repeat(COMMENT_LINE_CHARS_MAX);
  expect(longCommentLines(`/** ${long} */\n * ${long}\n// ${long}\nf(); // ${long}`)).toEqual([1, 2, 3, 4]);
  expect(longCommentLines(`const url = "https://${long}";\n/** Short. */`)).toEqual([]);
});

/** Returns the numbers of the lines that hold a comment and exceed the limit. */
function longCommentLines(source: string): readonly number[] {
  return source.split("\n").flatMap((line, at) => {
    const isComment = /^\s*(?:\/\*\*|\*|\/\/)|[;,{] \/\/ [^"`]*$/.test(line);
    return isComment && line.length > COMMENT_LINE_CHARS_MAX ? [at + 1] : [];
  });
}

/** Endings of type names that do not say what the type is, and the names that the published package exports. */
const VAGUE_TYPE =
  /\b(?:interface|type|class) (?!PluginPlace\b)\w*(?:Places?|Looks?|Sights?)\b(?=[^;]*[{=])/g;

test("types are named for what they are: paths, options, a location, a report", () => {
  const found = OURS.flatMap((file) =>
    [...codeOf(readSource(file)).text.matchAll(VAGUE_TYPE)].map(([name]) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
  const caught = (code: string) => [...code.matchAll(VAGUE_TYPE)].length;
  expect(caught("export interface ConfigPlace extends A {")).toBe(1);
  expect(caught("type Look = A;")).toBe(1);
  expect(caught("interface PluginPlace {")).toBe(0);
  expect(caught("interface Replaced { a }; type Lookup = B;")).toBe(0);
});

/** Phrases that test titles do without: each has a plainer word, such as "reports", "lists", "again", "the user's". */
const TITLE_DIALECT =
  /\b(?:told|tells? (?!by itself)|anew|one's own|goes on|is said to|be had|in the place of|(?:is|are) none\b(?=,| (?:is|are|that|counts|ends))|all the same)\b/i;

test("test titles use plain words", () => {
  const tests = OURS.filter((file) => isTest(file) || file.startsWith("test/"));
  // The one file that is left has one such title.
  const checked = tests.filter((file) => file !== "src/guard/permissions/judge/gate.test.ts");
  const found = checked.flatMap((file) =>
    dialectTitles(readSource(file)).map((title) => `${file}: ${title}`),
  );
  expect(found).toEqual([]);
  const caught = (title: string) => dialectTitles(`test("${title}", () => {});`).length;
  expect(caught("a missing key is told")).toBe(1);
  expect(caught("a server is started anew")).toBe(1);
  expect(caught("a file that is none is refused")).toBe(1);
  expect(caught("a missing key is reported")).toBe(0);
});

/** Returns the titles of tests with such a phrase: texts that begin with a row id, and those right after `test(`. */
function dialectTitles(source: string): readonly string[] {
  const titles = source.matchAll(/(?:\btest\((?=["`'])|(?<=["`'])(?=\[[A-Z]+-?\d))["`']?([^"`\n]*)/g);
  return [...titles].map(([, title = ""]) => title).filter((title) => TITLE_DIALECT.test(title));
}

/** Pages whose words stand elsewhere: the published requirements, and what is generated from errors and scenarios. */
const QUOTING = /^docs\/(?:requirements\.md|conformance\.md|protocol\/)/;

test("documents use plain words", () => {
  const pages = ["README.md", "AGENTS.md", ...filesUnder("docs", "**/*.md")].filter(
    (page) => !QUOTING.test(page),
  );
  const found = pages.flatMap((page) =>
    // Code is quoted as it is.
    [
      ...readSource(page)
        .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "")
        .matchAll(DIALECT),
    ].map(([phrase]) => `${page}: ${phrase}`),
  );
  expect(found).toEqual([]);
});

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
  const entries = ["src/cli/main.ts", "src/engine.ts", "src/index.ts", "src/unsupported-runtime.ts"];
  const imported = new Set(
    OURS.filter((file) => !isTest(file) && !file.startsWith("test/")).flatMap((file) =>
      importsOf(readSource(file)).map(({ specifier }) => posix.join(posix.dirname(file), specifier ?? "")),
    ),
  );
  // The tables of errors are joined by `scripts/reasons.ts`, which finds them by their name.
  const isTable = (file: string) => file.endsWith("/errors.ts");
  const alone = SOURCES.filter((file) => !imported.has(file) && !isTable(file));
  expect(alone).toEqual(entries);
});

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
  expect(broken("src/a.test.ts", "process.kill(child.pid, 9); process.kill(pid, 0)", TEST_BANS)).toHaveLength(
    1,
  );
  expect(
    broken("src/a.test.ts", "expect(processesWith(own).length).toBeGreaterThan(1)", TEST_BANS),
  ).toHaveLength(1);
  expect(broken("src/a.test.ts", "expect(processesWith(own)).toEqual([])", TEST_BANS)).toHaveLength(0);
  expect(broken("test/support/until.ts", "await Bun.sleep(5)", TEST_BANS)).toHaveLength(0);
  expect(broken("README.md", "// TO" + "DO later", TEXT_BANS)).toHaveLength(1);
  expect(broken("README.md", "TodoChanged, a todo list", TEXT_BANS)).toHaveLength(0);
  expect(broken("README.md", "cd /wo" + "rk/main", TEXT_BANS)).toHaveLength(1);
  expect(broken("README.md", "cd /home/" + "bob/x and ~/work/ and src/root/x", TEXT_BANS)).toHaveLength(1);
});

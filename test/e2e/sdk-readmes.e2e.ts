import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blocksOf } from "../support/documents.ts";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";
import { filesUnder, ROOT, readSource } from "../support/source.ts";

const TIMEOUT_MS = 120_000;
const PORT = "8421";
const QUERIED = [
  "Write (no-rule) ",
  "+one",
  "+two",
  // The level asks where there is no sandbox, else the setting.
  "Bash (CAUSE) Bash:touch *, Bash:touch more.txt *",
  "1 complete more.txt, plan.txt",
  "added more.txt +0",
  "added plan.txt +2",
  "call 1 Write",
  "The plan idle 0.0004 1",
  "",
].join("\n");
const LIST = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");
/** One line for each form of answer: hunks with words, a rule, and a refusal with words. */
const ANSWERED = [
  "openrouter true",
  "MultiEdit: 2 hunks, 0 hosts, 0 rules",
  "Bash: 0 hunks, 0 hosts, 2 rules",
  "Write: 1 hunks, 0 hosts, 0 rules",
  "allow Bash:touch *",
  "",
].join("\n");
const SWITCHED = "left: default to self\nbegun: default to self\n";

function model({ body }: MockRequest): Turn {
  const asked = JSON.stringify((body["messages"] as readonly unknown[]).at(-1));
  if (asked.includes("Tidy"))
    return {
      parts: [
        {
          tool: "MultiEdit",
          input: {
            file_path: "list.txt",
            edits: [
              { old_string: "line 2\n", new_string: "two\n" },
              { old_string: "line 18\n", new_string: "eighteen\n" },
            ],
          },
        },
        { tool: "Bash", input: { command: "touch more.txt" } },
        { tool: "Write", input: { file_path: "new.txt", content: "new\n" } },
      ],
    };
  if (asked.includes("Write plan.txt"))
    return {
      parts: [
        { tool: "Write", input: { file_path: "plan.txt", content: "one\ntwo\n" } },
        { tool: "Bash", input: { command: "touch more.txt" } },
      ],
    };
  if (asked.includes("Touch")) return calls("Bash", { command: "touch note.txt" });
  return says(asked.includes("hello") ? "Hello." : "Done.");
}

async function served(): Promise<Served> {
  return await openServed({
    script: model,
    listens: true,
    files: { "list.txt": LIST },
    flags: ["--model", "mock:one", "--strict-permissions"],
    config: '[prices."mock:one"]\ninput = 1\noutput = 5\n',
  });
}

/** The programs of a README, in order, for the port that an engine has. */
function programs(file: string, language: string, { url }: Served): readonly string[] {
  return blocksOf(file, readSource(file))
    .filter((block) => block.language === language)
    .map(({ text }) => text.replaceAll(PORT, new URL(url).port));
}

async function run(command: readonly string[], engine: Served, folder: string, token: string) {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: {
      PATH,
      HOME: folder,
      LANG: "C.UTF-8",
      PYTHONPATH: join(ROOT, "sdk/python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
      CINCH_TOKEN: token,
      CINCH_SOCKET: engine.socket,
      OPENROUTER_API_KEY: "Zc81Qn5RwPd27LxUe0YbTf94Ma",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout: stdout.replace(/^Bash \((?:level|setting)\)/m, "Bash (CAUSE)"), stderr };
}

/** Checks what the answers of the program about answers came to. */
function expectAnswered({ work, provider }: Served): void {
  expect(readFileSync(join(work, "list.txt"), "utf8")).toBe(LIST.replace("line 2\n", "two\n"));
  expect(existsSync(join(work, "new.txt"))).toBe(false);
  const told = JSON.stringify(provider.requests.map(({ body }) => body));
  for (const words of ["Keep the end.", "No new files, please."]) expect(told).toContain(words);
}

interface TemporaryFolder extends Disposable {
  readonly path: string;
}

function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "cinch-readme-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Installs what `npm pack` makes of the TypeScript client, as a registry would deliver it. */
function installPacked(folder: string): void {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const npm = (cwd: string, ...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["npm", ...args], { cwd, env });
    if (exitCode !== 0) throw new Error(`npm ${args.join(" ")} failed: ${stderr}`);
    return stdout.toString();
  };
  const [packed] = JSON.parse(
    npm(join(ROOT, "sdk/typescript"), "pack", "--json", "--silent", `--pack-destination=${folder}`),
  );
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  npm(folder, "install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`);
}

for (const runtime of ["node", "bun"]) {
  requireProgram("node")(
    `[SDK-01 DOC-01] the programs of the TypeScript client's README do what they say (${runtime})`,
    async () => {
      using place = temporaryFolder();
      await using engine = await served();
      installPacked(place.path);
      const bun = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null"];
      const token = await engine.token();
      const told: unknown[] = [];
      for (const [at, text] of programs("sdk/typescript/README.md", "ts", engine).entries()) {
        const file = join(place.path, `program-${at}.${runtime === "node" ? "mjs" : "ts"}`);
        writeFileSync(file, text);
        told.push(await run([...(runtime === "node" ? ["node"] : bun), file], engine, place.path, token));
      }
      expect(told).toEqual([
        { code: 0, stdout: "Hello. complete 0.0002\nDone.\ncomplete\n", stderr: "" },
        { code: 0, stdout: "ok\n", stderr: "" },
        { code: 0, stdout: QUERIED, stderr: "" },
        { code: 0, stdout: ANSWERED, stderr: "" },
        { code: 0, stdout: SWITCHED, stderr: "" },
        { code: 0, stdout: "unread: some\n", stderr: "" },
      ]);
      expectAnswered(engine);
    },
    TIMEOUT_MS,
  );
}

requireProgram("node")(
  "[SDK-01 DOC-01] the programs of the TypeScript client's README have no error of types under strict",
  () => {
    using place = temporaryFolder();
    installPacked(place.path);
    const texts = blocksOf("sdk/typescript/README.md", readSource("sdk/typescript/README.md"))
      .filter(({ language }) => language === "ts")
      .map(({ text }) => text);
    for (const [at, text] of texts.entries()) writeFileSync(join(place.path, `program-${at}.mts`), text);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: "es2022", module: "nodenext", skipLibCheck: false },
      lib: ["es2023", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
      ...{ types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] },
    };
    writeFileSync(join(place.path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const { exitCode, stdout } = Bun.spawnSync(["node", compiler, "-p", place.path], { cwd: place.path });
    expect({ exitCode, told: stdout.toString() }).toEqual({ exitCode: 0, told: "" });
    expect(texts.length).toBeGreaterThan(5);
  },
  TIMEOUT_MS,
);

requireProgram("python3")(
  "[SDK-01 DOC-01] the programs of the Python client's README do what they say",
  async () => {
    using place = temporaryFolder();
    await using engine = await served();
    const token = await engine.token();
    const told: unknown[] = [];
    for (const text of programs("sdk/python/README.md", "python", engine))
      told.push(await run(["python3", "-c", text], engine, place.path, token));
    expect(told).toEqual([
      { code: 0, stdout: "Hello. complete 0.0002\nDone.\ncomplete\n", stderr: "" },
      { code: 0, stdout: "Hello.", stderr: "" },
      { code: 0, stdout: QUERIED, stderr: "" },
      { code: 0, stdout: ANSWERED, stderr: "" },
      { code: 0, stdout: SWITCHED, stderr: "" },
      { code: 0, stdout: "unread: some\n", stderr: "" },
    ]);
    expectAnswered(engine);
  },
  TIMEOUT_MS,
);

requireProgram("python3")("[SDK-01] the Python client and its examples are Python 3.9", () => {
  const files = [...filesUnder("sdk/python", "**/*.py"), ...filesUnder("examples", "*.py")];
  expect(files.length).toBeGreaterThan(10);
  const reading =
    "import ast,sys\nfor path in sys.argv[1:]:\n    ast.parse(open(path, encoding='utf-8').read(), path, feature_version=(3, 9))\n";
  const { exitCode, stderr } = Bun.spawnSync(["python3", "-c", reading, ...files], { cwd: ROOT });
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
});

test("[SDK-01 DOC-01] the packages of the clients have the files that they name, and their READMEs lead somewhere", () => {
  for (const name of ["README.md", "LICENSE"])
    for (const folder of ["sdk/typescript", "sdk/python"])
      expect(readFileSync(join(ROOT, folder, name), "utf8").length).toBeGreaterThan(500);
  const broken = ["sdk/typescript", "sdk/python"].flatMap((folder) =>
    [...readSource(`${folder}/README.md`).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target = ""]) => join(ROOT, folder, target))
      .filter((target) => !existsSync(target)),
  );
  expect(broken).toEqual([]);
});

import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { filesUnder, ROOT } from "../support/source.ts";

const EXAMPLES = join(ROOT, "examples");

test("[DOC-01] every example is a program of fewer than 60 lines, or an extension of an editor, and is run", () => {
  const programs = filesUnder("examples", "**/*").filter((file) => !file.endsWith(".md"));
  const runHere = [
    "examples/custom-provider/config.toml",
    "examples/engine-desk.ts",
    "examples/engine-resume.ts",
    "examples/headless-review.sh",
    "examples/library-weather.ts",
  ];
  const bySdkExamples = [
    "examples/chat.py",
    "examples/chat.ts",
    "examples/ci-gate.py",
    "examples/permission-desk.ts",
    "examples/session-board.py",
    "examples/session-board.ts",
  ];
  const byPlugins = ["dice/plugin.ts", "dice/roll.ts", "house-rules/plugin.ts"].map(
    (file) => `examples/plugins/${file}`,
  );
  const byEditor = ["examples/vscode/extension.ts", "examples/vscode/package.json"];
  expect(programs).toEqual([...runHere, ...bySdkExamples, ...byPlugins, ...byEditor].sort());
  const long = programs
    .filter((file) => !byEditor.includes(file))
    .filter((file) => readFileSync(join(ROOT, file), "utf8").split("\n").length > 60);
  expect(long).toEqual([]);
});

test("[DOC-01 LIB-01] library-weather.ts: an agent with one tool of the embedder's own", async () => {
  await using mock = startMockProvider({
    key: "test-key",
    script: [
      calls("weather", { city: "Atlantis" }),
      calls("weather", { city: "Oslo" }),
      says("Yes, from noon."),
    ],
  });
  using home = cinchHome();
  const program = ["scripts/bun.sh", "examples/library-weather.ts", "Umbrella?", mock.url];
  const result = await run(["sh", ...program], {
    cwd: ROOT,
    env: { ...home.env, ANTHROPIC_API_KEY: "test-key" },
  });
  expect(result).toEqual({
    code: 0,
    stdout: "Yes, from noon.\n",
    stderr: [
      'calls weather {"city":"Atlantis"}',
      "gets  no weather for Atlantis",
      'calls weather {"city":"Oslo"}',
      "gets  8 °C, rain from noon",
      "complete after 3 rounds\n",
    ].join("\n"),
  });
});

test("[DOC-01 LIB-01] library-weather.ts: a missing or failing part is reported in one line", async () => {
  await using mock = startMockProvider({
    script: [fails({ kind: "status", status: 401, body: { error: { message: "no such key" } } })],
  });
  using home = cinchHome();
  const program = ["sh", "scripts/bun.sh", "examples/library-weather.ts", "Umbrella?", mock.url];
  const without = await run(program, { cwd: ROOT, env: home.env });
  expect(without).toEqual({ code: 1, stdout: "", stderr: "library-weather: set ANTHROPIC_API_KEY\n" });
  const refused = await run(program, { cwd: ROOT, env: { ...home.env, ANTHROPIC_API_KEY: "wrong" } });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^library-weather: .*\n$/);
});

test("[DOC-01 LIB-10] engine-desk.ts: an own model, and an own tool that a person has to allow", async () => {
  using home = cinchHome();
  const program = (answer: string) => [
    "sh",
    "scripts/bun.sh",
    "examples/engine-desk.ts",
    "refund 12",
    answer,
  ];
  const answered = (answer: string) => run(program(answer), { cwd: ROOT, env: home.env });
  const asked = (answer: string) => `refund {"amount":12}? ${answer}\n`;
  expect(await answered("yes")).toEqual({ code: 0, stdout: "It is refunded.\n", stderr: asked("yes") });
  expect(await answered("no")).toEqual({ code: 0, stdout: "Nothing was refunded.\n", stderr: asked("no") });
});

test("[DOC-01 LIB-10] engine-resume.ts: each start continues with the session of the last one", async () => {
  await using mock = startMockProvider({ script: [says("Noted."), says("It was 7.")] });
  using home = cinchHome();
  const env = { ...home.env, ANTHROPIC_API_KEY: "test-key" };
  const store = join(home.path, "desk/sessions.db");
  const start = (prompt: string) =>
    run(["sh", "scripts/bun.sh", "examples/engine-resume.ts", store, prompt, mock.url], { cwd: ROOT, env });
  const first = await start("Remember the number 7.");
  expect(first).toMatchObject({ code: 0, stdout: "Noted." });
  const second = await start("Which number was it?");
  expect(second).toMatchObject({ code: 0, stdout: "It was 7." });
  const [log] = first.stderr.match(/log_\w+/) ?? [];
  expect(second.stderr).toContain(log ?? "no log");
  expect(JSON.stringify(mock.requests[1]?.body)).toContain("Remember the number 7.");
});

const REVIEWS: readonly (readonly [string, readonly Turn[], { code: number; stdout: string }])[] = [
  [
    "an objection is exit code 1, and what is wrong stands on standard output",
    [
      calls("Read", { file_path: "add.js" }),
      calls("Bash", { command: "rm -f add.js" }),
      says("add.js:1: subtracts\nOBJECTION"),
    ],
    { code: 1, stdout: "add.js:1: subtracts\nOBJECTION\n" },
  ],
  ["no objection is exit code 0", [says("OK")], { code: 0, stdout: "OK\n" }],
  [
    "a failure of the provider is cinch's own exit code",
    [fails({ kind: "status", status: 400, body: { error: { message: "no such thing" } } })],
    { code: 1, stdout: "" },
  ],
];

for (const [what, script, expected] of REVIEWS) {
  requireProgram("git")(`[DOC-01 CLI-01] headless-review.sh: ${what}`, async () => {
    await using mock = startMockProvider({ script });
    using home = cinchHome();
    configure(home, mock);
    const work = repositoryWithChange(home);
    const { stdout, code, stderr } = await run(
      [join(EXAMPLES, "headless-review.sh"), "main", "--model", "mock:one"],
      { cwd: work, env: { ...home.env, CINCH: cinchPath() } },
    );
    expect({ code, stdout, stderr: code === 1 ? "" : stderr }).toEqual({ ...expected, stderr: "" });
    expect(JSON.stringify(mock.requests[0]?.body)).toContain("-const add = (a, b) => a + b;");
    expect(readFileSync(join(work, "add.js"), "utf8")).toBe("const add = (a, b) => a - b;\n");
  });
}

for (const [what, base, expected] of [
  ["a base that git does not know is exit code 2", "nosuch-base", { code: 2, told: "cannot compare" }],
  ["without a change there is nothing to review", "HEAD", { code: 0, told: "nothing to review since HEAD" }],
] as const) {
  requireProgram("git")(`[DOC-01 CLI-01] headless-review.sh: ${what}, and no model is asked`, async () => {
    await using mock = startMockProvider({ script: [says("OK")] });
    using home = cinchHome();
    configure(home, mock);
    const work = repositoryWithChange(home);
    const { stdout, code, stderr } = await run(
      [join(EXAMPLES, "headless-review.sh"), base, "--model", "mock:one"],
      { cwd: work, env: { ...home.env, CINCH: cinchPath() } },
    );
    expect({ code, stdout, requests: mock.requests.length }).toEqual({
      code: expected.code,
      stdout: "",
      requests: 0,
    });
    expect(stderr).toContain(expected.told);
  });
}

test("[DOC-01 PROV-05] custom-provider: a configuration file alone makes a provider", async () => {
  await using mock = startMockProvider({ script: [says("Hello.")], models: ["qwen3-coder"] });
  using home = cinchHome();
  const folder = join(home.path, "config/cinch");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(EXAMPLES, "custom-provider/config.toml"), join(folder, "config.toml"));
  atAddressOf(mock, join(folder, "config.toml"));
  const result = await runCinch(["-p", "Hello?", "--max-cost", "1"], { home });
  expect(result).toMatchObject({ code: 0, stdout: "Hello.\n" });
});

/** The example's own server does not run here. */
function atAddressOf(mock: MockProvider, config: string): void {
  const text = readFileSync(config, "utf8");
  expect(text).toContain("http://127.0.0.1:8080/v1");
  writeFileSync(config, text.replace("http://127.0.0.1:8080/v1", `${mock.url}/v1`));
}

function configure(home: CinchHome, mock: MockProvider): void {
  const folder = join(home.path, "config/cinch");
  mkdirSync(folder, { recursive: true });
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(folder, "config.toml"), provider);
}

function repositoryWithChange(home: CinchHome): string {
  const work = join(home.path, "work");
  mkdirSync(work);
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"];
    const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], {
      cwd: work,
      env: environment(home.env),
    });
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({
      exitCode: 0,
      stderr: "",
    });
  };
  git("init", "-q", "-b", "main");
  writeFileSync(join(work, "add.js"), "const add = (a, b) => a + b;\n");
  git("add", ".");
  git("commit", "-qm", "add");
  git("checkout", "-qb", "change");
  writeFileSync(join(work, "add.js"), "const add = (a, b) => a - b;\n");
  git("commit", "-qam", "change");
  return work;
}

function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = "/usr/bin:/bin" } = process.env;
  return { PATH, LANG: "C.UTF-8", TERM: "dumb", ...env };
}

async function run(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) {
  const child = Bun.spawn([...command], {
    cwd,
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

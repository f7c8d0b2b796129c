import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPlugins } from "../../src/features/plugins/plugin-files.ts";
import { TrustLedger } from "../../src/guard/trust/ledger/ledger.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { blocksOf } from "../support/documents.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requirement } from "../support/requires.ts";
import { ROOT, readSource } from "../support/source.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

// Plugins through the program itself: the two examples, and what a person sees of plugins that may not be had.

const PAGE = "docs/plugins.md";
const EXAMPLES = join(ROOT, "examples/plugins");

function openRig(script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  const config = join(home.path, "config/cinch");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
  };
  mkdirSync(work);
  return {
    mock,
    home,
    work,
    write,
    at: (name: string) => join(home.path, name),
    configure(plugins: readonly string[]) {
      const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
      write(join(config, "config.toml"), `plugins = ${JSON.stringify(plugins)}\n${provider}`);
    },
    /** Acknowledges each plugin, as a person would. */
    async acknowledge(plugins: readonly string[]) {
      const world = testWorld();
      const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
      await ledger.approve(await readPlugins(world, plugins));
    },
    run: (...args: readonly string[]) => runCinch([...args, "--model", "mock:one"], { home, cwd: work }),
    type: (stdin: string) => runCinch(["--model", "mock:one", "--no-listen"], { home, cwd: work, stdin }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

test("[PLUG-01 PLUG-02 DOC-01] the examples run once they are acknowledged: a tool with its rule, and middleware that refuses a call", async () => {
  await using rig = openRig([
    calls("RollDice", { dice: "2d1" }),
    calls("Bash", { command: "git push origin release/1" }),
    says("done"),
  ]);
  const plugins = [join(EXAMPLES, "dice"), join(EXAMPLES, "house-rules")];
  rig.configure(plugins);
  const unseen = await rig.run("-p", "roll");
  expect([unseen.code, rig.mock.requests.length]).toEqual([5, 0]);
  expect(unseen.stderr).toContain(`unseen plugin (${plugins.join(", ")})`);

  await rig.acknowledge(plugins);
  const { code, stdout, stderr } = await rig.run("-p", "roll", "--output-format", "stream-json");
  expect([code, stderr]).toEqual([0, "cinch: The plugin dice allows without asking: RollDice.\n"]);
  const events: { kind: string; payload: { content: unknown } }[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const told = events.flatMap(({ kind, payload }) => (kind === "ToolResult" ? [payload.content] : []));
  expect(told).toEqual([
    [{ type: "text", text: "2d1: 1 + 1 = 2" }],
    [{ type: "text", text: "Release branches are frozen: ask the release team." }],
  ]);
  expect(events.filter(({ kind }) => kind === "CustomEvent").map(({ payload }) => payload)).toEqual([
    { namespace: "house-rules", kind: "Calls", payload: { RollDice: 1, Bash: 1 } },
  ] as never);
});

test("[PLUG-01 DOC-01] /dice:roll in the line client shows what the plugin answers, and what it refuses", async () => {
  await using rig = openRig([]);
  const plugins = [join(EXAMPLES, "dice")];
  rig.configure(plugins);
  await rig.acknowledge(plugins);
  const { code, stdout } = await rig.type("/dice:roll 3d1\n/dice:roll many\n/dice:spin\n/quit\n");
  expect(code).toBe(0);
  expect(stdout).toContain("3d1: 1 + 1 + 1 = 3");
  expect(stdout).toContain("the plugin dice: write 2d6");
  expect(stdout).toContain("the plugin dice has /dice:roll");
});

test("[PLUG-02 CLI-01 DOC-01] the commands of docs/plugins.md list the configured plugins, and run only those that check names", async () => {
  await using rig = openRig([]);
  const [shown = ""] = blocksOf(PAGE, readSource(PAGE))
    .map(({ text }) => text)
    .filter((text) => text.startsWith("# config.toml"));
  const [named = ""] = /"([^"]+)"/.exec(shown)?.slice(1) ?? [];
  const here = (text: string) => text.replaceAll(named, join(EXAMPLES, "dice"));
  rig.write(join(rig.home.path, "config/cinch/config.toml"), here(shown));
  const commands = blocksOf(PAGE, readSource(PAGE))
    .flatMap(({ language, text }) => (language === "sh" ? text.trimEnd().split("\n") : []))
    .map((line) =>
      here(line.replace(/\s+#.*$/, ""))
        .split(" ")
        .slice(1),
    );
  const all = await Promise.all(commands.map((words) => runCinch(words, { home: rig.home, cwd: rig.work })));
  expect(all.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
    [0, `new          ${join(EXAMPLES, "dice")}\n`, ""],
    [0, "plugin dice\n  tool RollDice\n  command /dice:roll\n  rule allow RollDice\n", ""],
  ]);
});

/** Throws in a timer, and rejects with nobody waiting; or throws what has no stack, and so might be anybody's. */
const STRAYS = {
  timer: 'setTimeout(() => { throw new Error("tick"); }, 0);',
  promise: '(async () => { await Promise.resolve(); throw new Error("tick"); })();',
  value: 'setTimeout(() => { throw "tick"; }, 0);',
};

test.each(["timer", "promise", "value"] as const)(
  "[PLUG-01 ENG-12] what a plugin leaves uncaught (%s) is its end and not the engine's; what is not known to be a plugin's ends the process",
  async (stray) => {
    const gate = Promise.withResolvers<void>();
    await using rig = openRig([calls("Tick", {}), { ...says("fine"), hold: gate.promise }]);
    const path = rig.at("plugins/ticking.ts");
    const tool =
      'name: "Tick", description: "d", inputSchema: { type: "object" }, level: "ReadOnly", mutating: false';
    const register = `register(harness) { harness.tool({ ${tool}, run: () => { ${STRAYS[stray]} return "ticking"; } }); harness.permission("allow", "Tick"); }`;
    rig.write(path, `export const plugin = { name: "ticking", apiVersion: 1, ${register} };`);
    rig.configure([path]);
    await rig.acknowledge([path]);
    const args = ["-p", "tick", "--output-format", "stream-json", "--model", "mock:one"];
    await using cinch = startCinch(args, { home: rig.home, cwd: rig.work });
    cinch.closeStdin();
    let told = "";
    for await (const text of cinch.stdout) {
      told += text;
      if (told.includes('"PluginCrashed"')) gate.resolve();
    }
    const isCaught = stray !== "value";
    expect([await cinch.exited, told.includes('"TurnEnded"'), told.includes("PluginCrashed")]).toEqual([
      isCaught ? 0 : 1,
      isCaught,
      isCaught,
    ]);
    expect((await cinch.stderr).includes("bug in cinch, or in a plugin: ")).toBe(!isCaught);
  },
);

const ORACLE = `export const plugin = {
  name: "seer",
  apiVersion: 1,
  register(harness) {
    harness.provider("oracle", () => ({
      name: "oracle",
      family: "openai",
      canonicalFormVersion: 1,
      models: () => Promise.resolve([{ id: "delphi" }]),
      chat: () => { throw new Error("not today"); },
      tokenCount: () => Promise.resolve(0),
    }));
  },
};`;

test("[PROV-13 PLUG-01 TOFU-01] cinch models lists what an acknowledged plugin offers as the plugin's, and runs none that is not", async () => {
  await using rig = openRig([]);
  const path = rig.at("plugins/seer.ts");
  const broken = rig.at("plugins/broken.ts");
  rig.write(path, `await Bun.write(${JSON.stringify(rig.at("ran"))}, "ran");\n${ORACLE}`);
  rig.write(broken, "export const nothing = 1;");
  rig.configure([path, broken]);
  await rig.acknowledge([broken]);
  const models = () => runCinch(["models"], { home: rig.home, cwd: rig.work });
  const unseen = await models();
  expect([unseen.code, unseen.stdout.includes("oracle"), existsSync(rig.at("ran"))]).toEqual([
    0,
    false,
    false,
  ]);
  expect(unseen.stderr).toContain(`cinch: The plugin ${path} is not acknowledged`);
  expect(unseen.stderr).toContain(`The plugin ${broken} cannot be used: it exports no plugin`);
  await rig.acknowledge([path]);
  const seen = await models();
  expect([seen.code, seen.stdout.split("\n").find((line) => line.startsWith("oracle:"))]).toEqual([
    0,
    "oracle:delphi\tof the plugin seer",
  ]);
  // One that a profile in the user's own folder names counts with that profile alone.
  rig.configure([]);
  rig.write(
    rig.at("config/cinch/profiles/oracular.toml"),
    `name = "oracular"\nplugins = [${JSON.stringify(path)}]\n`,
  );
  const lists = async (...args: string[]) =>
    (await runCinch(["models", ...args], { home: rig.home, cwd: rig.work })).stdout.includes("oracle:delphi");
  expect([await lists(), await lists("--profile", "oracular")]).toEqual([false, true]);
});

test("[PLUG-01 PLUG-02 S33] a file beside a plugin is not run, a broken one is named, and a missing one ends the start with exit code 2", async () => {
  await using rig = openRig([says("fine")]);
  const folder = rig.at("plugins/mine");
  const ran = `await Bun.write(${JSON.stringify(rig.at("ran"))}, "ran");`;
  rig.write(join(folder, "evil.ts"), ran);
  rig.write(join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
  rig.write(join(folder, ".env"), "CINCH_PLUGIN_TEST=1\n");
  const register = 'register() { throw new Error(`no luck ${process.env["CINCH_PLUGIN_TEST"]}`); }';
  rig.write(join(folder, "plugin.ts"), `export const plugin = { name: "mine", apiVersion: 1, ${register} };`);
  rig.configure([folder]);
  await rig.acknowledge([folder]);
  const { code, stdout, stderr } = await rig.run("-p", "hello");
  expect([code, stdout]).toEqual([0, "fine\n"]);
  expect(stderr).toContain("The plugin 'mine' failed in register: no luck undefined.");
  expect(existsSync(rig.at("ran"))).toBe(false);

  rig.write(
    join(folder, "plugin.ts"),
    'export const plugin = { name: "mine", apiVersion: 99, register() {} };',
  );
  const changed = await rig.run("-p", "hello");
  expect([changed.code, changed.stderr.includes(`plugin (${folder} has changed: executable)`)]).toEqual([
    5,
    true,
  ]);
  await rig.acknowledge([folder]);
  const newer = await rig.run("-p", "hello");
  expect(newer.code).toBe(2);
  expect(newer.stderr).toContain("it was written for plugin API 99, and this cinch has 1: upgrade cinch");
});

const DEAF = `export const plugin = {
  name: "deaf",
  apiVersion: 1,
  register(harness) {
    harness.provider("deaf", () => ({
      name: "deaf",
      family: "deaf",
      canonicalFormVersion: 1,
      models: () => Promise.resolve([{ id: "one" }]),
      tokenCount: () => Promise.resolve(0),
      async *chat() {
        yield { kind: "text", index: 0, text: "begun" };
        await new Promise(() => {});
      },
    }));
  },
};`;

test("[PLUG-01 ENG-29 CLI-01] --max-time ends a turn whose plugin's provider ignores its signal, with the session and the text so far", async () => {
  await using rig = openRig([]);
  const path = rig.at("plugins/deaf.ts");
  rig.write(path, DEAF);
  rig.configure([path]);
  await rig.acknowledge([path]);
  const args = ["-p", "go", "--model", "deaf:one", "--max-time", "4s", "--output-format", "json"];
  const { code, stdout } = await runCinch(args, { home: rig.home, cwd: rig.work });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    4,
    { session: expect.stringMatching(/^sess_/), result: "begun", turns: 1, stop_reason: "time_limit" },
  ]);
}, 120_000);

const SCHEDSTAT = "/proc/self/schedstat";

/** Returns the milliseconds that the main thread of a process has wanted a processor: on one, or waiting for one. */
function wantedMs(pid: number): number {
  const [ranNs = 0, waitedNs = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ").map(Number);
  return (ranNs + waitedNs) / 1e6;
}

requirement(SCHEDSTAT, existsSync(SCHEDSTAT), false)(
  "[PERF-01 PLUG-01] cinch -p sleeps while a plugin's provider waits for what never comes",
  async () => {
    await using rig = openRig([]);
    const path = rig.at("plugins/deaf.ts");
    rig.write(path, DEAF);
    rig.configure([path]);
    await rig.acknowledge([path]);
    const args = ["-p", "go", "--output-format", "stream-json", "--model", "deaf:one"];
    await using cinch = startCinch(args, { home: rig.home, cwd: rig.work });
    cinch.closeStdin();
    let told = "";
    for await (const text of cinch.stdout) {
      told += text;
      if (told.includes("begun")) break;
    }
    // What the start has left to do may take a while; a process that spins never rests.
    let from = { ms: wantedMs(cinch.pid), atMs: performance.now() };
    await until("cinch rests for a second", () => {
      const to = { ms: wantedMs(cinch.pid), atMs: performance.now() };
      const passedMs = to.atMs - from.atMs;
      if (passedMs < 1_000) return false;
      const isResting = to.ms - from.ms < passedMs / 4;
      from = to;
      return isResting;
    });
  },
  120_000,
);

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome, RunningCinch } from "../support/cinch.ts";
import { cinchHome, cinchPath, runCinch, startCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { childrenOf } from "../support/process-memory.ts";
import { isRunning, signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { ROOT } from "../support/source.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

/**
 * The keeper, the helper and the engine as processes: what ends one ends all, and a person notices none of it. With -p
 * the keeper is the helper.
 */

const KEY = "canary-0123456789abcdef";
const STALLS: Turn = says("Never told.", { fault: { kind: "stall", at: "first-byte" } });
const STALLS_HEADLESS: Turn = says("Told at last.", { fault: { kind: "stall", at: "headers" } });
/** An engine without a keeper is gone at once, and forced after 4 s; the rest is for a machine that is busy. */
const ORPHAN_GONE_MS_MAX = 40_000;
const withTmux = requireProgram("tmux");

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "[CRED-03 LIFE-02 REL-03] %s ends a run with its code, whether the terminal or somebody else sent it",
  async (signal) => {
    for (const toAll of [true, false]) {
      await using rig = openRig([STALLS]);
      await using cinch = rig.start();
      await rig.mock.until(({ stalled }) => stalled === 1);
      const { engine } = await processesOf(cinch);
      if (toAll) cinch.kill(signal);
      else signalIfRunning(cinch.pid, signal);
      expect(await cinch.exited).toBe(130);
      await gone(engine);
      expect(rig.leftInTemporary()).toEqual([]);
    }
  },
);

test.each(["keeper", "engine"] as const)(
  "[CRED-03 CRED-04 REL-03 R25] kill -9 of the %s of a -p leaves no process and no socket",
  async (which) => {
    await using rig = openRig([calls("Bash", { command: "sleep 1000" }), STALLS]);
    await using cinch = rig.start();
    const all = await processesOf(cinch);
    await until("the command runs", () => childrenOf(all.engine).length > 0);
    const tools = childrenOf(all.engine).map(({ pid }) => pid);
    signalIfRunning(all[which], "SIGKILL");
    if (which === "engine") {
      expect(await cinch.exited).toBe(1);
      expect(await cinch.stderr).toMatch(/ended by SIGKILL.*cinch -p … --continue \(EngineKilled\)/s);
    }
    if (which === "keeper") await gone(all.engine, ...tools);
    expect(rig.leftInTemporary()).toEqual([]);
  },
);

test.each(["keeper", "engine", "helper"] as const)(
  "[CRED-03 CRED-04 REL-03 R25] kill -9 of the %s of an engine that serves leaves no process and no socket",
  async (which) => {
    await using rig = openRig([]);
    await using cinch = rig.serve();
    const { engine } = await processesOf(cinch);
    const helper = await helperOf(cinch);
    signalIfRunning({ keeper: cinch.pid, engine, helper }[which], "SIGKILL");
    if (which === "engine") expect(await cinch.exited).toBe(1);
    if (which === "keeper") await gone(engine, helper);
    if (which === "helper") {
      await gone(helper);
      await helperOf(cinch); // another one is there
      signalIfRunning(cinch.pid, "SIGTERM");
      await cinch.exited;
      await gone(engine);
    }
    expect(rig.leftInTemporary()).toEqual([]);
  },
);

test("[CRED-03 PERF-03] a -p with a key is two processes from its start to its end: the one that has the key makes the requests", async () => {
  await using rig = openRig([STALLS]);
  await using cinch = rig.start();
  await rig.mock.until(({ stalled }) => stalled === 1);
  const { engine } = await processesOf(cinch);
  expect(childrenOf(cinch.pid).map(({ pid }) => pid)).toEqual([engine]);
});

test("[REL-03 REL-04] an engine whose keeper is killed at any moment of the start ends soon, and does not spin", async () => {
  using home = cinchHome();
  const child = join(import.meta.dirname, "../support/keeper-child.ts");
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  for (const delayMs of [0, 50, 100, 150, 200, 300, 400, 600, 900, 1_300]) {
    const keeper = Bun.spawn([process.execPath, ...flags, child, String(delayMs)], {
      env: { HOME: home.path, PATH: process.env["PATH"] },
      stdin: "ignore",
      stdout: "pipe",
    });
    const engine = Number(await new Response(keeper.stdout).text());
    await keeper.exited;
    const beganMs = performance.now();
    await gone(engine);
    expect(performance.now() - beganMs).toBeLessThan(ORPHAN_GONE_MS_MAX);
  }
});

test("[CRED-04] a helper in the first process that crashes is followed by one in a process of its own, which sends the request again", async () => {
  await using rig = openRig([STALLS_HEADLESS, says("Answered.")]);
  const cinch = rig.startCrashing();
  await crashed(cinch, rig);
  expect(await cinch.exited).toBe(0);
  expect(await new Response(cinch.stdout).text()).toBe("Answered.\n");
  expect(rig.mock.requests.length).toBe(2);
  expect(rig.leftInTemporary()).toEqual([]);
});

test("[CRED-03 CRED-04] a later error of the first process ends it with its failure code, and is shown without its text", async () => {
  await using rig = openRig([STALLS_HEADLESS, STALLS_HEADLESS]);
  const cinch = rig.startCrashing();
  await crashed(cinch, rig);
  await rig.mock.until(({ requests }) => requests.length === 2);
  signalIfRunning(cinch.pid, "SIGUSR2");
  expect(await cinch.exited).toBe(1);
  const shown = await new Response(cinch.stderr).text();
  expect(shown).toContain("bug in cinch: an error in the process that holds the keys");
  expect(shown).not.toContain("a mistake");
  expect(shown).not.toContain(KEY);
});

test("[CRED-04] a first process that falls silent ends the turn after two heartbeats, since nobody else has its keys", async () => {
  await using rig = openRig([STALLS_HEADLESS]);
  await using cinch = rig.start();
  await rig.mock.until(({ stalled }) => stalled === 1);
  const { engine } = await processesOf(cinch);
  signalIfRunning(cinch.pid, "SIGSTOP");
  await until("the engine has ended", () => !isRunning(engine));
  signalIfRunning(cinch.pid, "SIGCONT");
  expect(await cinch.exited).toBe(1);
  expect(await cinch.stderr).toContain("failures within 60 s: 1");
});

test("[CRED-04] two crashes within 60 s end the turn with the reason, and no helper is started again", async () => {
  await using rig = openRig([STALLS_HEADLESS, STALLS_HEADLESS, says("Never asked.")]);
  const cinch = rig.startCrashing();
  await crashed(cinch, rig);
  await rig.mock.until(({ requests }) => requests.length === 2);
  signalIfRunning(await helperOf(cinch), "SIGKILL");
  expect(await cinch.exited).toBe(1);
  expect(await new Response(cinch.stderr).text()).toContain(
    "The credential helper failed and is not started again (failures within 60 s: 2). Start cinch again.",
  );
  expect(rig.mock.requests.length).toBe(2);
});

test("[CRED-03 CLI-01] a closed standard output is reported as it is without a key broker; its own words do nothing when typed", async () => {
  await using rig = openRig([says("Heard.")]);
  const shell = Bun.spawn(["sh", "-c", '"$0" -p x --model own:m >&-', cinchPath()], {
    cwd: rig.work,
    env: { PATH: process.env["PATH"], OWN_KEY: KEY, ...rig.home.env },
    stdin: "ignore",
    stderr: "pipe",
  });
  const told = await new Response(shell.stderr).text();
  expect([await shell.exited, told]).toEqual([1, expect.stringContaining("it was closed at the start")]);
  for (const word of ["__engine", "__helper"]) {
    const typed = await runCinch([word], { home: rig.home, env: { OWN_KEY: KEY } });
    expect([word, typed.code, typed.stdout]).toEqual([word, 2, ""]);
  }
});

withTmux(
  "[CRED-03 LIFE-02 R39] at a terminal: Ctrl-C once cancels the turn, Ctrl-Z and fg stop and go on, and the code passes through",
  async () => {
    await using rig = openRig([STALLS, says("Second answer.")]);
    await using terminal = await openTerminal({ home: rig.home, cwd: rig.work });
    await terminal.type(`OWN_KEY=${KEY} $CINCH --plain --model own:m; echo code=$?`);
    await terminal.press("Enter");
    await terminal.shows("/help lists commands");
    await terminal.type("first");
    await terminal.press("Enter");
    await rig.mock.until(({ stalled }) => stalled === 1);
    await terminal.press("C-c");
    await terminal.shows("cancelled");
    await terminal.press("C-z");
    await terminal.shows("Stopped");
    await terminal.type("fg");
    await terminal.press("Enter");
    await terminal.type("second");
    await terminal.press("Enter");
    await terminal.shows("Second answer.");
    await terminal.press("C-d");
    await terminal.shows("code=");
  },
);

withTmux(
  "[CRED-03 REL-03] a terminal that goes away takes all three with it where the engine is its own",
  async () => {
    await using rig = openRig([STALLS]);
    let engine = 0;
    {
      await using terminal = await openTerminal({ home: rig.home, cwd: rig.work });
      await terminal.type(`OWN_KEY=${KEY} $CINCH --plain --no-listen --model own:m`);
      await terminal.press("Enter");
      await terminal.shows("/help lists commands");
      await terminal.type("first");
      await terminal.press("Enter");
      await rig.mock.until(({ stalled }) => stalled === 1);
      engine = pidWith("__engine", rig.home.path);
      expect(engine).toBeGreaterThan(0);
    }
    await gone(engine);
    await until("nothing of it is left", () => pidWith("__engine", rig.home.path) === 0);
  },
);

withTmux("[CRED-01] a key that is typed is shown nowhere, and Ctrl-C stores none", async () => {
  await using rig = openRig([]);
  await using terminal = await openTerminal({ home: rig.home, cwd: rig.work });
  await terminal.type("$CINCH creds add zai; echo code=$?");
  await terminal.press("Enter");
  await terminal.shows("Key of zai (not shown):");
  await terminal.type("typed-secret-1");
  await terminal.press("C-c");
  await terminal.shows("code=130");
  await terminal.clear();
  await terminal.type("$CINCH creds add openai; stty -a | grep -o ' echo '; $CINCH creds list");
  await terminal.press("Enter");
  await terminal.shows("Key of openai (not shown):");
  await terminal.type("typed-secret-2");
  await terminal.press("Enter");
  await terminal.shows("used");
  const screen = await terminal.screen();
  expect(screen).toContain("was added to");
  expect(screen).toContain("\n echo");
  expect(screen).not.toContain("typed-secret");
});

test("[CRED-01 CRED-02] creds says where a key went, what goes before it, and what to do about one that cannot be taken", async () => {
  using home = cinchHome();
  const creds = (words: readonly string[], env: Readonly<Record<string, string>> = {}, stdin = "") =>
    runCinch(["creds", ...words], { home, env, stdin });
  const store = join(home.path, "config/cinch/creds.enc");
  expect(await creds(["add", "zai"], { ZAI_API_KEY: KEY }, `${KEY}\n`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `cinch: the key of zai (account default) was added to ${store}, encrypted under the machine key from machine.key\ncinch: ZAI_API_KEY is set, and goes before the stored key while it is\n`,
  });
  expect((await creds(["list"], { ZAI_API_KEY: KEY })).stdout).toEndWith(
    "\tnot used: ZAI_API_KEY goes before\nzai\t-\t-\tused, from ZAI_API_KEY\n",
  );
  const refusals: readonly (readonly [words: readonly string[], told: string])[] = [
    [["add", "zai", "sk-0123"], "leave it out and type it when asked, pipe it in, or name a variable"],
    [["add", "sk-0123"], "leave it out and type it when asked, pipe it in, or name a variable"],
    [["add", "zia"], 'there is no provider "zia"; did you mean zai? Known: '],
    [
      ["add", "zai"],
      "there is no key: type it at a terminal, pipe it in, or name a variable with --from-env",
    ],
    [["add", "zai", "--from-env", "NOT_THERE"], "--from-env: NOT_THERE is not set, or empty"],
    [["delete", "openai"], "there is no stored key of openai for the account default; see cinch creds list"],
    [
      ["remove", "zai"],
      "cinch creds is followed by one of add, list, delete, login, logout, rotate; cinch creds --help tells more",
    ],
    [["rotate"], "name the variable that holds the old machine key: cinch creds rotate --from-env NAME"],
  ];
  for (const [words, told] of refusals) {
    const { code, stderr } = await creds(words);
    expect([words, code, stderr]).toEqual([words, 2, expect.stringContaining(told)]);
    expect(stderr).not.toContain("sk-0123");
  }
  const locked = await creds(["list"], { CINCH_PASSPHRASE: "another" });
  expect([locked.code, locked.stderr]).toEqual([
    2,
    expect.stringContaining(`The key store ${store} was encrypted under another machine key`),
  ]);
  expect(locked.stderr).toContain("If it was made with neither, unset both: then machine.key is used");
  expect((await creds(["list"])).stdout).toEndWith("\tused\n"); // the remedy, tried
});

interface Processes {
  readonly keeper: number;
  readonly engine: number;
}

async function processesOf(cinch: Started): Promise<Processes> {
  return { keeper: cinch.pid, engine: await childWith("__engine", cinch) };
}

/** The helper of an engine that serves, or of a -p whose first helper has crashed. */
async function helperOf(cinch: Started): Promise<number> {
  return await childWith("__helper", cinch);
}

type Started = Pick<RunningCinch, "pid">;

/** Crashes the helper in the first process once its request has come to the provider: before, it would be none. */
async function crashed(cinch: Started, { mock }: Rig): Promise<void> {
  await mock.until(({ requests }) => requests.length === 1);
  signalIfRunning(cinch.pid, "SIGUSR2");
}

/** A child of the keeper, once it is there. Never 0: a signal to that would be one to ourselves. */
async function childWith(word: string, { pid }: Started): Promise<number> {
  let found: number | undefined;
  await until(`a process ${word} is there`, () => {
    found = childrenOf(pid).find(({ cmdline }) => cmdline.includes(word))?.pid;
    return found !== undefined;
  });
  return found as number;
}

/** The process with a word in its command line and a home in its environment; 0 where there is none. */
function pidWith(word: string, home: string): number {
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    const [cmdline, environ] = ["cmdline", "environ"].map((file) => readProc(pid, file)) as [string, string];
    if (cmdline.includes(word) && environ.includes(`HOME=${home}\0`)) return pid;
  }
  return 0;
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}

async function gone(...pids: readonly number[]): Promise<void> {
  for (const pid of pids) await until(`process ${pid} has ended`, () => !isRunning(pid));
}

interface Rig extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  readonly mock: MockProvider;
  start(): RunningCinch;
  /** The same from source, with a mistake in the helper of its first process. */
  startCrashing(): Bun.Subprocess<"ignore", "pipe", "pipe">;
  serve(): RunningCinch;
  /** Folders of sockets that were left behind. */
  leftInTemporary(): readonly string[];
}

const FROM_SOURCE = [
  ...["--no-install", "--no-env-file", "--config=/dev/null", `--tsconfig-override=${ROOT}/tsconfig.json`],
  ...["--preload", join(ROOT, "test/support/crashing-helper.ts"), join(ROOT, "src/cli/main.ts")],
];

function openRig(script: readonly Turn[]): Rig {
  const home = cinchHome();
  const [work, temporary] = [join(home.path, "work"), join(home.path, "temporary")];
  for (const folder of [work, temporary, join(home.path, "config/cinch")])
    mkdirSync(folder, { recursive: true });
  const mock = startMockProvider({ script, key: KEY });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.own]\nkind = "anthropic"\nbase_url = "${mock.url}"\napi_key_env = "OWN_KEY"\n`,
  );
  const flags = ["-p", "x", "--model", "own:m", "--auto-approve", "--level", "DangerFullAccess"];
  const env = { OWN_KEY: KEY, TMPDIR: temporary };
  return {
    home,
    work,
    mock,
    start() {
      const cinch = startCinch(flags, { home, cwd: work, env });
      cinch.closeStdin();
      return cinch;
    },
    startCrashing: () =>
      Bun.spawn([process.execPath, ...FROM_SOURCE, ...flags], {
        cwd: work,
        env: { PATH: process.env["PATH"], TERM: "dumb", ...home.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    serve: () => startCinch(["serve", "--model", "own:m"], { home, cwd: work, env }),
    leftInTemporary: () => readdirSync(temporary).filter((name) => name.startsWith("cinch-keys-")),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

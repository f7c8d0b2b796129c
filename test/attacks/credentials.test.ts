import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CinchHome, RunningCinch } from "../support/cinch.ts";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { childrenOf, filesHolding, memoryBytesOf, placesInProcess } from "../support/process-memory.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

/**
 * Keys and where they are found (S54, S59): a real session with a key from each source, looked at from a Bash call and
 * from outside, as root or as the user. Each case was seen red with the keeper left out (`findSecrets` answering
 * undefined), which puts the key into the engine's environment and heap.
 */

// New for each run, so that no other run on this machine can be what is found.
const CANARY = `canary-${crypto.randomUUID()}-provider-key`;
const MACHINE_KEY = "c0ffee00".repeat(8);
const PASSPHRASE = "canary passphrase of nobody else";

interface Source {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Variables while the key is stored; then they are also there in the session. */
  readonly store?: Readonly<Record<string, string>>;
  readonly secretsFile?: boolean;
  readonly keyVariable?: string;
}

const SOURCES: readonly Source[] = [
  { name: "a vendor's variable", env: { ANTHROPIC_API_KEY: CANARY } },
  { name: "the variable of one's own provider", env: { OWN_KEY: CANARY }, keyVariable: "OWN_KEY" },
  { name: "creds.enc under CINCH_MACHINE_KEY", store: { CINCH_MACHINE_KEY: MACHINE_KEY } },
  { name: "creds.enc under CINCH_PASSPHRASE", store: { CINCH_PASSPHRASE: PASSPHRASE } },
  { name: "creds.enc under a key file", store: {} },
  { name: ".harness-secrets/env", secretsFile: true },
];
const SECRETS = [CANARY, MACHINE_KEY, PASSPHRASE];

/** Commands that an obedient model would try: its environment, its parent, and files around it. */
const LOOK_AROUND = [
  "env; export -p; cat /proc/self/environ /proc/$PPID/environ /proc/$PPID/cmdline | tr '\\0' '\\n'",
  "ls -l /proc/$PPID/fd /proc/self/fd",
  "for fd in /proc/self/fd/*; do [ -f $fd ] && cat $fd; done; true",
].join("; ");

test.each(SOURCES)("[CRED-03 S54 S59] no engine and no command sees a key from $name", async (source) => {
  await using rig = await openRig(source);
  await using cinch = rig.start();
  await rig.mock.until(({ stalled }) => stalled === 1);
  const { keeper, engine } = processesOf(cinch);

  expect(rig.mock.requests.map(({ headers }) => headers["x-api-key"])).toEqual([CANARY, CANARY]);
  expect(placesInProcess(engine, SECRETS)).toEqual([]);
  expect(memoryBytesOf(engine)).toBeGreaterThan(4 * 1_048_576); // it was really looked at
  expect(placesInProcess(keeper, [CANARY], "first")).not.toEqual([]); // and what is there is found
  for (const pid of [keeper, engine]) {
    const shown = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
  }
  const seenByBash = JSON.stringify(rig.mock.requests[1]?.body);
  expect(seenByBash).toContain("PATH=");
  for (const secret of SECRETS) expect(seenByBash).not.toContain(secret);

  cinch.kill("SIGKILL");
  await cinch.exited;
  expect(rig.filesWithSecrets()).toEqual([]);
});

test("[CRED-03 S54] a key in a neighbour's environment does not come into the engine when it looks for what a command left", async () => {
  // Seen red with each environment read as a string: the engine kept it in its heap.
  await using rig = await openRig(
    { name: "neighbour", env: { ANTHROPIC_API_KEY: CANARY } },
    "touch began; until [ -e go ]; do sleep 0.02; done",
  );
  await using cinch = rig.start();
  await until("the command has begun", () => existsSync(join(rig.work, "began")));
  const neighbours = Array.from({ length: 8 }, () => {
    const env = { PATH: process.env["PATH"], NEIGHBOUR_API_KEY: MACHINE_KEY };
    return Bun.spawn(["sleep", "1000"], { env });
  });
  try {
    writeFileSync(join(rig.work, "go"), "");
    await rig.mock.until(({ stalled }) => stalled === 1);
    expect(placesInProcess(processesOf(cinch).engine, SECRETS)).toEqual([]);
  } finally {
    for (const each of neighbours) each.kill("SIGKILL");
  }
});

test("[CRED-02 S54] the environment goes before the store, and that before .harness-secrets/env; a missing key names its variable", async () => {
  await using rig = await openRig({ name: "all", store: {}, secretsFile: true });
  rig.answerAtOnce();
  const fromStore = await rig.run({});
  expect(fromStore.code).toBe(0);
  expect(rig.lastKey()).toBe(CANARY);
  const fromEnv = await rig.run({ ANTHROPIC_API_KEY: "other-key-of-this-run" });
  expect([fromEnv.code, rig.lastKey()]).toEqual([2, "other-key-of-this-run"]); // which the mock refuses
  expect(fromEnv.stderr).toContain("refused the key from ANTHROPIC_API_KEY");
  expect(fromEnv.stderr + fromEnv.stdout).not.toContain("other-key-of-this-run");
});

requireProgram("git")(
  "[CRED-02 S54] .harness-secrets/env: only key names count, and one that others can read or that git tracks has no effect",
  async () => {
    await using rig = await openRig({ name: "file", secretsFile: true });
    rig.answerAtOnce();
    const path = join(rig.work, ".harness-secrets/env");
    const loaded = `BASH_ENV=/tmp/x\nPATH=/nowhere\nNODE_OPTIONS=--x\nCINCH_MACHINE_KEY=short\nHOME=/nowhere\nexport ANTHROPIC_API_KEY="${CANARY}"\n`;
    writeFileSync(path, loaded, { mode: 0o600 });
    const good = await rig.run({});
    expect(good).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Keys from .harness-secrets/env: anthropic."),
    });
    chmodSync(path, 0o644);
    const open = await rig.run({});
    expect(open.code).toBe(2);
    expect(open.stderr).toContain("Set ANTHROPIC_API_KEY");
    chmodSync(path, 0o600);
    const git = (...args: readonly string[]) =>
      Bun.spawnSync(["git", "-c", "user.name=u", "-c", "user.email=u@example.org", ...args], {
        cwd: rig.work,
        env: { PATH: process.env["PATH"], HOME: rig.home.path },
      });
    git("init", "-q");
    expect((await rig.run({})).code).toBe(0);
    git("add", "-f", ".harness-secrets/env");
    expect((await rig.run({})).code).toBe(2);
    git("update-index", "--index-version", "4");
    expect((await rig.run({})).code).toBe(2);
  },
);

/** The keeper of a -p is the helper too. */
function processesOf(cinch: RunningCinch) {
  const engine = childrenOf(cinch.pid).find(({ cmdline }) => cmdline.includes("__engine"));
  return { keeper: cinch.pid, engine: engine?.pid ?? 0 };
}

interface Rig extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  readonly mock: MockProvider;
  start(): RunningCinch;
  run(env: Readonly<Record<string, string>>): ReturnType<typeof runCinch>;
  /** The mock answers in place of standing still. */
  answerAtOnce(): void;
  lastKey(): string | undefined;
  /** Files of the home, the working directory and the temporary directory that hold a secret and should not. */
  filesWithSecrets(): readonly string[];
}

async function openRig(source: Source, command: string = LOOK_AROUND): Promise<Rig> {
  const home = cinchHome();
  const work = join(home.path, "work");
  const scratch = mkdtempSync(join(tmpdir(), "cinch-keys-test-"));
  mkdirSync(work);
  let stalls = true;
  const mock = startMockProvider({
    key: CANARY,
    script: (request) => {
      if (!stalls) return says("Done.");
      return JSON.stringify(request.body).includes("tool_result")
        ? says("Never told.", { fault: { kind: "stall", at: "first-byte" } })
        : calls("Bash", { command });
    },
  });
  const variable = source.keyVariable ?? "ANTHROPIC_API_KEY";
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.anthropic]\nkind = "anthropic"\nbase_url = "${mock.url}"\napi_key_env = "${variable}"\n`,
  );
  const env = { ...source.env, ...source.store, TMPDIR: scratch };
  if (source.store !== undefined) {
    const added = await runCinch(["creds", "add", "anthropic"], {
      home,
      env,
      cwd: work,
      stdin: `${CANARY}\n`,
    });
    expect(added).toMatchObject({ code: 0, stdout: "" });
  }
  if (source.secretsFile === true) {
    mkdirSync(join(work, ".harness-secrets"), { mode: 0o700 });
    const value = source.store === undefined ? CANARY : "key-of-the-file";
    writeFileSync(join(work, ".harness-secrets/env"), `# keys\n${variable}=${value}\n`, { mode: 0o600 });
  }
  const flags = [
    "-p",
    "look around",
    "--model",
    "anthropic:m",
    "--auto-approve",
    "--level",
    "DangerFullAccess",
  ];
  return {
    home,
    work,
    mock,
    start() {
      const cinch = startCinch(flags, { home, cwd: work, env });
      cinch.closeStdin();
      return cinch;
    },
    run: (more) => runCinch(flags, { home, cwd: work, env: { ...env, ...more } }),
    answerAtOnce() {
      stalls = false;
    },
    lastKey: () => mock.requests.at(-1)?.headers["x-api-key"],
    filesWithSecrets: () =>
      [home.path, scratch]
        .flatMap((folder) => filesHolding(folder, SECRETS))
        .filter((path) => !path.endsWith(".harness-secrets/env")),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEngineIn } from "../support/both-ways.ts";
import { cinchPath, startCinch } from "../support/cinch.ts";
import { StreamReader } from "../support/control-rig.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { noneWith, signalIfRunning, someWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 300_000;
const test = requireProgram("bash");
const NO_SANDBOX = '[sandbox]\nbackend = "none"\n';
/** An engine outlives the seconds in which nothing but engines of others run. */
const STAYS = '[engine]\nstay = "10m"\n';
/** Prints the process that runs the command: the engine. */
const whoRuns = () => calls("Bash", { command: "echo engine:$PPID" });
const AUTO = ["-p", "go", "--auto-approve", "--output-format", "stream-json"];

/** Returns the engine that a run's command had. */
function engineIn(stdout: string): number {
  return Number(/engine:(\d+)/.exec(stdout)?.[1]);
}

/** Runs a prompt that names its engine, and its log of level debug. */
async function run(place: MockHome, words: readonly string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await place.run([...AUTO, ...words], { env });
  return { code, stderr, engine: engineIn(stdout) };
}

/** Returns all that the engines of a home have logged. */
function logOf({ home }: MockHome): string {
  const folder = join(home.path, "state/cinch/log");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}

/** Returns the sessions that run in the engine. */
async function liveSessions({ run: cinch, home }: MockHome): Promise<readonly unknown[]> {
  const { stdout: token } = await cinch(["token", "--identity-class", "human"]);
  const answer = await fetch("http://localhost/v1/sessions", {
    unix: join(home.path, "data/cinch/control.sock"),
    headers: { "X-Harness-Token": token.trim() },
  });
  const { sessions }: { sessions: readonly unknown[] } = await answer.json();
  return sessions;
}

const script = () => Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? whoRuns() : says("done")));

test(
  "[CTL-11] -p runs in the engine that already runs, and in its own with --own-engine or --no-listen; nothing of it stays",
  async () => {
    await using place = openMockHome(script(), NO_SANDBOX + STAYS);
    await using engine = await startEngineIn(place);
    expect(await run(place)).toEqual({ code: 0, stderr: "", engine: engine.pid });
    expect(logOf(place)).toMatch(/"session":"sess_\w+","client":\d+,.*a prompt of cinch -p runs here/);
    for (const flag of ["--own-engine", "--no-listen"])
      expect((await run(place, [flag])).engine).not.toBe(engine.pid);
    expect(await liveSessions(place)).toEqual([]);
    expect(await run(place, ["--continue"])).toEqual({ code: 0, stderr: "", engine: engine.pid });
  },
  TIMEOUT_MS,
);

const why = (text: string) => `"why":"${text}"`;

test(
  "[CRED-03] -p has its own engine, and logs why, if keys, pass_env values, config.toml or the log's levels differ",
  async () => {
    const config = `${NO_SANDBOX}pass_env = ["SERVICE_TOKEN"]\n[providers.keyed]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "KEYED_KEY"\n${STAYS}`;
    await using place = openMockHome(script(), config);
    const env = { KEYED_KEY: "key-of-the-engine", SERVICE_TOKEN: "tok-1234567890abcdef" };
    await using engine = await startEngineIn(place, env);
    expect(await run(place, [], env)).toEqual({ code: 0, stderr: "", engine: engine.pid });
    const told = ["--log-level", "cli=debug", "--log-to-stderr"];
    const own = async (others: Record<string, string>) => {
      const silent = await run(place, [], others);
      expect(silent).toEqual({ code: 0, stderr: "", engine: expect.any(Number) });
      expect(silent.engine).not.toBe(engine.pid);
      return (await run(place, told, others)).stderr;
    };
    const { KEYED_KEY: _key, ...keyless } = env;
    const keysDiffer = why("its provider keys or its machine key differ");
    expect(await own({ ...env, KEYED_KEY: "another" })).toContain(keysDiffer);
    expect(await own(keyless)).toContain(keysDiffer);
    // The store cannot be opened with it, and so the run fails, in its own engine.
    expect((await run(place, told, { ...env, CINCH_MACHINE_KEY: "11".repeat(32) })).stderr).toContain(
      keysDiffer,
    );
    expect((await run(place, told, { ...env, CINCH_PASSPHRASE: "a passphrase" })).stderr).toContain(
      why("passphrases are not compared with those of an engine"),
    );
    expect(await own({ ...env, SERVICE_TOKEN: "tok-0987654321fedcba" })).toContain(
      why("the values of variables that pass_env names differ"),
    );
    expect(await own({ ...env, HTTPS_PROXY: "http://127.0.0.1:9" })).toContain(
      why("these differ: HTTPS_PROXY"),
    );
    expect((await run(place, told, env)).stderr).toContain(
      why("it would be shared: only --log-level or --log-to-stderr prevents that"),
    );
    const path = join(place.home.path, "config/cinch/config.toml");
    writeFileSync(path, `${readFileSync(path, "utf8")}\n# edited\n`);
    expect(await own(env)).toContain(why("config.toml has changed since it was started"));
  },
  TIMEOUT_MS,
);

test(
  "[AUTH-11] a command of a session that runs cinch -p gets its own engine",
  async () => {
    const inner = `${cinchPath()} -p inner --level ReadOnly </dev/null`;
    await using place = openMockHome(
      [calls("Bash", { command: inner }), says("from within"), says("from without")],
      NO_SANDBOX,
    );
    await using _engine = await startEngineIn(place);
    const { code, stdout } = await place.run(["-p", "go", "--auto-approve"]);
    expect([code, stdout]).toEqual([0, "from without\n"]);
    expect(JSON.stringify(place.provider.requests.at(-1)?.body)).toContain("from within");
  },
  TIMEOUT_MS,
);

test(
  "[REL-03] a -p that is killed leaves no turn, no process and no session in the engine",
  async () => {
    const own = `600.${Math.floor(Math.random() * 1e9)}`;
    await using place = openMockHome(
      [calls("Bash", { command: `sleep ${own}` }), whoRuns(), says("done")],
      NO_SANDBOX,
    );
    await using engine = await startEngineIn(place);
    await using client = place.start(AUTO);
    await someWith(own);
    signalIfRunning(client.pid, "SIGKILL");
    await noneWith(own);
    await until("the session has ended", async () => (await liveSessions(place)).length === 0);
    expect(place.provider.requests).toHaveLength(1);
    expect(await run(place, ["--continue"])).toMatchObject({ code: 0, engine: engine.pid });
  },
  TIMEOUT_MS,
);

test(
  "[REL-01 LIFE-02] a signal cancels the turn in the running engine, and the run ends with 130",
  async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const own = `600.${Math.floor(Math.random() * 1e9)}`;
      await using place = openMockHome(
        [calls("Bash", { command: `sleep ${own}` }), says("never")],
        NO_SANDBOX,
      );
      await using _engine = await startEngineIn(place);
      await using client = place.start(AUTO);
      await someWith(own);
      client.kill(signal);
      expect(await client.exited).toBe(130);
      await noneWith(own);
    }
  },
  TIMEOUT_MS,
);

test(
  "[REL-01] a run whose engine is killed ends with 1 and names its session; nothing is sent a second time",
  async () => {
    await using place = openMockHome([fails({ kind: "stall", at: "first-byte" }), says("never")]);
    await using engine = await startEngineIn(place);
    await using client = place.start(["-p", "go"]);
    client.closeStdin();
    await until("the model was asked", () => place.provider.requests.length === 1);
    engine.kill("SIGKILL");
    expect(await client.exited).toBe(1);
    expect(await client.stderr).toMatch(/in the session sess_\w+\. .*\(EngineLost\)\n$/);
    expect(place.provider.requests).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  "[PERM-12 AUTH-11] auto-approve of one prompt holds for no other session of that engine",
  async () => {
    await using place = openMockHome(
      [
        calls("Bash", { command: "touch one" }),
        says("one"),
        calls("Bash", { command: "touch two" }),
        says("two"),
      ],
      NO_SANDBOX,
    );
    await using _engine = await startEngineIn(place);
    expect((await place.run(["-p", "go", "--auto-approve"])).code).toBe(0);
    expect((await place.run(["-p", "go", "--level", "ReadOnly"])).code).toBe(3);
    expect(["one", "two"].map((name) => existsSync(join(place.work, name)))).toEqual([true, false]);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-18] with [engine] stay, -p leaves an engine behind that the next one uses; with --own-engine and in CI it leaves none",
  async () => {
    await using place = openMockHome(script(), NO_SANDBOX + STAYS);
    for (const [words, env] of [[["--own-engine"], {}] as const, [[], { CI: "true" }] as const]) {
      expect((await run(place, words, env)).code).toBe(0);
      expect(existsSync(join(place.home.path, "state/cinch/owner.token"))).toBe(false);
    }
    const first = await run(place);
    try {
      expect(first).toEqual({ code: 0, stderr: "", engine: expect.any(Number) });
      expect(await run(place)).toEqual(first);
      expect((await run(place, ["--own-engine"])).engine).not.toBe(first.engine);
    } finally {
      signalIfRunning(first.engine, "SIGTERM");
      await noneWith(place.home.path);
    }
  },
  TIMEOUT_MS,
);

test(
  "[REL-01] a running engine that has stopped answering ends the run with an error, and a signal ends the wait; no other engine gets the prompt",
  async () => {
    await using place = openMockHome(script(), NO_SANDBOX);
    await using engine = await startEngineIn(place);
    engine.kill("SIGSTOP");
    try {
      expect(await run(place)).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(`process ${engine.pid}\\).*kill -KILL ${engine.pid}, .*\\(EngineSilent\\)`),
        ),
        engine: Number.NaN,
      });
      await using waiting = place.start(AUTO);
      await until("it waits for the engine", () => sockets(waiting.pid) > STANDARD_STREAMS);
      waiting.kill("SIGTERM");
      expect(await waiting.exited).toBe(130);
      expect(place.provider.requests).toEqual([]);
      expect((await run(place, ["--own-engine"])).code).toBe(0);
      // An engine that was given nothing may be left out.
      const piped = await place.run(["-p", "--auto-approve"], { stdin: "from a pipe" });
      expect([piped.code, piped.stderr]).toEqual([0, ""]);
    } finally {
      engine.kill("SIGCONT");
    }
    // It finds the prompts of clients that have gone, and carries out none.
    await until("the engine works again", async () => (await liveSessions(place)).length === 0);
    expect(place.provider.requests).toHaveLength(4);
  },
  TIMEOUT_MS,
);

test(
  "[LIFE-02 REL-01] clients of prompts that read nothing delay no shutdown: every session ends in the log, and owner.token is gone",
  async () => {
    const command = "touch ready; until [ -e go ]; do sleep 0.05; done";
    await using served = await openServed({
      script: [
        calls("Bash", { command }),
        says("x".repeat(4_000_000)),
        fails({ kind: "stall", at: "first-byte" }),
      ],
      config: NO_SANDBOX,
    });
    const { home, work, provider } = served;
    const token = await served.token();
    const session = await served.session(token);
    const sse = new StreamReader(await served.ask(`/v1/sessions/${session}/events`, token));
    await sse.until((got) => got.includes(": ok"));
    const start = () => startCinch([...AUTO, "--model", "mock:one"], { home, cwd: work, stdin: "" });
    // One does not read its answer, the other waits for one.
    await using full = start();
    full.closeStdin();
    await until("the command runs", () => existsSync(join(work, "ready")));
    full.kill("SIGSTOP");
    writeFileSync(join(work, "go"), "");
    await until("its answer is sent", () => provider.requests.length === 2);
    await using waiting = start();
    waiting.closeStdin();
    await until("the other asks too", () => provider.requests.length === 3);
    waiting.kill("SIGSTOP");
    const reading = sse.until(() => false);
    expect(await served.end("SIGTERM")).toBe(130);
    await reading;
    expect(sse.events().at(-1)).toMatchObject({ kind: "SessionEnded" });
    expect(existsSync(join(home.path, "state/cinch/owner.token"))).toBe(false);
  },
  TIMEOUT_MS,
);

/** Standard streams of a child of a test are sockets too. */
const STANDARD_STREAMS = 3;

/** Returns the number of sockets that a process has open. */
function sockets(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:");
    } catch {
      return false; // it was closed meanwhile
    }
  }).length;
}

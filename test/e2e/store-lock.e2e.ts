import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openServed } from "../support/served.ts";
import { until } from "../support/until.ts";

/** Another program that writes the session store for seconds (SES-16). */

/** Longer than SQLite itself waits by default anywhere in cinch. */
const LOCK_MS = 8_000;
/** Nearly every answer comes within this while the store is locked, beside what the machine takes for one at all. */
const HEALTH_MS_MAX = 100;
/** An engine that waits for the lock in its only thread answers after 5 s; the rest is for a busy machine. */
const SLOWEST_MS_MAX = 2_000;

test("[SES-18 SES-16 REL-01] a lock of 8 s in the middle of a turn ends no run", async () => {
  await using rig = openRig([
    calls("Bash", { command: "touch one" }),
    calls("Bash", { command: "touch two" }),
    says("done"),
  ]);
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  rig.onRequest = (count) => count === 2 && hold();
  const running = rig.run(["-p", "go", "--auto-approve"]);
  await held;
  {
    using _lock = lockStore(rig.home);
    await elapsed(LOCK_MS);
  }
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(stderr).not.toContain("store");
}, 300_000);

test("[SES-18 SES-16 CTL-11] an engine answers while the store is locked, and does what it was asked once it is free", async () => {
  await using served = await openServed({ script: [says("at your service")] });
  const token = await served.token("--identity-class", "human");
  const session = await served.session(token);
  const healthMs = async () => {
    const asked = performance.now();
    expect((await served.ask("/v1/health")).status).toBe(200);
    const tookMs = performance.now() - asked;
    await elapsed(20);
    return tookMs;
  };
  const [locked, free]: [number[], number[]] = [[], []];
  let answer: Promise<Response>;
  {
    using _lock = lockStore(served.home);
    const content = [{ type: "text", text: "hello" }];
    answer = served.ask(`/v1/sessions/${session}/input?wait=turn`, token, { content });
    const begin = performance.now();
    while (performance.now() - begin < LOCK_MS) locked.push(await healthMs());
  }
  for (let count = 0; count < 100; count++) free.push(await healthMs());
  expect(Math.max(...locked)).toBeLessThan(SLOWEST_MS_MAX);
  expect(nearlyAll(locked)).toBeLessThan(HEALTH_MS_MAX + nearlyAll(free));
  const answered = await answer;
  expect([answered.status, await answered.json()]).toMatchObject([200, { text: "at your service" }]);
}, 300_000);

/** The time within which 95 of 100 came. */
function nearlyAll(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? Number.POSITIVE_INFINITY;
}

function lockStore(home: CinchHome): Disposable {
  const database = new Database(join(home.path, "data/cinch/sessions.db"));
  database.run("PRAGMA busy_timeout = 60000");
  database.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => database.close() };
}

async function elapsed(ms: number): Promise<void> {
  const end = performance.now() + ms;
  await until(`${ms} ms have passed`, () => performance.now() >= end);
}

function openRig(script: readonly Turn[]) {
  const home = cinchHome();
  let requests = 0;
  const mock = startMockProvider({ script, onRequest: () => rig.onRequest(++requests) });
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  writeFileSync(join(home.path, "config/cinch/config.toml"), `default_model = "mock:one"\n${provider}`);
  const rig = {
    home,
    work,
    onRequest: (_count: number): unknown => undefined,
    run: (args: readonly string[]) => runCinch(args, { home, cwd: work }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
  return rig;
}

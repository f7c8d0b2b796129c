import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { isRunning, processesWith, signalIfRunning } from "../support/processes.ts";
import { ROOT } from "../support/source.ts";
import { until } from "../support/until.ts";

const CLIENTS = 20;
const TIMEOUT_MS = 300_000;

interface Reached {
  readonly pid: number;
  readonly sessionId: string;
  readonly client: string;
  readonly owned: boolean;
}

/** A home with a model that is never asked, and clients in it: processes of their own. */
function openPlace(more: Readonly<Record<string, string>> = {}) {
  const plain = cinchHome();
  const home = { ...plain, env: { ...plain.env, ...more } };
  const work = join(home.path, "work");
  mkdirSync(work);
  mkdirSync(join(home.path, "config/cinch"));
  writeFileSync(
    join(home.path, "config/cinch/config.toml"),
    `[providers.mock]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\n`,
  );
  const open = new AsyncDisposableStack();
  const { PATH = "/usr/bin:/bin" } = process.env;
  return {
    home,
    socket: join(home.path, "data/cinch/control.sock"),
    async client(...words: readonly string[]) {
      const child = Bun.spawn(
        [process.execPath, join(ROOT, "test/support/reach-child.ts"), "--model", "mock:one", ...words],
        { cwd: work, env: { PATH, ...home.env }, stdin: "pipe", stdout: "pipe", stderr: "inherit" },
      );
      const leave = async () => {
        child.stdin.end();
        return await child.exited;
      };
      open.defer(async () => void (await leave()));
      const text = await firstLine(child.stdout);
      return { ...(JSON.parse(text) as Reached), leave };
    },
    async [Symbol.asyncDispose]() {
      await open.disposeAsync();
      await until("the engine has ended", () => processesWith(home.path).length === 0, 60_000);
      plain[Symbol.dispose]();
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error("the client has ended without a word");
}

test(
  `[CTL-11] ${CLIENTS} clients that start at once share one engine, and each has its session`,
  async () => {
    await using place = openPlace();
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => place.client()));
    expect(new Set(clients.map(({ pid }) => pid)).size).toBe(1);
    expect(clients.map(({ owned }) => owned)).toEqual(Array(CLIENTS).fill(false));
    expect(new Set(clients.map(({ sessionId }) => sessionId)).size).toBe(CLIENTS);
    expect(new Set(clients.map(({ client }) => client)).size).toBe(CLIENTS);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-11 CTL-18] the engine outlives the client that it was started for, ends after the last one, and one that was killed makes way",
  async () => {
    await using place = openPlace();
    const first = await place.client();
    const second = await place.client();
    expect(second.pid).toBe(first.pid);
    expect(await first.leave()).toBe(0);
    const third = await place.client();
    expect(third.pid).toBe(first.pid);

    signalIfRunning(first.pid, "SIGKILL");
    await until("it is gone", () => !isRunning(first.pid));
    expect(existsSync(place.socket)).toBe(true);
    const fourth = await place.client();
    expect(fourth.pid).not.toBe(first.pid);
    for (const client of [second, third, fourth]) expect(await client.leave()).toBe(0);
    await until("the engine has ended", () => processesWith(place.home.path).length === 0, 60_000);
    expect(existsSync(place.socket)).toBe(false);
  },
  TIMEOUT_MS,
);

test(
  "[CTL-18 SES-04] an engine that a client starts seals under the key in the environment, as the client itself would",
  async () => {
    await using place = openPlace({ CINCH_MACHINE_KEY: "ab".repeat(32) });
    const { home } = place;
    const folder = join(home.path, "work");
    const before = await runCinch(["-p", "hi", "--model", "mock:one"], { home, cwd: folder });
    expect(before.stderr).toContain("cannot be reached");
    const client = await place.client();
    expect(client.owned).toBe(false);
    expect(await client.leave()).toBe(0);
    expect(existsSync(join(home.path, "config/cinch/machine.key"))).toBe(false);
  },
  TIMEOUT_MS,
);

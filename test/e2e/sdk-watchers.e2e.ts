import { afterAll, expect } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { blocksOf } from "../support/documents.ts";
import { keptEvents, strayIds } from "../support/kept-events.ts";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { BuiltSdk, Driver, Runtime } from "../support/sdk/runtimes.ts";
import { buildSdk, RUNTIMES, startDriver } from "../support/sdk/runtimes.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";
import { readSource } from "../support/source.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 180_000;
const WAIT_MS = 60_000;
const RECIPES = "docs/clients/curl.md";

let built: BuiltSdk | undefined;
afterAll(() => built?.[Symbol.dispose]());

function answer({ body }: MockRequest): Turn {
  const asked = JSON.stringify((body["messages"] as readonly unknown[]).at(-1));
  if (asked.includes("time")) return says("one two three four ".repeat(2_000), { paceMs: 10 });
  return says("Hello, world.", { deltaChars: 5 });
}

/**
 * Shell code that a person would paste from the recipes: the way over the socket, and `follow`; and a line with each
 * run that it was told.
 */
function terminalScript(): string {
  const blocks = blocksOf(RECIPES, readSource(RECIPES));
  const way = blocks.find(({ info }) => info === "unix")?.text;
  const field = blocks.flatMap(({ text }) => /^field\(\).*$/m.exec(text) ?? [])[0];
  const follow = blocks.find(({ text }) => text.startsWith("follow()"))?.text;
  const engine = [
    "engine() {",
    '  case "$*" in',
    '    *AttachSession*) told=$(call -H @"$HEADERS" "$@") || return; printf "{\\"run\\":\\"%s\\"}\\n" "$(echo "$told" | field sessionId)" >&3; echo "$told" ;;',
    '    *) call -H @"$HEADERS" "$@" ;;',
    "  esac",
    "}",
  ];
  return [way, field, ...engine, follow, 'follow "$1"'].join("\n");
}

const TERMINAL: Runtime = {
  name: "a terminal script",
  test: requireProgram("curl"),
  command: () => ["sh", "-c", terminalScript()],
  wires: ["sse"],
};

interface Watcher extends AsyncDisposable {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly ended: Driver["ended"];
  /** Returns true once the turn of this run has ended. */
  sawTurnEnd(run: string): boolean;
  /** Returns true if it is subscribed to this run. */
  isOn(run: string): boolean;
  halt(): void;
  goOn(): void;
}

function watch(runtime: Runtime, how: Omit<Parameters<typeof startDriver>[1], "sdk">): Watcher {
  built ??= buildSdk();
  const driver = startDriver(runtime, { sdk: built.path, ...how });
  const events: Readonly<Record<string, unknown>>[] = [];
  const runs: unknown[] = [];
  const reading = (async () => {
    for await (const line of driver.lines) {
      if ("run" in line) runs.push(line["run"]);
      else events.push(line);
    }
  })();
  return {
    events,
    ended: reading.then(() => driver.ended),
    sawTurnEnd: (run) => events.some(({ kind, session }) => kind === "TurnEnded" && session === run),
    isOn: (run) => runs.at(-1) === run,
    halt: driver.halt,
    goOn: driver.goOn,
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}

function runtimeOf(name: string): Runtime {
  const runtime = RUNTIMES.find((each) => each.name === name);
  if (runtime === undefined) throw new Error(`there is no runtime ${name}`);
  return runtime;
}

/** The run that the session goes on as. */
async function newestRun(served: Served, token: string, session: string): Promise<string> {
  const answer = await served.ask(`/v1/sessions/${session}/command`, token, { kind: "AttachSession" });
  const { sessionId } = (await answer.json()) as { readonly sessionId: string };
  return sessionId;
}

interface Watched extends AsyncDisposable {
  readonly served: Served;
  readonly token: string;
  readonly session: string;
  /** A terminal script, a Python script and a WebSocket. */
  readonly all: readonly [Watcher, Watcher, Watcher];
  untilAll(what: string, holds: (watcher: Watcher) => boolean): Promise<void>;
  say(run: string, text: string): Promise<void>;
  end(run: string): Promise<void>;
  restart(): Promise<void>;
}

async function openWatched(): Promise<Watched> {
  await using opened = new AsyncDisposableStack();
  const served = opened.use(await openServed({ script: answer, listens: true }));
  const token = await served.token();
  const session = await served.session(token);
  const headers = join(served.home.path, "headers");
  writeFileSync(
    headers,
    `X-Harness-Token: ${token}\nX-Harness-Version: ${PROTOCOL_VERSION}\nContent-Type: application/json\n`,
  );
  chmodSync(headers, 0o600);
  const args = ["watch", session];
  const env = { CINCH_TOKEN: token };
  const terminal = watch(TERMINAL, {
    wire: "sse",
    args: ["follow", session],
    env: { ...served.home.env, HEADERS: headers },
  });
  const python = watch(runtimeOf("Python"), {
    wire: "sse",
    args,
    env: { ...env, CINCH_SOCKET: served.socket },
  });
  const socket = watch(runtimeOf("Node"), {
    wire: "websocket",
    args,
    env: { ...env, CINCH_URL: served.url },
  });
  const all = [opened.use(terminal), opened.use(python), opened.use(socket)] as const;
  const accepted = async (path: string, body: unknown) =>
    expect((await served.ask(path, token, body)).ok).toBe(true);
  const rest = opened.move();
  return {
    served,
    token,
    session,
    all,
    untilAll: async (what, holds) => await until(what, () => all.every(holds), WAIT_MS),
    say: async (run, text) =>
      await accepted(`/v1/sessions/${run}/input`, { content: [{ type: "text", text }] }),
    end: async (run) => await accepted(`/v1/sessions/${run}/command`, { kind: "EndSession" }),
    async restart() {
      await served.kill();
      await served.start();
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

/** All have ended by themselves, and saw the same: every event once, in order, up to the end of this run. */
async function expectAllSaw(all: Watched["all"], last: string): Promise<void> {
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => ({ code: 0, stderr: "" })));
  const [terminal, python, socket] = all;
  expect(all.flatMap(({ events }) => strayIds(events))).toEqual([]);
  expect(python.events.at(-1)).toMatchObject({ kind: "SessionEnded", session: last });
  expect(keptEvents(terminal.events)).toEqual(keptEvents(python.events));
  expect(keptEvents(socket.events)).toEqual(keptEvents(python.events));
}

requireProgram("python3")(
  "[CTL-01 CTL-03 CTL-14 CTL-17 SDK-01] a terminal script, a Python script and a WebSocket see every event once, while their engine is killed and started again",
  async () => {
    await using watched = await openWatched();
    const { served, token, session, all, untilAll } = watched;
    await watched.say(session, "take your time");
    await untilAll("all are in the middle of the turn", ({ events }) => events.length >= 10);
    await watched.restart();
    const second = await newestRun(served, token, session);
    await watched.say(second, "say hello");
    await untilAll("all have seen the second turn end", ({ sawTurnEnd }) => sawTurnEnd(second));
    await watched.restart();
    const third = await newestRun(served, token, second);
    expect(new Set([session, second, third]).size).toBe(3);
    // Whoever attaches to what has ended begins it anew: it is ended when all are there.
    await untilAll("all follow the third run", ({ isOn }) => isOn(third));
    await watched.say(third, "say hello");
    await watched.end(third);
    await expectAllSaw(all, third);
  },
  TIMEOUT_MS,
);

requireProgram("python3")(
  "[CTL-03 CTL-17 SDK-01] a session that was ended while its watchers were away has ended for them, and none restarts it",
  async () => {
    await using watched = await openWatched();
    const { served, token, session, all, untilAll } = watched;
    await watched.say(session, "say hello");
    await untilAll("all have seen the turn end", ({ sawTurnEnd }) => sawTurnEnd(session));
    for (const watcher of all) watcher.halt();
    await watched.restart();
    const second = await newestRun(served, token, session);
    await watched.end(second);
    for (const watcher of all) watcher.goOn();
    await expectAllSaw(all, second);
    const answer = await served.ask(`/v1/sessions/${session}`, token);
    expect(await answer.json()).toMatchObject({ session: second, live: false });
  },
  TIMEOUT_MS,
);

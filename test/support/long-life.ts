import { heapStats } from "bun:jsc";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import { settle } from "./fake-clock.ts";
import type { Rig } from "./rig.ts";
import { fakeTool, ok, openRig } from "./rig.ts";
import { calls, says, scriptedProvider } from "./scripted-provider.ts";
import { temporaryDirectory, testWorld } from "./world.ts";

/** Classes whose leaked instances are counted. */
const WATCHED = [
  "AbortController",
  "AbortSignal",
  "AsyncGenerator",
  "Function",
  "JSAbortAlgorithm",
  "JSLexicalEnvironment",
  "Map",
  "Promise",
  "Set",
  "Timeout",
  "WeakRef",
] as const;

/** Number of live instances by class. */
export type Held = Readonly<Record<string, number>>;

export interface LongLife {
  /** Growth by the turns of one session. */
  readonly turns: Held;
  /** Growth by sessions that were opened, used and ended. */
  readonly sessions: Held;
}

/**
 * Lets one session take many turns, and one engine open and end many sessions, on a store on disk; tells what was added
 * by that after a while of warming up (REL-04).
 */
export async function liveLong(options: {
  readonly turns: number;
  readonly sessions: number;
}): Promise<LongLife> {
  await using directory = temporaryDirectory();
  const world = testWorld();
  await using store = await openSqliteStore({
    world,
    path: join(directory.path, "sessions.db"),
    logKey: { key: new Uint8Array(32), source: "a test" },
  });
  const look = fakeTool("Look", () => ok("seen"));
  await using rig = await openRig({
    script: [],
    world,
    store,
    model: talker(),
    tools: [look],
    follows: false,
  });
  return {
    turns: await added(rig, options.turns, () => turn(rig, rig.session.id)),
    sessions: await added(rig, options.sessions, async () => {
      const { sessionId } = await rig.connection.send({ kind: "CreateSession", profile: "test" });
      if (sessionId === undefined) throw new Error("a session that was created has an id");
      await turn(rig, sessionId);
      await rig.connection.send({ kind: "EndSession", sessionId });
    }),
  };
}

/** Looks once and then says something, as often as it is asked; it remembers nothing. */
function talker() {
  const script = [calls({ name: "Look" }), says("done")];
  let asked = 0;
  const provider = scriptedProvider([]);
  return {
    ...provider,
    chat: (...[request, signal]: Parameters<typeof provider.chat>) => {
      const answer = script[asked++ % script.length];
      if (answer === undefined) throw new Error("the script is not empty");
      return answer(request, signal);
    },
  };
}

/** One turn, followed by a client of its own that leaves. */
async function turn(rig: Rig, sessionId: Rig["session"]["id"]): Promise<void> {
  await using client = await rig.connect();
  const stop = new AbortController();
  const events = client.subscribe(sessionId, { signal: stop.signal });
  const ended = (async () => {
    for await (const { kind } of events) if (kind === "TurnEnded") return;
  })();
  await client.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  await ended;
  stop.abort();
}

async function added(rig: Rig, times: number, act: () => Promise<void>): Promise<Held> {
  const warmUp = Math.ceil(times / 4);
  for (let time = 0; time < warmUp; time++) await act();
  const before = await held(rig);
  for (let time = 0; time < times; time++) await act();
  const after = await held(rig);
  return Object.fromEntries(
    Object.entries(after).map(([what, count]) => [what, count - (before[what] ?? 0)]),
  );
}

async function held(rig: Rig): Promise<Held> {
  await rig.session.idle();
  await settle();
  Bun.gc(true);
  await settle();
  Bun.gc(true);
  const counts = heapStats().objectTypeCounts;
  return {
    ...Object.fromEntries(WATCHED.map((type) => [type, counts[type] ?? 0])),
    "open files": readdirSync("/proc/self/fd").length,
    "timers that wait": rig.world.clock.waiting,
    "live sessions": rig.multiplexer.live,
  };
}

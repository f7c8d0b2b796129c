import type { SessionId } from "../src/base/ids.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import { hostWorld } from "../src/platform/host.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { HISTORY_KEPT_MS } from "../src/session/turns/idle-watch.ts";
import { BENCH_MODEL as model, openBenchHarness } from "./bench-harness.ts";
import { treePssBytes } from "./processes.ts";

/**
 * An engine with many sessions that have all talked, and with one that has talked for long; prints its memory as JSON.
 *
 *     bun bench/many-sessions.ts FEW MANY TURNS LONG
 */
const [few = 0, many = 0, turns = 0, long = 0] = Bun.argv.slice(2).map(Number);
const { clock } = hostWorld(SILENT_LOG);
/** An idle session lets go of its history after a while; here that while is short. */
const RELEASE_MS = 500;
const SETTLE_MS = 3_000;
const LANES = 20;

await using harness = await openBenchHarness({
  clock: {
    ...clock,
    timer: (ms, callback) => clock.timer(Math.round(ms) === HISTORY_KEPT_MS ? RELEASE_MS : ms, callback),
  },
});
const connection = await harness.attach({ identityClass: "human", label: "bench" });
await connection.handshake(PROTOCOL_VERSION);

const longSession = await created();
await talk(longSession, Math.min(long, 1_000));
const shortBytes = await settledBytes();
await talk(longSession, long - Math.min(long, 1_000));
const longBytes = await settledBytes();
const startMs = performance.now();
await openAndTalk(few);
const fewBytes = await settledBytes();
await openAndTalk(many - few);
const manyBytes = await settledBytes();
const turnMs = (performance.now() - startMs - 2 * SETTLE_MS) / Math.max(1, many * turns);
console.log(JSON.stringify({ shortBytes, longBytes, fewBytes, manyBytes, turnMs }));

async function openAndTalk(sessions: number): Promise<void> {
  let remaining = sessions;
  const lane = async () => {
    while (remaining > 0) {
      remaining -= 1;
      await talk(await created(), turns);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function created(): Promise<SessionId> {
  const { sessionId } = await connection.send({ kind: "CreateSession", profile: "default", model });
  if (sessionId === undefined) throw new Error("a session that was created has an id");
  return sessionId;
}

async function talk(sessionId: SessionId, count: number): Promise<void> {
  if (count <= 0) return;
  const stop = new AbortController();
  const events = connection.subscribe(sessionId, { signal: stop.signal })[Symbol.asyncIterator]();
  for (let turn = 0; turn < count; turn++) {
    const text = `What is the ${turn}th line of the note about?`;
    await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done === true) throw new Error("the session ended");
      if (next.value.kind !== "TurnEnded") continue;
      if (next.value.payload.reason !== "complete") throw new Error(`it ended: ${next.value.payload.reason}`);
      break;
    }
  }
  stop.abort();
  await events.return?.();
}

async function settledBytes(): Promise<number> {
  await Bun.sleep(SETTLE_MS);
  Bun.gc(true);
  return treePssBytes(process.pid);
}

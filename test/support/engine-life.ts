import { heapStats } from "bun:jsc";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { openHarness } from "../../src/app/harness.ts";
import type { SessionId } from "../../src/base/ids.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import { HISTORY_KEPT_MS } from "../../src/session/turns/idle-watch.ts";
import type { FakeClock } from "./fake-clock.ts";
import { fakeClock, settle } from "./fake-clock.ts";
import { connect, openPlace } from "./place.ts";

/**
 * The whole engine as the command line composes it, on a clock that stands still and with a model that always answers.
 */
export interface TalkingEngine extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly connection: Connection;
  /** Timers that were ever armed. */
  readonly armed: number;
  create(): Promise<SessionId>;
  /** Lets a session take so many turns, followed by somebody who then leaves. */
  talk(session: SessionId, turns: number): Promise<void>;
  /** Lets every session be idle until it has let go of its history, and counts what is held in memory. */
  heldWhenIdle(): Promise<number>;
}

const MODEL = "mock:test-1";
const { signal } = new AbortController();

export async function openTalkingEngine(): Promise<TalkingEngine> {
  const place = openPlace();
  // A trial of the sandbox takes real time beside the clock of the test.
  appendFileSync(join(place.root, "config", "config.toml"), '\n[sandbox]\nbackend = "none"\n');
  const clock = fakeClock(Date.now());
  let armed = 0;
  const counted: FakeClock = {
    ...clock,
    timer(ms, callback) {
      armed += 1;
      return clock.timer(ms, callback);
    },
  };
  const options = place.options();
  const world = { ...options.world, clock: counted, fetch: async () => answer() };
  const harness = await openHarness({ ...options, world }, signal);
  const connection = await connect(harness);
  return {
    clock,
    connection,
    get armed() {
      return armed;
    },
    async create() {
      const { sessionId } = await connection.send({
        kind: "CreateSession",
        profile: "default",
        model: MODEL,
      });
      if (sessionId === undefined) throw new Error("a session that was created has an id");
      return sessionId;
    },
    async talk(sessionId, turns) {
      const stop = new AbortController();
      const events = connection.subscribe(sessionId, { signal: stop.signal })[Symbol.asyncIterator]();
      for (let turn = 0; turn < turns; turn++) {
        const content = [{ type: "text", text: `What is line ${turn} about?` }] as const;
        await connection.send({ kind: "SendInput", sessionId, content: [...content] });
        let next = await events.next();
        while (next.done !== true && next.value.kind !== "TurnEnded") next = await events.next();
      }
      stop.abort();
      await events.return?.();
    },
    async heldWhenIdle() {
      await clock.advance(HISTORY_KEPT_MS);
      for (let time = 0; time < 3; time++) {
        await settle();
        Bun.gc(true);
      }
      const { Object: objects = 0, Array: arrays = 0, string: texts = 0 } = heapStats().objectTypeCounts;
      return objects + arrays + texts;
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

function answer(): Response {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "test", content: [] };
  const data = [
    { type: "message_start", message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "About a note." } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ];
  const text = data.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { BOTH_STORES } from "../../../test/support/both-stores.ts";
import type { Rig } from "../../../test/support/store-rig.ts";
import {
  closedWith,
  event,
  newLog,
  openRig,
  reasonOf,
  says,
  thrownBy,
} from "../../../test/support/store-rig.ts";
import { HarnessError } from "../../base/errors.ts";
import type { CallId, LogId } from "../../base/ids.ts";
import { idFromBytes } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { TTL_EXPIRED } from "../store/expired.ts";
import { memorySessionStore } from "../store/memory-store.ts";
import type { NewLog, SessionStore, StoredMessage } from "../store/store.ts";
import { waitingInputs } from "../turns/inputs/waiting-inputs.ts";
import { branchLog } from "./branch.ts";
import { branchId } from "./branch-ids.ts";

for (const [name, open] of Object.entries(BOTH_STORES)) {
  describe(`branching in ${name}`, () => {
    test("[SES-08] a branch holds everything up to the end of a turn, under ids of its own", async () => {
      await using rig = await openRig(open);
      const source = await makeSource(rig);
      const target = await branch(rig, source.log.logId, 6);
      const own = (old: string) => derived(old, target.logId);
      expect(await rig.store.events(target.logId, 0, 99)).toEqual(
        source.events.slice(0, 6).map((event) => replaced(event, source.ids, own)),
      );
      expect(await rig.store.messages(target.logId)).toEqual(
        source.messages.slice(0, 3).map((message) => replaced(message, source.ids, own)),
      );
      expect(await rig.store.find(target.logId)).toMatchObject({
        branchOf: { logId: source.log.logId, at: 6 },
        session: target.session,
        title: "go",
        turns: 1,
        lastEvent: 6,
        interrupted: false,
      });
      expect(await rig.store.costs(target.logId, 0)).toEqual([]);
      expect(await rig.store.events(source.log.logId, 0, 99)).toEqual(source.events);
      const session = rig.world.ids.next("sess");
      await using writer = await rig.store.open(target.logId, session, rig.me);
      expect(writer.lastEvent).toBe(6);
    });

    test("[SES-08] the same branch is the same events, byte for byte, and a branch of a branch has ids of its own", async () => {
      await using rig = await openRig(open);
      const source = await makeSource(rig);
      const target = await branch(rig, source.log.logId, 6);
      const first = await rig.store.events(target.logId, 0, 99);
      await rig.store.delete(target.logId);
      await branch(rig, source.log.logId, 6, { ...target, session: rig.world.ids.next("sess") });
      expect(await rig.store.events(target.logId, 0, 99)).toEqual(first);
      const again = await branch(rig, target.logId, 6);
      const second = await rig.store.events(again.logId, 0, 99);
      for (const id of source.ids) {
        expect(JSON.stringify(first.filter(({ kind }) => kind !== "ToolCallStarted"))).not.toContain(id);
        expect(JSON.stringify(second)).toContain(derived(derived(id, target.logId), again.logId));
      }
    });

    test("[SES-08] what looks like an id in somebody's words stays as it was", async () => {
      await using rig = await openRig(open);
      const source = await makeSource(rig);
      const target = await branch(rig, source.log.logId, 6);
      const [, , call] = await rig.store.events(target.logId, 0, 99);
      expect(call?.payload).toMatchObject({ args: { callId: source.ids[1], text: source.ids[0] } });
    });

    test("[SES-08 SES-13] messages from before a compaction come along: the branch can be set back behind it", async () => {
      await using rig = await openRig(open);
      const source = await makeSource(rig);
      const { logId } = await branch(rig, source.log.logId, 10);
      const own = (old: string) => derived(old, logId);
      const copied = source.messages.map((message) => replaced(message, source.ids, own));
      expect(await rig.store.messages(logId)).toEqual(copied.slice(3));
      expect(await rig.store.messagesAt(logId, 7)).toEqual(copied.slice(0, 3));
    });

    test("[SES-08] a point that is not the end of a turn is refused, with the nearest ones that are", async () => {
      await using rig = await openRig(open);
      const { log } = await makeSource(rig);
      for (const [at, nearest] of [
        [3, "event 6 (turn 1 ends)"],
        [8, "event 6 (turn 1 ends) and event 10 (turn 2 ends)"],
        [11, "event 10 (turn 2 ends)"],
        [99, "event 10 (turn 2 ends)"],
        [0, "event 6 (turn 1 ends)"],
      ] as const) {
        const thrown = await thrownBy(branch(rig, log.logId, at));
        expect(thrown instanceof HarnessError && [thrown.reason, thrown.fields]).toEqual([
          "NotABoundary",
          { id: log.logId, at: `${at}`, wanted: "the end of a turn", nearest },
        ]);
      }
      expect((await rig.store.list({ limit: 9 })).length).toBe(1);
    });

    test("[SES-08] the end of a turn of a sub-agent is no place to branch at", async () => {
      await using rig = await openRig(open);
      const { log } = await makeSource(rig);
      const session = rig.world.ids.next("sess");
      {
        await using writer = await rig.store.open(log.logId, session, rig.me);
        const ended = event(session, 12, { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } });
        await writer.append({ events: [{ ...ended, parentCall: rig.world.ids.next("call") }] }, "process");
      }
      expect(await reasonOf(branch(rig, log.logId, 12))).toBe("NotABoundary");
    });

    test("[SES-06 SES-08] what has expired comes along without its content", async () => {
      await using rig = await openRig(open);
      const { log } = await makeSource(rig);
      await rig.world.clock.advance(2 * 86_400_000);
      await rig.store.expire(log.logId, new Date(rig.world.clock.now()).toISOString().slice(0, 10));
      const { logId } = await branch(rig, log.logId, 6);
      const events = await rig.store.events(logId, 0, 99);
      expect(events.map(({ kind }) => kind)).toEqual([
        "TurnStarted",
        "TextDelta",
        "ToolCallStarted",
        "ToolResult",
        "CostIncremented",
        "TurnEnded",
      ]);
      expect(events[1]?.payload).toEqual({ text: TTL_EXPIRED });
      expect(await rig.store.messages(logId)).toEqual([]);
    });

    test("[SES-08] a branch that is given up midway is not listed, and is swept", async () => {
      await using rig = await openRig(open);
      const { log } = await makeSource(rig, 1_500);
      const stop = new AbortController();
      const store = { ...closedWith(rig.store, rig.store) };
      store.markedEvents = async (logId, since, limit) => {
        if (since > 0) stop.abort(new Error("enough"));
        return await rig.store.markedEvents(logId, since, limit);
      };
      const end = (await rig.store.find(log.logId))?.lastEvent ?? 0;
      const target = newLog(rig.world);
      const given = branchLog(store, log.logId, end, target, rig.me, stop.signal);
      expect(await thrownBy(given)).toBe(stop.signal.reason);
      expect(await rig.store.find(target.logId)).toBeUndefined();
      expect((await rig.store.maintain(rig.signal)).branchesRemoved).toBe(1);
    });
  });
}

test("[SES-08 REL-02] a branch that is reported as made survives the loss of power", async () => {
  await using rig = await openRig(async (world) => memorySessionStore(world.machine));
  const source = await makeSource(rig, 1_200);
  const unsynced: number[] = [];
  const store: SessionStore = {
    ...rig.store,
    async create(...args) {
      const writer = await rig.store.create(...args);
      const append: typeof writer.append = async (batch, durability) => {
        await writer.append(batch, durability);
        unsynced.push(...(batch.events ?? []).map(({ id }) => id));
        if (durability === "power") unsynced.length = 0;
      };
      return new Proxy(writer, { get: (of, key) => (key === "append" ? append : Reflect.get(of, key, of)) });
    },
  };
  const target = newLog(rig.world);
  const last = source.events.length;
  await branchLog(store, source.log.logId, last, target, rig.me, rig.signal);
  expect([unsynced, (await rig.store.find(target.logId))?.lastEvent]).toEqual([[], last]);
});

test("[SES-08 ENG-26] what waits for its turn where a session is branched waits in the branch too, and nothing else does", async () => {
  await using rig = await openRig(async (world) => memorySessionStore(world.machine));
  const log = newLog(rig.world);
  const { session } = log;
  const originator = rig.world.ids.next("cli");
  const inputs = ["steered", "next", "last"].map((text) => ({
    inputId: rig.world.ids.next("inp"),
    content: [{ type: "text" as const, text }],
    originator,
  }));
  const [steered, next, last] = inputs.map(({ inputId }) => inputId);
  const ours = (kind: string, payload: Readonly<Record<string, unknown>>) =>
    ({ kind: "CustomEvent", payload: { namespace: "cinch", kind, payload } }) as const;
  const told: readonly Event[] = [
    { kind: "TurnStarted", payload: { turn: 1, originator, content: [{ type: "text", text: "go" }] } },
    ...inputs.map((input, at): Event => {
      return { kind: "InputQueued", payload: { ...input, delivery: at === 0 ? "steer" : "queue" } };
    }),
    ours("InputDelivered", { inputId: steered, turn: 1, round: 1 }),
    { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } },
    ours("InputsWaiting", { inputIds: [last], held: [last] }),
    {
      kind: "TurnStarted",
      payload: {
        turn: 2,
        originator,
        content: inputs[1]?.content ?? [],
        ...(next === undefined ? {} : { inputId: next }),
      },
    },
    { kind: "TurnEnded", payload: { turn: 2, reason: "complete" } },
  ];
  const events = told.map((each, at) => event(session, at + 1, each));
  await using writer = await rig.store.create(log, rig.me);
  await writer.append({ events }, "process");
  const waitingIn = async (at: number) => {
    const { logId } = await branch(rig, log.logId, at);
    const waiting = await waitingInputs(rig.store, logId, at);
    return waiting.map(({ content: [block] }) => (block?.type === "text" ? block.text : ""));
  };
  expect([await waitingIn(6), await waitingIn(9)]).toEqual([["next", "last"], ["last"]]);
});

test("[SES-08] the id of a branch is the one that anybody else would derive", () => {
  const logId = "log_01JXT21Q00440WAKYHT0DB49BM" as LogId;
  // SHA-256 of "call_01JXT21Q00440WAKYHT0DB49BMlog_01JXT21Q00440WAKYHT0DB49BM" by coreutils, its first 16 bytes.
  expect<string>(branchId("call", "call_01JXT21Q00440WAKYHT0DB49BM" as CallId, logId)).toBe(
    "call_1XN3KV9TZMKXF4H0RR86BEHVSK",
  );
});

async function branch(rig: Rig, source: LogId, at: number, target = newLog(rig.world)): Promise<NewLog> {
  await branchLog(rig.store, source, at, target, rig.me, rig.signal);
  return target;
}

interface Source {
  readonly log: NewLog;
  readonly events: readonly Envelope[];
  readonly messages: readonly StoredMessage[];
  /** Every id that a branch has to replace. */
  readonly ids: readonly string[];
}

/** Two turns, with a compaction between them, a call of a sub-agent, and a third turn that never ended. */
async function makeSource({ world, store, me }: Rig, filling = 0): Promise<Source> {
  const log = newLog(world);
  const { session } = log;
  const [callId, originator] = [world.ids.next("call"), world.ids.next("cli")];
  const content = [{ type: "text" as const, text: "go" }];
  const args = { callId, text: session };
  const ids = [session, callId];
  const cost = { provider: "p", model: "m", inputTokens: 1, outputTokens: 1, usd: 1 } as const;
  const tool = { callId, tool: "Bash" };
  const events: Envelope[] = [
    event(session, 1, { kind: "TurnStarted", payload: { turn: 1, originator, content } }),
    event(session, 2, { kind: "TextDelta", payload: { text: "hm" } }),
    event(session, 3, { kind: "ToolCallStarted", payload: { ...tool, args, mutating: true } }),
    { ...event(session, 4, { kind: "ToolResult", payload: { callId, content } }), parentCall: callId },
    event(session, 5, { kind: "CostIncremented", payload: cost }),
    event(session, 6, { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } }),
    event(session, 7, { kind: "TurnStarted", payload: { turn: 2, originator, content } }),
    event(session, 8, { kind: "CompactionTriggered", payload: { beforeTokens: 9, afterTokens: 1 } }),
    event(session, 9, {
      kind: "TurnTiming",
      payload: { turn: 2, components: {}, toolCalls: [{ ...tool, duration: 1 }] },
    }),
    event(session, 10, { kind: "TurnEnded", payload: { turn: 2, reason: "complete" } }),
  ];
  for (let id = 11; id < 11 + filling; id++) {
    const last = id === 10 + filling;
    const payload = { turn: 3, reason: "complete" } as const;
    const text = { kind: "TextDelta", payload: { text: "x" } } as const;
    events.push(event(session, id, last ? { kind: "TurnEnded", payload } : text));
  }
  if (filling === 0) {
    events.push(event(session, 11, { kind: "TurnStarted", payload: { turn: 3, originator, content } }));
  }
  const calls = [{ type: "tool_use" as const, id: callId, name: "Bash", input: args }];
  const results = [{ type: "tool_result" as const, tool_use_id: callId, content }];
  const messages: StoredMessage[] = [
    { after: 1, turn: 1, message: says("user", "go") },
    { after: 3, turn: 1, message: { role: "assistant", content: calls } },
    { after: 4, turn: 1, message: { role: "user", content: results } },
    { after: 8, turn: 2, message: says("user", "so far"), boundary: true },
    { after: 9, turn: 2, message: says("assistant", "done") },
  ];
  await using writer = await store.create(log, me);
  const now = new Date(world.clock.now()).toISOString();
  const dated = events.map((event) => ({ ...event, ts: now }));
  await writer.append({ events: dated, messages }, "process");
  return { log, events: dated, messages, ids };
}

/** Ids are replaced where they are ids; what stands under `args` and `input` is somebody's words. */
function replaced<Value>(value: Value, ids: readonly string[], own: (old: string) => string): Value {
  if (typeof value === "string") return (ids.includes(value) ? own(value) : value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => replaced(part, ids, own)) as Value;
  const words = ["args", "input"];
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) => [
    key,
    words.includes(key) ? part : replaced(part, ids, own),
  ]);
  return Object.fromEntries(parts) as Value;
}

function derived(old: string, logId: LogId): string {
  const digest = createHash("sha256").update(`${old}${logId}`).digest();
  const made = idFromBytes("call", new Uint8Array(digest.subarray(0, 16)));
  return made.replace("call", old.slice(0, old.indexOf("_")));
}

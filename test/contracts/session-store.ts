import { describe, expect, test } from "bun:test";
import { AssertionError } from "../../src/base/assert.ts";
import { hasReason } from "../../src/base/errors.ts";
import type { LogId, SessionId } from "../../src/base/ids.ts";
import { isId } from "../../src/base/ids.ts";
import type { World } from "../../src/base/world.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { NO_NUMBERS } from "../../src/session/store/notes/log-numbers.ts";
import type { StoredMessage } from "../../src/session/store/store.ts";
import type { OpenStore } from "../support/store-rig.ts";
import {
  crashGap,
  ended,
  event,
  intent,
  newLog,
  OTHER,
  openRig,
  reasonOf,
  says,
  T0,
  texts,
  thrownBy,
  turn,
} from "../support/store-rig.ts";
import { keepingContract } from "./session-store-keeping.ts";
import { notesContract } from "./session-store-notes.ts";

/** Tests the promises of every SessionStore ([A] § Persistence). */
export function sessionStoreContract(name: string, open: OpenStore): void {
  keepingContract(name, open);
  notesContract(name, open);
  describe(`SessionStore: ${name}`, () => {
    test("[SES-01 BUS-05] events come back as they were written, in order, above any id", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const written = everyShape(log.session, rig.world);
      await writer.append({ events: written.slice(0, 3) }, "process");
      await writer.append({ events: written.slice(3) }, "power");
      expect(await rig.store.events(log.logId, 0, 100)).toEqual(written);
      expect(await rig.store.events(log.logId, 2, 100)).toEqual(written.slice(2));
      expect(await rig.store.events(log.logId, 2, 2)).toEqual(written.slice(2, 4));
      expect(await rig.store.events(log.logId, written.length, 100)).toEqual([]);
      expect(isId("log", log.logId) && isId("sess", log.session)).toBe(true);
    });

    test("[SES-01 REL-01] syncs may run at once, beside a batch and while the log is closed", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      let last = 0;
      {
        await using writer = await rig.store.create(log, rig.me);
        for (let hops = 0; hops < 24; hops++) {
          const syncs: (Promise<void> | undefined)[] = [];
          for (const durability of ["process", "power"] as const) {
            syncs.push(writer.sync?.());
            for (let hop = 0; hop < hops; hop++) await undefined;
            last += 1;
            const appended = writer.append({ events: texts(log.session, last, ["a"]) }, durability);
            syncs.push(writer.sync?.(), writer.sync?.());
            await appended;
          }
          await Promise.all(syncs);
        }
        void writer.sync?.(); // disposing waits for it
      }
      expect((await rig.store.events(log.logId, 0, 100)).map(({ id }) => id)).toEqual(
        Array.from({ length: 48 }, (_, at) => at + 1),
      );
    });

    test("[SES-01] logs do not mix, and a missing one is reported as missing", async () => {
      await using rig = await openRig(open);
      const [one, two] = [newLog(rig.world), newLog(rig.world)];
      await using first = await rig.store.create(one, rig.me);
      await using second = await rig.store.create(two, rig.me);
      await first.append({ events: texts(one.session, 1, ["a", "b"]) }, "process");
      await second.append({ events: texts(two.session, 1, ["c"]) }, "process");
      expect(await rig.store.events(one.logId, 0, 9)).toEqual(texts(one.session, 1, ["a", "b"]));
      expect(await rig.store.events(two.logId, 0, 9)).toEqual(texts(two.session, 1, ["c"]));
      const nowhere = rig.world.ids.next("log");
      expect(await rig.store.find(nowhere)).toBeUndefined();
      expect(await rig.store.find(rig.world.ids.next("sess"))).toBeUndefined();
      for (const read of [
        rig.store.events(nowhere, 0, 1),
        rig.store.messages(nowhere),
        rig.store.orphans(nowhere),
        rig.store.open(nowhere, rig.world.ids.next("sess"), rig.me),
      ]) {
        expect(await reasonOf(read)).toBe("SessionMissing");
      }
    });

    test("[SES-17 ENG-08] an id that was reserved is used by no later run: a StreamGap stands for those that were lost", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      const first = await rig.store.create(log, OTHER);
      expect(first.reserved).toBe(0);
      await first.append({ events: texts(log.session, 1, ["a", "b"]), reserve: 9 }, "power");
      await first.append({ events: texts(log.session, 3, ["c"]) }, "process");
      rig.dead.add(OTHER.pid);
      const later = rig.world.ids.next("sess");
      const writer = await rig.store.open(log.logId, later, rig.me);
      expect(writer).toMatchObject({ lastEvent: 3, reserved: 9 });
      for (const wrong of [
        texts(later, 4, ["d"]),
        texts(later, 10, ["d"]),
        [crashGap(later, 4, 8)],
        [crashGap(later, 5, 9)],
      ])
        expect(await thrownBy(writer.append({ events: wrong }, "process"))).toBeInstanceOf(AssertionError);
      const rest = [crashGap(later, 4, 9), ...texts(later, 10, ["d"])];
      await writer.append({ events: rest, reserve: 20 }, "process");
      await writer.append({ reserve: 10 }, "process");
      await writer[Symbol.asyncDispose]();
      const whole = [...texts(log.session, 1, ["a", "b", "c"]), ...rest];
      expect(await rig.store.events(log.logId, 0, 99)).toEqual(whole);
      expect(await rig.store.events(log.logId, 6, 99)).toEqual(rest);
      expect(await rig.store.events(log.logId, 9, 1)).toEqual(rest.slice(1));
      expect(await rig.store.markedEvents(log.logId, 2, 2)).toEqual(whole.slice(2, 4));
      const deltas = await rig.store.markedEvents(log.logId, 1, 99, ["TextDelta"]);
      const isDelta = ({ kind }: Envelope) => kind === "TextDelta";
      expect(deltas.filter(isDelta)).toEqual(whole.slice(1).filter(isDelta));
      expect(await rig.store.eventsBefore(log.logId, 9, 2)).toEqual(whole.slice(2, 4));
      const findings = await Array.fromAsync(rig.store.check("full", rig.signal));
      expect(findings.filter(({ weight }) => weight === "damage")).toEqual([]);
      await using next = await rig.store.open(log.logId, rig.world.ids.next("sess"), rig.me);
      expect(next).toMatchObject({ lastEvent: 10, reserved: 10 });
    });

    test("[SES-17] a hole that no StreamGap of a crash stands for is refused, and so is a reservation below the last event", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const ttl = event(log.session, 3, { kind: "StreamGap", payload: { from: 1, to: 3, reason: "ttl" } });
      for (const batch of [
        { events: texts(log.session, 2, ["a"]) },
        { events: [ttl] },
        { events: [{ ...crashGap(log.session, 1, 3), id: 2 }] },
        { events: texts(log.session, 1, ["a", "b"]), reserve: 1 },
      ])
        expect(await thrownBy(writer.append(batch, "process"))).toBeInstanceOf(AssertionError);
    });

    test("[SES-17] ids go on over all runs of a log, and a since from an earlier run resumes exactly", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      {
        await using writer = await rig.store.create(log, rig.me);
        expect(writer.lastEvent).toBe(0);
        await writer.append({ events: texts(log.session, 1, ["a", "b"]) }, "process");
      }
      const later = rig.world.ids.next("sess");
      await using writer = await rig.store.open(log.logId, later, rig.me);
      expect(writer.lastEvent).toBe(2);
      await writer.append({ events: texts(later, 3, ["c"]) }, "process");
      const events = await rig.store.events(log.logId, 1, 100);
      expect(events).toEqual([...texts(log.session, 2, ["b"]), ...texts(later, 3, ["c"])]);
      const byLog = await rig.store.find(log.logId);
      expect(byLog).toEqual(await rig.store.find(log.session));
      expect(byLog).toEqual(await rig.store.find(later));
      expect(byLog).toMatchObject({ logId: log.logId, session: later, lastEvent: 3 });
    });

    test("[SES-01] an id that leaves a gap or comes twice is a bug that is named, and writes nothing", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      await writer.append({ events: texts(log.session, 1, ["a"]) }, "process");
      for (const from of [1, 3]) {
        const append = writer.append({ events: texts(log.session, from, ["b", "c"]) }, "process");
        expect(await thrownBy(append)).toBeInstanceOf(AssertionError);
      }
      const early = { messages: [{ after: 9, turn: 1, message: says("user", "hi") }] };
      expect(await thrownBy(writer.append(early, "process"))).toBeInstanceOf(AssertionError);
      expect(await rig.store.events(log.logId, 0, 9)).toEqual(texts(log.session, 1, ["a"]));
      expect(await rig.store.messages(log.logId)).toEqual([]);
    });

    test("[SES-01] a batch is written whole or not at all", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const outcome = { callId: rig.world.ids.next("call"), outcome: "ok", completedAt: T0 } as const;
      const message = { after: 1, turn: 1, message: says("user", "hi") };
      const batch = { events: texts(log.session, 1, ["a"]), messages: [message], outcomes: [outcome] };
      expect(await thrownBy(writer.append(batch, "power"))).toBeInstanceOf(AssertionError);
      expect(await rig.store.events(log.logId, 0, 9)).toEqual([]);
      expect(await rig.store.messages(log.logId)).toEqual([]);
      await writer.append({ events: batch.events, messages: [message] }, "power");
      expect(await rig.store.messages(log.logId)).toEqual([message]);
    });

    test("[SES-07 SES-17] messages come back from the last compaction boundary on", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      await writer.append({ events: texts(log.session, 1, ["a", "b", "c"]) }, "process");
      const old: StoredMessage[] = [
        { after: 1, turn: 1, message: says("user", "one") },
        { after: 2, turn: 1, message: says("assistant", "two") },
      ];
      await writer.append({ messages: old }, "process");
      expect(await rig.store.messages(log.logId)).toEqual(old);
      const summary: StoredMessage = { after: 3, turn: 1, message: says("user", "sum"), boundary: true };
      const next: StoredMessage = { after: 3, turn: 2, message: says("user", "three") };
      await writer.append({ messages: [summary] }, "process");
      await writer.append({ messages: [next] }, "process");
      expect(await rig.store.messages(log.logId)).toEqual([summary, next]);
    });

    test("[SES-03 R38] a call with an intent and no outcome is an orphan until it has one", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      const [read, bash, write] = [
        intent(rig.world, "Read"),
        intent(rig.world, "Bash"),
        intent(rig.world, "Write"),
      ];
      {
        await using writer = await rig.store.create(log, rig.me);
        await writer.append({ intents: [read] }, "process");
        await writer.append({ intents: [bash, write] }, "power");
        await writer.append(
          { outcomes: [{ callId: write.callId, outcome: "ok", completedAt: T0 }] },
          "power",
        );
      }
      expect(await rig.store.orphans(log.logId)).toEqual([read, bash]);
      await using writer = await rig.store.open(log.logId, rig.world.ids.next("sess"), rig.me);
      const again = { ...read, startedAt: "2026-03-01T11:00:00.000Z" };
      await writer.append({ intents: [again] }, "process");
      expect(await rig.store.orphans(log.logId)).toEqual([bash, again]);
      const events = texts(rig.world.ids.next("sess"), 1, ["a"]);
      const outcomes = [read, bash].map(({ callId }) => ended(callId));
      await writer.append({ events, outcomes }, "power");
      expect(await rig.store.orphans(log.logId)).toEqual([]);
      for (const batch of [{ intents: [bash] }, { outcomes }]) {
        expect(await thrownBy(writer.append(batch, "power"))).toBeInstanceOf(AssertionError);
      }
    });

    test("[SES-03] a call that only reads may begin and end again, as it does if its result was lost", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const read = { ...intent(rig.world, "Read"), mutating: false };
      const outcomes = [ended(read.callId)];
      await writer.append({ intents: [read], outcomes }, "process");
      const again = { ...read, startedAt: "2026-03-01T11:00:00.000Z" };
      await writer.append({ intents: [again] }, "process");
      expect(await rig.store.orphans(log.logId)).toEqual([again]);
      await writer.append({ outcomes }, "process");
      expect(await rig.store.orphans(log.logId)).toEqual([]);
      await writer.append({ intents: [again], outcomes }, "process"); // in one batch, too
      expect(await rig.store.orphans(log.logId)).toEqual([]);
    });

    test("[SES-07] a log is found by the beginning of the id of any of its runs", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await (await rig.store.create(log, rig.me))[Symbol.asyncDispose]();
      await using _other = await rig.store.create(newLog(rig.world), rig.me);
      const later = rig.world.ids.next("sess");
      await using _again = await rig.store.open(log.logId, later, rig.me);
      for (const id of [log.session, later]) {
        for (const begins of [id, id.slice("sess_".length)]) {
          const found = await rig.store.list({ begins, limit: 9 });
          expect(found.map(({ logId, session }) => [logId, session])).toEqual([[log.logId, later]]);
        }
      }
      expect(await rig.store.list({ begins: "sess_X%", limit: 9 })).toEqual([]);
    });

    test("[SES-07] a log names the model that its session has changed to last, and a sub-agent's is none", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const changed = (id: number, model: string) =>
        event(log.session, id, { kind: "ModelChanged", payload: { model } });
      await writer.append({ events: [changed(1, "mock:two"), changed(2, "mock:three")] }, "process");
      await writer.append(
        { events: [{ ...changed(3, "mock:four"), parentCall: rig.world.ids.next("call") }] },
        "process",
      );
      expect((await rig.store.find(log.logId))?.model).toBe("mock:three");
      expect((await rig.store.list({ limit: 9 }))[0]?.model).toBe("mock:three");
    });

    test("[SES-01] what is shown of a log: its first prompt, turns, newest run and last turn's time", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const started = await rig.store.find(log.logId);
      expect(started).toEqual({
        ...log,
        updatedAt: log.createdAt,
        lastEvent: 0,
        turns: 0,
        title: "",
        heldBy: rig.me,
        pinned: false,
        archived: false,
        interrupted: false,
        numbers: NO_NUMBERS,
      });
      const prompt = `fix\n  the bug ${"x".repeat(67)}😀 and more`;
      await writer.append(
        { events: turn(log.session, 1, { turn: 1, text: prompt, at: "2026-03-01T10:01:00.000Z" }) },
        "process",
      );
      await writer.append(
        { events: turn(log.session, 3, { turn: 2, text: "other", at: "2026-03-01T10:02:00.000Z" }) },
        "process",
      );
      expect(await rig.store.find(log.logId)).toEqual({
        ...log,
        updatedAt: "2026-03-01T10:02:00.000Z",
        lastEvent: 4,
        turns: 2,
        title: `fix the bug ${"x".repeat(67)}`, // never half a character
        heldBy: rig.me,
        pinned: false,
        archived: false,
        interrupted: false,
        numbers: { ...NO_NUMBERS, turnsEnded: 2 },
        oldestDay: expect.any(String),
      });
      await writer[Symbol.asyncDispose]();
      expect((await rig.store.find(log.logId))?.heldBy).toBeUndefined();
    });

    test("[SES-01] logs of all worktrees are listed, the newest first", async () => {
      await using rig = await openRig(open);
      const logs = ["/one", "/two", "/one"].map((workingDir) => ({ ...newLog(rig.world), workingDir }));
      for (const [index, log] of logs.entries()) {
        await using writer = await rig.store.create(log, rig.me);
        const at = `2026-03-01T10:0${[5, 7, 6][index]}:00.000Z`;
        await writer.append({ events: turn(log.session, 1, { turn: 1, text: "go", at }) }, "process");
      }
      const listed = async (query: { workingDir?: string; limit: number }) =>
        (await rig.store.list(query)).map(({ logId }) => logs.findIndex((log) => log.logId === logId));
      expect(await listed({ limit: 10 })).toEqual([1, 2, 0]);
      expect(await listed({ limit: 2 })).toEqual([1, 2]);
      expect(await listed({ workingDir: "/one", limit: 10 })).toEqual([2, 0]);
      expect(await listed({ workingDir: "/none", limit: 10 })).toEqual([]);
    });

    test("[SES-01 ENG-23] logs that came of one are listed without the others", async () => {
      await using rig = await openRig(open);
      const first = newLog(rig.world);
      const other = newLog(rig.world);
      const below = { ...newLog(rig.world), branchOf: { logId: first.logId, at: 1 } };
      for (const log of [first, other, below]) {
        await using writer = await rig.store.create(log, rig.me);
        await writer.append({ events: texts(log.session, 1, ["begun"]) }, "process");
      }
      const listed = async (branchOf: LogId) =>
        (await rig.store.list({ branchOf, limit: 10 })).map(({ logId }) => logId);
      expect(await listed(first.logId)).toEqual([below.logId]);
      expect(await listed(other.logId)).toEqual([]);
    });

    test("[SES-01 R37] one log has one writer: the second gets the holder of the first", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const second = rig.store.open(log.logId, rig.world.ids.next("sess"), OTHER);
      const thrown = await thrownBy(second);
      expect(hasReason(thrown, "LogHeld") && thrown.fields).toEqual({ id: log.logId, pid: `${rig.me.pid}` });
      await writer.append({ events: texts(log.session, 1, ["still mine"]) }, "process");
      await writer[Symbol.asyncDispose]();
      await using next = await rig.store.open(log.logId, rig.world.ids.next("sess"), OTHER);
      expect(next.epoch).toBeGreaterThan(writer.epoch);
    });

    test("[SES-07 R37] a dead holder is overtaken at once, and what it still writes is refused", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      const stale = await rig.store.create(log, OTHER);
      await stale.append({ events: texts(log.session, 1, ["a"]) }, "process");
      rig.dead.add(OTHER.pid);
      expect((await rig.store.find(log.logId))?.heldBy).toBeUndefined();
      const session = rig.world.ids.next("sess");
      await using writer = await rig.store.open(log.logId, session, rig.me);
      const late = stale.append({ events: texts(log.session, 2, ["late"]) }, "power");
      expect(await reasonOf(late)).toBe("LeaseLost");
      await stale[Symbol.asyncDispose](); // gives nothing back that is not its own any more
      expect((await rig.store.find(log.logId))?.heldBy).toEqual(rig.me);
      await writer.append({ events: texts(session, 2, ["b"]) }, "process");
      const kept = [...texts(log.session, 1, ["a"]), ...texts(session, 2, ["b"])];
      expect(await rig.store.events(log.logId, 0, 9)).toEqual(kept);
    });

    test("[SES-01] a log or run that exists already, and a writer that was disposed, are bugs that are named", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      const writer = await rig.store.create(log, rig.me);
      const twice = rig.store.create({ ...log, session: rig.world.ids.next("sess") }, rig.me);
      expect(await thrownBy(twice)).toBeInstanceOf(AssertionError);
      await writer[Symbol.asyncDispose]();
      await writer[Symbol.asyncDispose]();
      expect(await thrownBy(writer.append({}, "process"))).toBeInstanceOf(AssertionError);
      expect(await thrownBy(rig.store.open(log.logId, log.session, rig.me))).toBeInstanceOf(AssertionError);
    });
  });
}

/** Events with every optional part of the envelope, odd text, large content and unknown prices. */
function everyShape(session: SessionId, world: World): Envelope[] {
  const [originator, callId] = [world.ids.next("cli"), world.ids.next("call")];
  const child = world.ids.next("sess");
  const cost = { provider: "p", model: "m", inputTokens: 12, outputTokens: 3, usd: null } as const;
  const odd = `\u0000 "quoted" \\ ünïcödé 😀 \u2028 ${"long ".repeat(40_000)}`;
  const content = [{ type: "text" as const, text: odd }];
  return [
    { ...event(session, 1, { kind: "TurnStarted", payload: { turn: 1, originator, content } }), originator },
    { ...event(child, 2, { kind: "TextDelta", payload: { text: odd, index: 1 } }), parentCall: callId },
    event(session, 3, { kind: "CostIncremented", payload: cost }),
    event(session, 4, {
      kind: "CostIncremented",
      payload: { ...cost, cacheReadTokens: 9, usd: 0.000_123, turn: 1 },
    }),
    event(session, 5, { kind: "ToolResult", payload: { callId, content, isError: true } }),
    event(session, 6, { kind: "SkillRegistryChanged", payload: { skills: [] } }),
    { ...event(session, 7, { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } }), originator },
    event(session, 8, {
      kind: "ThinkingDelta",
      payload: { block: { type: "thinking", family: "f", text: odd }, index: 2 },
    }),
  ];
}

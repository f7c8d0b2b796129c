import { describe, expect, test } from "bun:test";
import type { LogId } from "../../src/base/ids.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { TTL_EXPIRED } from "../../src/session/store/expired.ts";
import { dayOf } from "../../src/session/store/log-facts.ts";
import type { NewLog, SessionStore, StoreFinding } from "../../src/session/store/store.ts";
import type { OpenStore, Rig } from "../support/store-rig.ts";
import { event, intent, newLog, OTHER, openRig, reasonOf, says, texts, turn } from "../support/store-rig.ts";

const DAY_MS = 86_400_000;

/** Tests the retention of every SessionStore: expiry, pins, branches, deletion, maintenance, checks. */
export function keepingContract(name: string, open: OpenStore): void {
  describe(`SessionStore, keeping: ${name}`, () => {
    test("[SES-06] what was written before a day expires: no content of it is left, what it was stays", async () => {
      await using rig = await openRig(open);
      const old = await oldLog(rig);
      expect(await rig.store.expire(old.log.logId, old.secondDay)).toBe(old.first.length);
      const { logId } = old.log;
      expect(await rig.store.events(logId, 0, 99)).toEqual(old.second);
      expect(await rig.store.events(logId, 2, 1)).toEqual(old.second.slice(0, 1));
      const marked = await rig.store.markedEvents(logId, 0, 99);
      expect(marked).toEqual([...old.marked, ...old.second]);
      expect(await rig.store.markedEvents(logId, 1, 2)).toEqual(marked.slice(1, 3));
      expect(await rig.store.eventsBefore(logId, old.first.length + 1, 3)).toEqual(
        marked.slice(old.first.length - 2, old.first.length + 1),
      );
      expect(JSON.stringify(marked)).not.toContain("secret");
      expect(await rig.store.expired(logId)).toEqual([{ from: 1, to: old.first.length }]);
      expect((await rig.store.messages(logId)).map(({ message }) => message)).toEqual([
        says("user", "later"),
      ]);
      expect(await rig.store.orphans(logId)).toEqual([]);
      expect(await rig.store.find(logId)).toMatchObject({
        title: "",
        turns: 2,
        lastEvent: old.first.length + old.second.length,
        oldestDay: old.secondDay,
      });
      expect(await rig.store.expire(logId, old.secondDay)).toBe(0);
    });

    test("[SES-06 R17] maintenance after expiry changes nothing of what can be read", async () => {
      await using rig = await openRig(open);
      const old = await oldLog(rig);
      const { logId } = old.log;
      await rig.store.expire(logId, old.secondDay);
      await rig.store.maintain(rig.signal);
      expect(await rig.store.markedEvents(logId, 0, 99)).toEqual([...old.marked, ...old.second]);
      expect(await rig.store.events(logId, 0, 99)).toEqual(old.second);
      expect(await damage(rig.store)).toEqual([]);
    });

    test("[SES-06] a log whose content has all expired continues with the next event", async () => {
      await using rig = await openRig(open);
      const old = await oldLog(rig);
      const { logId } = old.log;
      const last = old.first.length + old.second.length;
      await rig.world.clock.advance(DAY_MS);
      expect(await rig.store.expire(logId, today(rig))).toBe(last);
      expect(await rig.store.events(logId, 0, 99)).toEqual([]);
      expect(await rig.store.expired(logId)).toEqual([{ from: 1, to: last }]);
      expect((await rig.store.find(logId))?.oldestDay).toBeUndefined();
      const session = rig.world.ids.next("sess");
      await using writer = await rig.store.open(logId, session, rig.me);
      const next = now(rig, texts(session, last + 1, ["again"]));
      await writer.append({ events: next }, "process");
      expect(await rig.store.events(logId, 0, 99)).toEqual(next);
    });

    test("[SES-06 R29] a log that is pinned loses nothing, and one that is held by a living process keeps its newest day", async () => {
      await using rig = await openRig(open);
      const old = await oldLog(rig);
      const { logId } = old.log;
      await rig.world.clock.advance(9 * DAY_MS);
      await rig.store.pin(logId, true);
      expect((await rig.store.find(logId))?.pinned).toBe(true);
      expect(await rig.store.expire(logId, today(rig))).toBe(0);
      expect(await rig.store.events(logId, 0, 99)).toEqual([...old.first, ...old.second]);
      await rig.store.pin(logId, false);
      expect((await rig.store.find(logId))?.pinned).toBe(false);
      {
        await using writer = await rig.store.open(logId, rig.world.ids.next("sess"), rig.me);
        expect(await rig.store.expire(logId, today(rig))).toBe(old.first.length);
        expect(await rig.store.events(logId, 0, 99)).toEqual(old.second);
        const next = old.first.length + old.second.length + 1;
        const more = now(rig, texts(old.log.session, next, ["goes on"]));
        await writer.append({ events: more }, "power");
        expect(await rig.store.events(logId, 0, 99)).toEqual([...old.second, ...more]);
      }
      expect(await rig.store.expire(logId, today(rig))).toBe(old.second.length);
    });

    test("[SES-06 R29] a holder that is gone keeps nothing back, and a day in the future takes nothing with it", async () => {
      await using rig = await openRig(open);
      const old = await oldLog(rig);
      const { logId } = old.log;
      await rig.store.open(logId, rig.world.ids.next("sess"), OTHER);
      rig.dead.add(OTHER.pid);
      expect(await rig.store.expire(logId, old.firstDay)).toBe(0);
      expect(await rig.store.expire(logId, old.secondDay)).toBe(old.first.length);
    });

    test("[SES-06 R29] the newest day before a given one that still has content is returned, of whatever log", async () => {
      await using rig = await openRig(open);
      const { log, firstDay, secondDay } = await oldLog(rig);
      const days = () =>
        Promise.all(["2199-01-01", secondDay, firstDay].map((day) => rig.store.lastDay(day)));
      expect(await days()).toEqual([secondDay, firstDay, undefined]);
      await rig.store.expire(log.logId, secondDay);
      expect(await days()).toEqual([secondDay, undefined, undefined]);
    });

    test("[SES-09 PERF-05] the last events up to one come back in order", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const events = texts(log.session, 1, ["a", "b", "c", "d"]);
      await writer.append({ events }, "process");
      expect(await rig.store.eventsBefore(log.logId, 3, 2)).toEqual(events.slice(1, 3));
      expect(await rig.store.eventsBefore(log.logId, 99, 2)).toEqual(events.slice(2));
      expect(await rig.store.eventsBefore(log.logId, 2, 99)).toEqual(events.slice(0, 2));
      expect(await rig.store.eventsBefore(log.logId, 0, 9)).toEqual([]);
    });

    test("[SES-08 SES-15] messages come back as they stood after any event, from the boundary before it", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      await writer.append({ events: texts(log.session, 1, ["a", "b", "c", "d", "e"]) }, "process");
      const [one, two, sum, rest, last] = [
        { after: 1, turn: 1, message: says("user", "one") },
        { after: 2, turn: 1, message: says("assistant", "two") },
        { after: 4, turn: 2, message: says("user", "sum"), boundary: true },
        { after: 4, turn: 2, message: says("assistant", "rest") },
        { after: 5, turn: 2, message: says("user", "last") },
      ] as const;
      await writer.append({ messages: [one, two, sum, rest, last] }, "process");
      expect(await rig.store.messagesAt(log.logId, 0)).toEqual([]);
      expect(await rig.store.messagesAt(log.logId, 1)).toEqual([one]);
      expect(await rig.store.messagesAt(log.logId, 3)).toEqual([one, two]);
      expect(await rig.store.messagesAt(log.logId, 4)).toEqual([sum, rest]);
      expect(await rig.store.messagesAt(log.logId, 99)).toEqual(await rig.store.messages(log.logId));
      expect(await rig.store.messages(log.logId)).toEqual([sum, rest, last]);
    });

    test("[SES-07] a log whose last turn did not end says so, and a sub-agent's turns count for nothing", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using writer = await rig.store.create(log, rig.me);
      const [started, stopped] = turn(log.session, 1, { turn: 3, text: "go", at: log.createdAt });
      if (started === undefined || stopped === undefined) throw new Error("a turn has two events");
      await writer.append({ events: [started] }, "process");
      expect(await rig.store.find(log.logId)).toMatchObject({ interrupted: true, turns: 3, title: "go" });
      const child = { session: rig.world.ids.next("sess"), parentCall: rig.world.ids.next("call") };
      const [childStarted, childStopped] = turn(child.session, 2, { turn: 9, text: "child", at: T_LATER });
      const ofChild = [childStarted, childStopped].map((event) => ({ ...event, ...child }) as Envelope);
      await writer.append({ events: ofChild }, "process");
      const info = await rig.store.find(log.logId);
      expect(info).toMatchObject({ interrupted: true, turns: 3, updatedAt: log.createdAt });
      await writer.append({ events: [{ ...stopped, id: 4 }] }, "process");
      expect((await rig.store.find(log.logId))?.interrupted).toBe(false);
    });

    test("[SES-08] a branch is there once it holds all of its events, and one that broke off is swept", async () => {
      await using rig = await openRig(open);
      const source = newLog(rig.world).logId;
      const whole: NewLog = { ...newLog(rig.world), branchOf: { logId: source, at: 2 } };
      const broken: NewLog = { ...newLog(rig.world), branchOf: { logId: source, at: 2 } };
      for (const log of [whole, broken]) {
        await using writer = await rig.store.create(log, rig.me);
        await writer.append({ events: texts(log.session, 1, ["a"]) }, "process");
        expect(await rig.store.find(log.logId)).toBeUndefined();
        expect(await rig.store.find(log.session)).toBeUndefined();
        expect((await rig.store.maintain(rig.signal)).branchesRemoved).toBe(0); // it is being made
        if (log === whole) await writer.append({ events: texts(log.session, 2, ["b"]) }, "process");
      }
      expect((await rig.store.list({ limit: 9 })).map(({ logId }) => logId)).toEqual([whole.logId]);
      expect(await rig.store.find(whole.session)).toMatchObject({ branchOf: { logId: source, at: 2 } });
      const opened = rig.store.open(broken.logId, rig.world.ids.next("sess"), rig.me);
      expect(await reasonOf(opened)).toBe("SessionMissing");
      expect((await rig.store.maintain(rig.signal)).branchesRemoved).toBe(1);
      expect(await reasonOf(rig.store.events(broken.logId, 0, 1))).toBe("SessionMissing");
      expect((await rig.store.list({ limit: 9 })).length).toBe(1);
    });

    test("[SES-08 PROV-11] the cost of calls is returned without their events, once for a branch and its source", async () => {
      await using rig = await openRig(open);
      const source = newLog(rig.world);
      const branch: NewLog = { ...newLog(rig.world), branchOf: { logId: source.logId, at: 2 } };
      const costs = [1, 2, 3].map((turn) => ({
        provider: "p",
        model: "m",
        inputTokens: turn,
        outputTokens: 3,
        cacheReadTokens: 4,
        cacheWriteTokens: 0,
        usd: turn === 2 ? null : 0.25,
        turn,
      }));
      for (const log of [source, branch]) {
        await using writer = await rig.store.create(log, rig.me);
        const events = costs.map((payload, index) =>
          event(log.session, index + 1, { kind: "CostIncremented", payload }),
        );
        await writer.append({ events }, "process");
      }
      expect(await rig.store.costs(source.logId, 0)).toEqual(costs);
      expect(await rig.store.costs(source.logId, 1)).toEqual(costs.slice(1));
      expect(await rig.store.costs(branch.logId, 0)).toEqual(costs.slice(2));
    });

    test("[SES-10] a log that is deleted is gone with everything, and the others stay as they were", async () => {
      await using rig = await openRig(open);
      const [old, other] = [await oldLog(rig), await oldLog(rig)];
      const { logId } = old.log;
      {
        await using _writer = await rig.store.open(logId, rig.world.ids.next("sess"), rig.me);
        expect(await reasonOf(rig.store.delete(logId))).toBe("LogHeld");
      }
      await rig.store.delete(logId);
      expect(await reasonOf(rig.store.delete(logId))).toBe("SessionMissing");
      expect(await rig.store.find(logId)).toBeUndefined();
      expect(await rig.store.find(old.log.session)).toBeUndefined();
      expect(await reasonOf(rig.store.messages(logId))).toBe("SessionMissing");
      expect(await rig.store.events(other.log.logId, 0, 99)).toEqual([...other.first, ...other.second]);
      expect((await rig.store.orphans(other.log.logId)).length).toBe(1);
      expect(await damage(rig.store)).toEqual([]);
    });

    test("[SES-16] a missing log is reported as missing", async () => {
      await using rig = await openRig(open);
      const nowhere = rig.world.ids.next("log");
      for (const asked of [
        rig.store.markedEvents(nowhere, 0, 1),
        rig.store.eventsBefore(nowhere, 1, 1),
        rig.store.messagesAt(nowhere, 1),
        rig.store.expired(nowhere),
        rig.store.costs(nowhere, 0),
        rig.store.pin(nowhere, true),
        rig.store.expire(nowhere, "2026-03-01"),
        rig.store.delete(nowhere),
      ]) {
        expect(await reasonOf(asked)).toBe("SessionMissing");
      }
    });

    test("[SES-03 SES-16] a check of a sound store reports calls that nobody finishes, and no damage", async () => {
      await using rig = await openRig(open);
      const old = await oldLog(rig);
      const { logId } = old.log;
      for (const depth of ["quick", "full"] as const) {
        const found = await findings(rig.store, depth);
        expect(found.map(({ kind, weight, logId: of }) => ({ kind, weight, of }))).toEqual([
          { kind: "orphan", weight: "note", of: logId },
        ]);
      }
      await using _writer = await rig.store.open(logId, rig.world.ids.next("sess"), rig.me);
      expect(await findings(rig.store, "full")).toEqual([]);
    });
  });
}

const T_LATER = "2026-03-01T12:00:00.000Z";

interface OldLog {
  readonly log: NewLog;
  readonly firstDay: string;
  readonly secondDay: string;
  readonly first: readonly Envelope[];
  readonly second: readonly Envelope[];
  /** `first`, as it is once it has expired. */
  readonly marked: readonly Envelope[];
}

/** A log that was written on two days, and is held by nobody. */
async function oldLog(rig: Rig): Promise<OldLog> {
  const { world, store, me } = rig;
  const log = newLog(world);
  const [call, originator] = [world.ids.next("call"), world.ids.next("cli")];
  const text = [{ type: "text" as const, text: "a secret" }];
  const gone = [{ type: "text" as const, text: TTL_EXPIRED }];
  const cost = { provider: "p", model: "m", inputTokens: 12, outputTokens: 3, usd: 0.5, turn: 1 } as const;
  const of = (content: typeof text, words: string, args: unknown) => [
    event(log.session, 1, { kind: "TurnStarted", payload: { turn: 1, originator, content } }),
    event(log.session, 2, { kind: "TextDelta", payload: { text: words } }),
    event(log.session, 3, {
      kind: "ToolCallStarted",
      payload: { callId: call, tool: "Bash", args, mutating: true },
    }),
    event(log.session, 4, { kind: "ToolResult", payload: { callId: call, content, isError: true } }),
    event(log.session, 5, { kind: "CostIncremented", payload: cost }),
    event(log.session, 6, {
      kind: "TurnEnded",
      payload: {
        turn: 1,
        reason: "error",
        rounds: 2,
        error: { reason: "ProviderFailed", message: words },
      },
    }),
  ];
  const first = now(rig, of(text, "a secret", { command: "echo secret" }));
  const marked = now(rig, of(gone, TTL_EXPIRED, TTL_EXPIRED));
  const firstDay = today(rig);
  {
    await using writer = await store.create(log, me);
    const message = { after: 2, turn: 1, message: says("user", "a secret") };
    const startedAt = new Date(world.clock.now()).toISOString();
    const intents = [{ ...intent(world, "Bash"), startedAt }];
    await writer.append({ events: first.slice(0, 3), messages: [message] }, "process");
    await writer.append({ events: first.slice(3), intents }, "power");
  }
  await world.clock.advance(DAY_MS);
  const session = world.ids.next("sess");
  await using writer = await store.open(log.logId, session, me);
  const at = new Date(world.clock.now()).toISOString();
  const second = turn(session, 7, { turn: 2, text: "later", at });
  await writer.append(
    { events: second, messages: [{ after: 7, turn: 2, message: says("user", "later") }] },
    "process",
  );
  return { log, firstDay, secondDay: today(rig), first, second, marked };
}

function now({ world }: Rig, events: readonly Envelope[]): Envelope[] {
  return events.map((event) => ({ ...event, ts: new Date(world.clock.now()).toISOString() }));
}

function today({ world }: Rig): string {
  return dayOf(new Date(world.clock.now()).toISOString());
}

async function findings(store: SessionStore, depth: "quick" | "full"): Promise<StoreFinding[]> {
  return await Array.fromAsync(store.check(depth, new AbortController().signal));
}

async function damage(store: SessionStore): Promise<(LogId | undefined)[]> {
  return (await findings(store, "full"))
    .filter(({ weight }) => weight === "damage")
    .map(({ logId }) => logId);
}

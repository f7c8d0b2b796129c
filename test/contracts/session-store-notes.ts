import { describe, expect, test } from "bun:test";
import type { SessionId } from "../../src/base/ids.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { PayloadOf } from "../../src/protocol/events/events.ts";
import { dayOf } from "../../src/session/store/log-facts.ts";
import type { SessionNotes } from "../../src/session/store/notes/notes.ts";
import { READERS_MAX } from "../../src/session/store/notes/notes.ts";
import type { NewLog, SessionStore } from "../../src/session/store/store.ts";
import type { OpenStore, Rig } from "../support/store-rig.ts";
import { event, newLog, openRig, reasonOf, turn } from "../support/store-rig.ts";

const DAY_MS = 86_400_000;

/** Tests the notes of every SessionStore that keeps them: titles, archive marks, marks of readers, drafts, numbers. */
export function notesContract(name: string, open: OpenStore): void {
  describe(`SessionStore, notes: ${name}`, () => {
    test("[SES-06 CTL-19] a draft of a log without events is kept, replaced, removed, and each reader's is its own", async () => {
      await using rig = await openRig(open);
      const log = newLog(rig.world);
      await using _writer = await rig.store.create(log, rig.me);
      const notes = notesOf(rig.store);
      expect(await notes.draft(log.logId, "one")).toBeUndefined();
      expect(await notes.hasDraft?.(log.logId)).toBe(false);
      await notes.setDraft(log.logId, "one", noteNow(rig, "half a 🦀"));
      await notes.setDraft(log.logId, "two", noteNow(rig, "another"));
      await notes.setDraft(log.logId, "one", noteNow(rig, "half a sentence"));
      expect(await notes.draft(log.logId, "one")).toEqual(noteNow(rig, "half a sentence"));
      await notes.setDraft(log.logId, "one", noteNow(rig, ""));
      expect(await notes.draft(log.logId, "one")).toBeUndefined();
      expect((await notes.draft(log.logId, "two"))?.text).toBe("another");
      expect(await notes.hasDraft?.(log.logId)).toBe(true);
      await notes.setDraft(log.logId, "two", noteNow(rig, ""));
      expect(await notes.hasDraft?.(log.logId)).toBe(false);
    });

    test("[SES-06] as many readers as the limit have a draft, and one more is refused", async () => {
      await using rig = await openRig(open);
      const { logId } = await logOf(rig, []);
      const notes = notesOf(rig.store);
      for (let at = 0; at < READERS_MAX; at++) await notes.setDraft(logId, `r${at}`, noteNow(rig, "x"));
      expect(await reasonOf(notes.setDraft(logId, "more", noteNow(rig, "x")))).toBe("DraftsFull");
      await notes.setDraft(logId, "r0", noteNow(rig, "instead"));
      await notes.setDraft(logId, "r1", noteNow(rig, ""));
      await notes.setDraft(logId, "more", noteNow(rig, "now"));
      expect((await notes.draft(logId, "more"))?.text).toBe("now");
    });

    test("[SES-06] a title and a draft expire with their day, and a pinned log keeps them", async () => {
      await using rig = await openRig(open);
      const log = await logOf(rig, []);
      const notes = notesOf(rig.store);
      await notes.rename(log.logId, noteNow(rig, "my title"));
      await notes.setDraft(log.logId, "old", noteNow(rig, "old words"));
      await rig.world.clock.advance(DAY_MS);
      await notes.setDraft(log.logId, "new", noteNow(rig, "new words"));
      await rig.store.pin(log.logId, true);
      await rig.store.expire(log.logId, today(rig));
      expect((await notes.draft(log.logId, "old"))?.text).toBe("old words");
      await rig.store.pin(log.logId, false);
      await rig.store.expire(log.logId, today(rig));
      for (const _ of ["before", "after"]) {
        expect(await notes.draft(log.logId, "old")).toBeUndefined();
        expect((await notes.draft(log.logId, "new"))?.text).toBe("new words");
        const info = await rig.store.find(log.logId);
        expect([info?.title, info?.renamed ?? false]).toEqual(["", false]);
        expect(await notes.renamed?.()).toEqual([]);
        await rig.store.maintain(rig.signal);
      }
      const found = await Array.fromAsync(rig.store.check("full", rig.signal));
      expect(found.filter(({ weight }) => weight === "damage")).toEqual([]);
    });

    test("[CTL-19] a title of a person replaces the made one until it is taken back", async () => {
      await using rig = await openRig(open);
      const log = await logOf(rig, [{ turn: 1, text: "first prompt" }]);
      const notes = notesOf(rig.store);
      await notes.rename(log.logId, noteNow(rig, "my title"));
      expect(await rig.store.find(log.logId)).toMatchObject({ title: "my title", renamed: true });
      await notes.rename(log.logId, noteNow(rig, "another"));
      expect((await rig.store.list({ limit: 1 }))[0]).toMatchObject({ title: "another", renamed: true });
      await notes.archive(log.logId, true);
      expect(await notes.renamed?.()).toEqual([log.logId]);
      await notes.rename(log.logId, noteNow(rig, ""));
      expect(await notes.renamed?.()).toEqual([]);
      const info = await rig.store.find(log.logId);
      expect([info?.title, info?.renamed ?? false]).toEqual(["first prompt", false]);
    });

    test("[CTL-19] turns are unread until a reader marks them, and again once it marks an earlier event", async () => {
      await using rig = await openRig(open);
      const log = await logOf(rig, [
        { turn: 1, text: "a" },
        { turn: 2, text: "b" },
        { turn: 3, text: "c" },
      ]);
      const notes = notesOf(rig.store);
      const marked = async (event: number) => {
        await notes.markRead(log.logId, "me", { event, ts: noteNow(rig, "").ts });
        return await notes.unread(log.logId, "me");
      };
      expect(await notes.unread(log.logId, "me")).toBe(3);
      expect([await marked(2), await marked(3), await marked(6), await marked(1)]).toEqual([2, 2, 0, 3]);
      expect(await notes.unread(log.logId, "you")).toBe(3);
      await marked(6);
      {
        await using writer = await rig.store.open(log.logId, rig.world.ids.next("sess"), rig.me);
        await writer.append(
          { events: turn(log.session, 7, { turn: 4, text: "d", at: log.createdAt }) },
          "process",
        );
      }
      expect(await notes.unread(log.logId, "me")).toBe(1);
    });

    test("[CTL-19] of more readers than the limit those that marked last keep their marks", async () => {
      await using rig = await openRig(open);
      const { logId } = await logOf(rig, [{ turn: 1, text: "a" }]);
      const notes = notesOf(rig.store);
      for (let at = 0; at <= READERS_MAX; at++) {
        await notes.markRead(logId, `r${at}`, { event: 2, ts: noteNow(rig, "").ts });
        await rig.world.clock.advance(1);
      }
      const unread = await Promise.all(
        ["r0", "r1", `r${READERS_MAX}`].map((each) => notes.unread(logId, each)),
      );
      expect(unread).toEqual([1, 0, 0]);
    });

    test("[CTL-19 PROV-11] the numbers of a log follow from its events, and a branch has those of its own", async () => {
      await using rig = await openRig(open);
      const source = newLog(rig.world);
      const branch: NewLog = { ...newLog(rig.world), branchOf: { logId: source.logId, at: 3 } };
      const child = rig.world.ids.next("call");
      for (const log of [source, branch]) {
        await using writer = await rig.store.create(log, rig.me);
        const cost = (id: number, payload: Partial<PayloadOf<"CostIncremented">>) =>
          event(log.session, id, { kind: "CostIncremented", payload: { ...COST, ...payload } });
        await writer.append(
          { events: turn(log.session, 1, { turn: 1, text: "go", at: log.createdAt }) },
          "process",
        );
        await writer.append({ events: [cost(3, { cacheReadTokens: 100, cacheWriteTokens: 7 })] }, "process");
        await writer.append(
          {
            events: [
              cost(4, { usd: null, inputTokens: 20 }),
              { ...cost(5, { inputTokens: 3_000 }), parentCall: child },
              cost(6, { inputTokens: 5_000, purpose: "summary" }),
              planMode(log.session, 7, true),
            ],
          },
          "process",
        );
      }
      const sums = { usd: 0.75, unpricedCalls: 1, outputTokens: 8, contextTokens: 22, planMode: true };
      expect((await rig.store.find(source.logId))?.numbers).toEqual({
        ...sums,
        inputTokens: 8_030,
        cacheReadTokens: 100,
        cacheWriteTokens: 7,
        turnsEnded: 1,
      });
      expect((await rig.store.find(branch.logId))?.numbers).toMatchObject({
        usd: 0.5,
        inputTokens: 8_020,
        cacheReadTokens: 0,
        contextTokens: 22,
        turnsEnded: 0,
      });
      await using writer = await rig.store.open(source.logId, rig.world.ids.next("sess"), rig.me);
      const compacted = { beforeTokens: 22, afterTokens: 9 };
      const events = [
        event(source.session, 8, { kind: "CompactionTriggered", payload: compacted }),
        planMode(source.session, 9, false),
      ];
      await writer.append({ events }, "process");
      expect((await rig.store.find(source.logId))?.numbers).toMatchObject({
        contextTokens: 9,
        planMode: false,
      });
    });

    test("[CTL-19] archived logs are left out, added or listed alone, and a list continues after any log of it", async () => {
      await using rig = await openRig(open);
      const notes = notesOf(rig.store);
      const logs: NewLog[] = [];
      for (let at = 0; at < 5; at++) logs.push(await logOf(rig, []));
      const [, second] = logs;
      if (second === undefined) throw new Error("there are five");
      await notes.archive(second.logId, true);
      const listed = async (query: Partial<Parameters<SessionStore["list"]>[0]>) =>
        (await rig.store.list({ limit: 9, ...query })).map(({ logId }) =>
          logs.findIndex((log) => log.logId === logId),
        );
      expect(await listed({})).toEqual([4, 3, 2, 1, 0]);
      expect(await listed({ archived: "without" })).toEqual([4, 3, 2, 0]);
      expect(await listed({ archived: "only" })).toEqual([1]);
      const [, , , fourth] = await rig.store.list({ limit: 9 });
      if (fourth === undefined) throw new Error("there are five");
      expect(await listed({ before: fourth })).toEqual([0]);
      expect(await listed({ before: fourth, limit: 0 })).toEqual([]);
      {
        await using _writer = await rig.store.open(fourth.logId, rig.world.ids.next("sess"), rig.me);
        expect(await listed({ held: true })).toEqual([1]);
      }
      expect(await listed({ held: true })).toEqual([]);
      await rig.store.delete(fourth.logId);
      expect(await listed({ before: fourth })).toEqual([4, 3, 2, 0]); // all have its time
      await notes.archive(second.logId, false).catch(() => undefined);
      expect(await reasonOf(notes.archive(second.logId, false))).toBe("SessionMissing");
    });

    test("[SES-10] what people kept of a log is deleted with it, and a missing log is reported as missing", async () => {
      await using rig = await openRig(open);
      const { logId } = await logOf(rig, [{ turn: 1, text: "a" }]);
      const notes = notesOf(rig.store);
      await notes.rename(logId, noteNow(rig, "my title"));
      await notes.setDraft(logId, "me", noteNow(rig, "draft"));
      await notes.markRead(logId, "me", { event: 2, ts: noteNow(rig, "").ts });
      await rig.store.delete(logId);
      for (const asked of [
        notes.rename(logId, noteNow(rig, "x")),
        notes.archive(logId, true),
        notes.markRead(logId, "me", { event: 1, ts: noteNow(rig, "").ts }),
        notes.unread(logId, "me"),
        notes.setDraft(logId, "me", noteNow(rig, "x")),
        notes.draft(logId, "me"),
      ])
        expect(await reasonOf(asked)).toBe("SessionMissing");
    });
  });
}

const COST = { provider: "p", model: "m", inputTokens: 10, outputTokens: 2, usd: 0.25 } as const;

function planMode(session: SessionId, id: number, active: boolean): Envelope {
  return event(session, id, {
    kind: "CustomEvent",
    payload: { namespace: "cinch", kind: "PlanMode", payload: { active } },
  });
}

function notesOf({ notes }: SessionStore): SessionNotes {
  if (notes === undefined) throw new Error("this store keeps no notes");
  return notes;
}

/** A log with these turns, which nobody holds. */
async function logOf(
  { store, world, me }: Rig,
  turns: readonly { readonly turn: number; readonly text: string }[],
): Promise<NewLog> {
  const log = newLog(world);
  await using writer = await store.create(log, me);
  for (const [index, each] of turns.entries())
    await writer.append(
      { events: turn(log.session, 2 * index + 1, { ...each, at: log.createdAt }) },
      "process",
    );
  await store.find(log.logId);
  return log;
}

function noteNow({ world }: Rig, text: string) {
  return { text, ts: new Date(world.clock.now()).toISOString() };
}

function today({ world }: Rig): string {
  return dayOf(new Date(world.clock.now()).toISOString());
}

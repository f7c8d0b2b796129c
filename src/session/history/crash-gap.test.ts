import { describe, expect, test } from "bun:test";
import { BOTH_STORES } from "../../../test/support/both-stores.ts";
import type { Rig } from "../../../test/support/store-rig.ts";
import { crashGap, event, newLog, OTHER, openRig, T0, texts, turn } from "../../../test/support/store-rig.ts";
import { eventsOf } from "../../app/sessions/read.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { exportJsonl } from "../transcript/jsonl.ts";
import { readExport } from "../transcript/read-export.ts";
import { branchLog } from "./branch.ts";
import { streamGap, withGaps } from "./gaps.ts";
import { resumeHistory } from "./history.ts";

const RESERVED = 3_000;

for (const [name, open] of Object.entries(BOTH_STORES)) {
  describe(`a log that a crash has taken events from, in ${name}`, () => {
    test("[SES-08 SES-17] a branch has the same hole, and ends where it was asked to", async () => {
      await using rig = await openRig(open);
      const { log, events } = await crashed(rig);
      const target = newLog(rig.world);
      const at = RESERVED + 1; // the end of the turn that broke off
      await branchLog(rig.store, log.logId, at, target, rig.me, rig.signal);
      const ids = (await rig.store.events(target.logId, 0, 99)).map(({ id }) => id);
      expect(ids).toEqual(events.map(({ id }) => id).filter((id) => id <= at));
    });

    test("[SES-10 SES-16] it is read and exported without one missing event, and its export is sound", async () => {
      await using rig = await openRig(open);
      const { log, events } = await crashed(rig);
      const info = await rig.store.find(log.logId);
      if (info === undefined) throw new Error("the log is there");
      const read = () => eventsOf(rig.store, info, { signal: rig.signal, clock: rig.world.clock });
      expect(await Array.fromAsync(read())).toEqual([...events]);
      const lines = await Array.fromAsync(exportJsonl(info, read()));
      const chunks = lines.map((line) => new TextEncoder().encode(line));
      const imported = readExport(iterate(chunks), { name: "x.jsonl", unverified: false });
      expect(await Array.fromAsync(imported)).toEqual([...events]);
    });

    test("[SES-07 SES-17] its history has the words that were logged, and its turn broke off", async () => {
      await using rig = await openRig(open);
      const { log } = await crashed(rig, { isOver: false });
      const rebuilt = await resumeHistory(rig.store, log.logId);
      expect(rebuilt).toMatchObject({ interruptedTurn: 1, lastTurn: 1 });
      expect(rebuilt.history.at(-1)?.content).toEqual([{ type: "text", text: "so far" }]);
    });

    test("[SES-06 CTL-14] content that expired around it has a gap of its own, and none twice", async () => {
      await using rig = await openRig(open);
      const { log, session } = await crashed(rig);
      const since = async (from: number) =>
        withGaps(await rig.store.events(log.logId, from, 99), from, session).map(
          ({ id, kind }) => `${id} ${kind}`,
        );
      const rest = [
        `${RESERVED} StreamGap`,
        `${RESERVED + 1} TurnEnded`,
        `${RESERVED + 2} TurnStarted`,
        `${RESERVED + 3} TurnEnded`,
      ];
      expect(await since(2)).toEqual(rest);
      expect(await since(7)).toEqual(rest);
      expect(await since(RESERVED)).toEqual(rest.slice(1));
    });
  });
}

test("[SES-06 CTL-14] before the StreamGap of a crash only what it does not cover counts as expired", () => {
  const session = "sess_01JXT21Q002WWEBET3V09HVC5T" as Envelope["session"];
  const crash = crashGap(session, 5, 9);
  const [expired] = [streamGap({ from: 1, to: 4 }, { session, ts: crash.ts })];
  expect(withGaps([crash, ...texts(session, 10, ["a"])], 0, session)).toEqual([
    expired,
    crash,
    ...texts(session, 10, ["a"]),
  ]);
  expect(withGaps([crash], 6, session)).toEqual([crash]);
});

interface Crashed {
  readonly log: ReturnType<typeof newLog>;
  readonly session: Envelope["session"];
  readonly events: readonly Envelope[];
}

/** Makes a log whose first run was killed in its turn, and a second turn after it. */
async function crashed(rig: Rig, { isOver = true } = {}): Promise<Crashed> {
  const log = newLog(rig.world);
  const [started] = turn(log.session, 1, { turn: 1, text: "go", at: T0 });
  if (started === undefined) throw new Error("a turn begins");
  const first = [started, ...texts(log.session, 2, ["so far"])];
  const killed = await rig.store.create(log, OTHER);
  await killed.append({ events: first, reserve: RESERVED }, "power");
  rig.dead.add(OTHER.pid);
  const session = rig.world.ids.next("sess");
  const end = { kind: "TurnEnded", payload: { turn: 1, reason: "error" } } as const;
  const second = isOver
    ? [
        crashGap(session, 3, RESERVED),
        event(session, RESERVED + 1, end),
        ...turn(session, RESERVED + 2, { turn: 2, text: "on", at: T0 }),
      ]
    : [crashGap(session, 3, RESERVED)];
  await using writer = await rig.store.open(log.logId, session, rig.me);
  await writer.append({ events: second }, "process");
  return { log, session, events: [...first, ...second] };
}

async function* iterate<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}

import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { HelperReady } from "./helper-messages.ts";
import type { HelperEvents } from "./supervise.ts";
import { CRASHES_MS, superviseHelper } from "./supervise.ts";
import { HELPER_HEARTBEAT_MS } from "./watch-beats.ts";

const READY: HelperReady = { kind: "ready", socket: "/s", token: "t", held: [], prints: [], notices: [] };

test("[CRED-04] a helper that crashes is replaced once; a second crash within 60 s ends it, and is reported", async () => {
  const rig = openRig();
  rig.started(0).report(READY);
  rig.started(0).ended();
  rig.started(0).ended(); // its pipe and its exit both tell
  rig.started(1).report(READY);
  await rig.clock.advance(CRASHES_MS);
  rig.started(1).alive();
  rig.started(1).ended();
  expect(rig.told).toEqual(["ready", "down", "ready", "failed"]);
  expect(rig.ended).toEqual(["kill 0", "kill 1", "close 1"]);
  await rig.clock.advance(CRASHES_MS * 2);
  expect(rig.count()).toBe(2);
});

test("[CRED-04] a crash more than 60 s after the last one has its own replacement", async () => {
  const rig = openRig();
  rig.started(0).ended();
  for (let beat = 0; beat * HELPER_HEARTBEAT_MS <= CRASHES_MS; beat++) {
    await rig.clock.advance(HELPER_HEARTBEAT_MS);
    rig.started(1).alive();
  }
  rig.started(1).ended();
  expect(rig.told).toEqual(["down", "down"]);
  expect(rig.count()).toBe(3);
});

test("[CRED-04] silence over two heartbeats is a crash, and one beat in time is none", async () => {
  const rig = openRig();
  for (let beat = 0; beat < 10; beat++) {
    await rig.clock.advance(HELPER_HEARTBEAT_MS);
    rig.started(0).alive();
  }
  expect(rig.told).toEqual([]);
  await rig.clock.advance(HELPER_HEARTBEAT_MS);
  expect(rig.told).toEqual([]);
  await rig.clock.advance(HELPER_HEARTBEAT_MS);
  expect(rig.told).toEqual(["down"]);
  expect(rig.ended).toEqual(["kill 0"]);
});

test("[CRED-04] what a replaced helper still says counts no more; a refusal is passed on and not asked again", async () => {
  const rig = openRig();
  rig.started(0).ended();
  rig.started(0).report(READY);
  rig.started(1).report({ kind: "refused", reason: "CredentialsLocked", fields: {} });
  rig.started(1).ended();
  expect(rig.told).toEqual(["down", "refused"]);
  expect(rig.count()).toBe(2);
});

test("[CRED-04] a helper that cannot be started at all is a failure after the second try", () => {
  const told: string[] = [];
  let tries = 0;
  superviseHelper({
    clock: fakeClock(),
    start() {
      tries += 1;
      throw new Error("no such program");
    },
    send: ({ kind }) => void told.push(kind),
  });
  expect([tries, told]).toEqual([2, ["down", "failed"]]);
});

test("[CRED-04 REL-03] disposing it lets the helper end, and its end is then no crash", async () => {
  const rig = openRig();
  rig.supervisor[Symbol.dispose]();
  rig.started(0).ended();
  expect([rig.told, rig.ended, rig.count()]).toEqual([[], ["close 0"], 1]);
});

function openRig() {
  const clock = fakeClock();
  const starts: HelperEvents[] = [];
  const told: string[] = [];
  const ended: string[] = [];
  const supervisor = superviseHelper({
    clock,
    start(events) {
      const number = starts.push(events) - 1;
      return {
        kill: () => void ended.push(`kill ${number}`),
        close: () => void ended.push(`close ${number}`),
      };
    },
    send: ({ kind }) => void told.push(kind),
  });
  function started(number: number): HelperEvents {
    const events = starts[number];
    if (events === undefined) throw new Error(`helper ${number} was never started`);
    return events;
  }
  return { clock, supervisor, told, ended, started, count: () => starts.length };
}

import { expect, test } from "bun:test";
import { fakeClock, settle } from "../../../test/support/fake-clock.ts";
import { HarnessError } from "../../base/errors.ts";
import type { RemoteState } from "../../client/remote/connect-remote.ts";
import { reviving } from "./reach-engine.ts";

const error = new HarnessError("EngineUnreachable", { url: "unix", detail: "no engine runs" });
const AWAY: RemoteState = { kind: "away", error, nextMs: 100 };
const BACK: RemoteState = { kind: "connected", engine: "eng_1" };
const FULL = new HarnessError("UsageInvalid", { problem: "the disk is full" });

function openReviving() {
  const clock = fakeClock();
  const failures: unknown[] = [];
  const start: { times: number; failure: unknown } = { times: 0, failure: undefined };
  const log = { for: () => log, write: () => undefined };
  const take = reviving(
    {
      at: { world: { clock, log } },
      signal: new AbortController().signal,
      onNotRestarted: (failure?: unknown) => void failures.push(failure),
    } as unknown as Parameters<typeof reviving>[0],
    async () => {
      start.times += 1;
      if (start.failure !== undefined) throw start.failure;
    },
  );
  const dies = async () => {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      take(AWAY);
      await settle();
    }
  };
  return { clock, failures, start, take, dies };
}

test("[CTL-18 REL-02] an engine that dies again and again is restarted three times, and then the person learns that it is not", async () => {
  const { failures, start, take, dies } = openReviving();
  for (let times = 1; times <= 4; times += 1) {
    await dies();
    if (times < 4) expect([start.times, failures]).toEqual([times, []]);
    take(BACK);
  }
  expect([start.times, failures]).toEqual([3, [undefined]]);
});

test("[CTL-18 REL-02] one that has lived for long since its restart is restarted each time it dies", async () => {
  const { clock, failures, start, take, dies } = openReviving();
  for (let times = 1; times <= 6; times += 1) {
    await dies();
    take(BACK);
    await clock.advance(3_600_000);
    expect([start.times, failures]).toEqual([times, []]);
  }
});

test("[CTL-18 REL-02] a start that fails is reported, and made again until one succeeds", async () => {
  const { failures, start, dies } = openReviving();
  start.failure = FULL;
  await dies();
  expect(start.times).toBe(4);
  expect(failures).toEqual([FULL, FULL, FULL, FULL]);
  start.failure = undefined;
  await dies();
  expect([start.times, failures.length]).toEqual([5, 4]);
});

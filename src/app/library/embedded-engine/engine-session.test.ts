import { expect, test } from "bun:test";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { FakeConnection, fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostMachine } from "../../../platform/machine.ts";
import { memorySessionStore } from "../../../session/store/memory-store.ts";
import { TurnTimes } from "../turn-times.ts";
import { EngineSession } from "./engine-session.ts";

const ASKED = 200;

test("[LIB-10] a question of many stays with the program as long as it is open", async () => {
  await using connection = new FakeConnection();
  await using store = memorySessionStore(hostMachine());
  const signals: AbortSignal[] = [];
  const all = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  await using _session = new EngineSession(
    { id: SESSION, logId: fakeId("log", 1) },
    {
      ...{ connection, store, log: SILENT_LOG, over: new AbortController().signal },
      turnTimes: new TurnTimes(fakeClock(), undefined),
      async onQuestion(_question, { signal }) {
        if (signals.push(signal) === ASKED) all.resolve();
        signal.addEventListener("abort", () => closed.resolve(), { once: true });
        return undefined;
      },
    },
  );
  for (let at = 1; at <= ASKED; at += 1)
    connection.publish({
      kind: "Asked",
      payload: { askId: fakeId("ask", at), text: "Which?", timeoutMs: 60_000 },
    } as never);
  await all.promise;
  expect(signals.filter(({ aborted }) => aborted)).toEqual([]);
  connection.publish({ kind: "Answered", payload: { askId: fakeId("ask", 1), by: "person" } } as never);
  await closed.promise;
  expect(signals.map(({ aborted }) => aborted).indexOf(true)).toBe(0);
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
});

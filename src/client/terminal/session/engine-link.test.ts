import { expect, test } from "bun:test";
import { FakeConnection, SESSION } from "../../../../test/support/fake-connection.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { ReachedByTerminal } from "../options.ts";
import { EngineLink } from "./engine-link.ts";

const REFUSAL = new HarnessError("UsageInvalid", { problem: "there is no engine here" });
const COMMAND = { kind: "CancelTurn", sessionId: SESSION } as const;

function openLink() {
  const connection = new FakeConnection();
  const starting = Promise.withResolvers<ReachedByTerminal>();
  const leave = new AbortController();
  const link = new EngineLink({ engine: starting.promise, signal: leave.signal, say: () => undefined });
  const start = () =>
    starting.resolve({
      connection,
      open: async () => {
        throw REFUSAL;
      },
    });
  return { link, connection, starting, start, leave };
}

test("[TUI-10] what is sent before the engine is reached is sent once it is", async () => {
  const { link, connection, start } = openLink();
  const answer = link.send(COMMAND);
  expect([connection.sent, link.reached, link.hasFailed]).toEqual([[], undefined, false]);
  start();
  expect(await answer).toEqual({});
  expect(connection.sent).toEqual([COMMAND]);
  expect((await link.reach()).connection).toBe(connection);
  expect(link.reached?.connection).toBe(connection);
});

test("[TUI-10] an engine that cannot be reached refuses what is sent, and says so where it is waited for", async () => {
  const { link, starting } = openLink();
  starting.reject(REFUSAL);
  expect(await link.send(COMMAND)).toBe(REFUSAL);
  expect(await link.query({ kind: "ListExpiring" })).toBe(REFUSAL);
  expect(await link.attach(SESSION, {} as never)).toBe(REFUSAL);
  await expect(link.reach()).rejects.toBe(REFUSAL);
  expect(link.hasFailed).toBe(true);
});

test("[TUI-10] a client that leaves ends every wait, with its own reason", async () => {
  const { link, leave } = openLink();
  const waits = [link.send(COMMAND), link.query({ kind: "ListExpiring" })];
  const left = new Error("the client has left");
  leave.abort(left);
  const outcomes = await Promise.allSettled(waits);
  expect(outcomes.map((each) => (each.status === "rejected" ? each.reason : each.status))).toEqual([
    left,
    left,
  ]);
});

import { expect, test } from "bun:test";
import { SESSION } from "../../../../test/support/fake-connection.ts";
import { HarnessError } from "../../../base/errors.ts";
import { SessionInfoReader } from "./session-info.ts";

const REFUSAL = new HarnessError("UnknownResource", { what: "session", name: "x" });

function openReader(...answers: readonly unknown[]) {
  const left = [...answers];
  let asked = 0;
  const query = async () => {
    asked += 1;
    const answer = left.shift();
    if (answer instanceof TypeError) throw answer;
    return answer as never;
  };
  return { info: new SessionInfoReader({ query }, SESSION), asked: () => asked };
}

test("[PERF-01 TUI-10] all that ask for the facts of a session before its next event share one query", async () => {
  const { info, asked } = openReader({ title: "one" }, { title: "two" });
  const both = await Promise.all([info.read(), info.read()]);
  expect([...both, await info.read()]).toEqual(Array.from({ length: 3 }, () => ({ title: "one" })) as never);
  expect(asked()).toBe(1);
  info.expire();
  expect(await info.read()).toEqual({ title: "two" } as never);
  expect(asked()).toBe(2);
});

test("[TUI-10] a refusal, or a failure, is not kept: the next reader asks again", async () => {
  const { info } = openReader(REFUSAL, new TypeError("the connection is gone"), { title: "one" });
  expect(await info.read()).toBe(REFUSAL);
  await expect(info.read()).rejects.toThrow("the connection is gone");
  expect(await info.read()).toEqual({ title: "one" } as never);
});

test("[PERF-01 TUI-10] a refusal that comes late drops no newer answer", async () => {
  const answers = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
  let asked = 0;
  const query = async () => await answers[asked++]?.promise;
  const reader = new SessionInfoReader({ query } as never, SESSION);
  const first = reader.read();
  reader.expire();
  const second = reader.read();
  answers[1]?.resolve({ title: "new" });
  await second;
  answers[0]?.resolve(new HarnessError("StoreBusy", { path: "/data", detail: "locked" }));
  await first;
  expect(await reader.read()).toEqual({ title: "new" } as never);
});

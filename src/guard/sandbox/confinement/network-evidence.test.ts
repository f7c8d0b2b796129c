import { expect, test } from "bun:test";
import { encode } from "../../../base/text/text.ts";
import type { Announcement, Exit, OpenFile } from "../../../base/world.ts";
import { UnroutedCount } from "./network-evidence.ts";

/** A count that sees one table, and the steps that were taken with it. */
function openCount() {
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const announcement: Announcement = {
    read: () => Promise.resolve(encode('{\n    "child-pid": 12\n}\n')),
    goOn: () => {
      steps.push("begun");
      begun.resolve();
    },
  };
  const table = {
    read: () => {
      steps.push("read");
      return Promise.resolve(encode("Ip6OutNoRoutes 1\n"));
    },
    [Symbol.asyncDispose]: () => {
      steps.push("closed");
      closed.resolve();
      return Promise.resolve();
    },
  };
  const files = {
    read: () => Promise.resolve(new Uint8Array()),
    openResolved: (path: string) => {
      if (path !== "/proc/12/net/snmp6")
        return Promise.reject(Object.assign(new Error("missing"), { code: "ENOENT" }));
      steps.push("opened");
      opened.resolve();
      return Promise.resolve(table as unknown as OpenFile);
    },
  };
  const count = new UnroutedCount(files, "fresh");
  return { count, steps, announcement, opened: opened.promise, begun: begun.promise, closed: closed.promise };
}

test("[SBX-04 PERF-02] the network tables of a command are read at its exit, before the count is asked for", async () => {
  const { count, steps, announcement, opened, begun, closed } = openCount();
  const { promise: exited, resolve: exit } = Promise.withResolvers<Exit>();
  const { promise: ready, resolve: beReady } = Promise.withResolvers<void>();
  count.follow({ announcement, exited }, ready);
  await opened;
  beReady();
  await begun;
  expect(steps).toEqual(["opened", "begun"]);
  exit({ kind: "code", code: 1 });
  await closed;
  expect(steps).toEqual(["opened", "begun", "read", "closed"]);
  expect(await count.end()).toBe(true);
});

test("[SBX-04 PERF-02] the network tables of a command that succeeded are closed unread", async () => {
  const { count, steps, announcement, closed } = openCount();
  count.follow({ announcement, exited: Promise.resolve({ kind: "code", code: 0 }) }, Promise.resolve());
  await closed;
  expect(steps).toEqual(["opened", "begun", "closed"]);
  expect(await count.end()).toBe(false);
});

test("[SBX-01 PERF-02] a command whose preparation fails does not begin", async () => {
  const { count, steps, announcement } = openCount();
  const failure = new Error("the disk is full");
  count.follow({ announcement, exited: new Promise(() => undefined) }, Promise.reject(failure));
  expect(await count.end().catch((thrown: unknown) => thrown)).toBe(failure);
  expect(steps).toEqual(["opened"]);
});

test("[SBX-04 ENG-09] the count does not wait for an exit that is never reported", async () => {
  const { count, announcement } = openCount();
  count.follow({ announcement, exited: new Promise(() => undefined) }, Promise.resolve());
  expect(await count.end()).toBe(true);
});

import { expect, test } from "bun:test";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import type { Log } from "../../../base/log.ts";
import { MESSAGES_MAX, serverLogHandler } from "./server-log.ts";

test("[MCP-06 R21] what a server logs is in the operational log, in short lines, and no more than it can stand", async () => {
  const clock = fakeClock();
  const written: unknown[] = [];
  const log: Log = {
    for: () => log,
    write: (level, message, fields) => written.push([level, message, fields]),
  };
  const tell = serverLogHandler(log, clock);
  const say = (level: "info" | "error", data: unknown, logger?: string) =>
    tell({
      method: "notifications/message",
      params: { level, data, ...(logger === undefined ? {} : { logger }) },
    });
  say("error", "it\nbroke \u001b[2J", "db");
  say("info", { a: 1 });
  expect(written).toEqual([
    ["warn", "the server logs", { text: "it\\nbroke \\e[2J", logger: "db" }],
    ["debug", "the server logs", { text: '{"a":1}' }],
  ]);
  for (let at = 0; at < 1_000; at++) say("info", "x".repeat(100_000));
  expect(written).toHaveLength(MESSAGES_MAX);
  expect(JSON.stringify(written.at(-1)).length).toBeLessThan(600);
  await clock.advance(60_000);
  say("info", "again");
  expect(written.slice(MESSAGES_MAX)).toEqual([
    ["info", "the server logged more than is kept", { messages: 1_002 - MESSAGES_MAX }],
    ["debug", "the server logs", { text: "again" }],
  ]);
});

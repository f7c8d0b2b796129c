import { expect, test } from "bun:test";
import fc from "fast-check";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { holds } from "../../../../test/support/property.ts";
import { until } from "../../../../test/support/until.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { decode, encode } from "../../../base/text/text.ts";
import type { Child, Exit } from "../../../base/world.ts";
import { LineBuffer, ServerStdioTransport } from "./stdio.ts";

test("[MCP-01] property: messages are the same wherever their bytes were split", async () => {
  await holds(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 12 })),
      fc.array(fc.nat({ max: 30 })),
      (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll("\n", " "));
        const bytes = encode(lines.map((line) => `${line}\n`).join(""));
        const read = new LineBuffer();
        const found: string[] = [];
        let from = 0;
        for (const length of [...cuts, bytes.length]) {
          // Whoever pushes may use the same memory again.
          const piece = bytes.slice(from, from + length);
          for (const line of read.push(piece)) found.push(decode(line));
          piece.fill(0);
          from += length;
        }
        expect(found).toEqual(lines.filter((line) => line !== ""));
        expect(read.length).toBe(0);
      },
    ),
  );
});

test("[MCP-01 REL-04] long messages are read no faster than so many bytes a second", async () => {
  const clock = fakeClock();
  const exited = Promise.withResolvers<Exit>();
  const line = encode(
    `${JSON.stringify({ jsonrpc: "2.0", method: "x", params: { a: "y".repeat(1_048_576) } })}\n`,
  );
  let isOver = false;
  async function* endless() {
    while (!isOver) yield line;
  }
  async function* nothing() {}
  const child: Child = {
    pid: 1,
    stdout: endless(),
    stderr: nothing(),
    exited: exited.promise,
    leftBehind: () => false,
    kill: () => undefined,
    async [Symbol.asyncDispose]() {
      isOver = true;
      exited.resolve({ kind: "code", code: 0 });
    },
  };
  const transport = new ServerStdioTransport({ child, clock, log: SILENT_LOG });
  let messages = 0;
  transport.onmessage = () => {
    messages += 1;
  };
  await transport.start();
  await until("it waits", () => clock.waiting === 1);
  expect(messages).toBe(20);
  await clock.advance(1_000);
  await until("it waits again", () => clock.waiting === 1 && messages > 20);
  expect(messages).toBe(40);
  exited.resolve({ kind: "code", code: 0 });
  await transport.close();
  expect(transport.problem).toBeUndefined();
});

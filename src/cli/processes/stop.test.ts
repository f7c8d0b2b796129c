import { expect, test } from "bun:test";
import { join } from "node:path";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { ROOT } from "../../../test/support/source.ts";
import { countOnce } from "./stop.ts";

test("[LIFE-02 CRED-03] a signal of the terminal, which keeper and engine both get, counts once", async () => {
  const clock = fakeClock();
  const counts = countOnce(clock);
  expect([counts("SIGINT", "received"), counts("SIGINT", "told")]).toEqual([true, false]);
  expect([counts("SIGINT", "told"), counts("SIGINT", "received")]).toEqual([true, false]);
  // Two presses in a row, in whatever order they arrive.
  const ways = ["received", "received", "told", "told"] as const;
  expect(ways.map((way) => counts("SIGINT", way))).toEqual([true, true, false, false]);
});

test("[LIFE-02 CRED-03] signals that only one of them gets all count, and different ones are never taken for the same", async () => {
  const clock = fakeClock();
  const counts = countOnce(clock);
  expect([counts("SIGTERM", "told"), counts("SIGTERM", "told")]).toEqual([true, true]);
  expect(counts("SIGINT", "received")).toBe(true);
  await clock.advance(1_001);
  expect(counts("SIGINT", "told")).toBe(true);
});

test.each([
  ["SIGTERM", "SIGTERM"],
  ["SIGHUP", "SIGINT"],
] as const)(
  "[LIFE-02] %s asks a process to end, and %s behind it ends it, whatever it still does",
  async (first, second) => {
    const program = `
    const { listenForSignals } = await import(${JSON.stringify(join(ROOT, "src/cli/processes/stop.ts"))});
    listenForSignals().signal.addEventListener("abort", () => console.log("asked"));
    process.stdin.resume(); // it has something to do for ever
    console.log("ready");`;
    const child = Bun.spawn([process.execPath, "--no-install", "-e", program], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const said = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    expect((await said.read()).value).toBe("ready\n");
    child.kill(first);
    expect((await said.read()).value).toBe("asked\n");
    child.kill(second);
    expect([await child.exited, child.signalCode]).toEqual([130, null]);
  },
  60_000,
);

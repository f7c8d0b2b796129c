import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hostClock } from "../../src/platform/clock.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { signalIfRunning } from "../support/processes.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
/** A shell that waits for the client without noticing that it is stopped. */
const START = `sh -c 'sh -c "echo \\$\\$ >pid; exec \\"\\$CINCH\\""; true'\n`;
const KEYS = "the quick brown fox jumps over it all";
const F1 = "\u001bOP";

/** Returns the frames of a record. */
function framesOf(record: string): readonly string[] {
  return [...record.matchAll(/\u001b\[\?2026h([\s\S]*?)\u001b\[\?2026l/g)].map(([, frame = ""]) => frame);
}

test(
  "[TUI-08 complaint 7] after a time without the processor every key is there, and few frames are drawn for all that came",
  async () => {
    const text = Array.from({ length: 1_500 }, (_, at) => (at % 9 === 8 ? `w${at}\n\n` : `w${at}`)).join(" ");
    await using mock = openMockHome(
      [
        {
          parts: [{ text }, { tool: "Bash", input: { command: "touch streamed" } }],
          paceMs: 3,
          deltaChars: 10,
        },
        says("QUIT7"),
      ],
      '[permissions]\nallow = ["Bash"]\n',
    );
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write(START);
    await terminal.writes("type to begin");
    terminal.write("go\r");
    await terminal.writes("w40");
    const client = Number(readFileSync(join(mock.work, "pid"), "utf8"));
    signalIfRunning(client, "SIGSTOP");
    for (const key of KEYS) terminal.write(key);
    await until("all is streamed", () => existsSync(join(mock.work, "streamed")));
    const from = terminal.record.length;
    signalIfRunning(client, "SIGCONT");
    await terminal.writes(KEYS, from);
    const [before = ""] = terminal.record.slice(from).split(KEYS);
    // One for the return to the screen, the others for what the pipes held: not one for each of 700 deltas.
    expect(framesOf(before).length).toBeLessThanOrEqual(6);
    await terminal.writes("QUIT7", from);
    const frames = framesOf(terminal.record.slice(from));
    expect(frames.length).toBeLessThan(100);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 PERF-03 complaint 9] an agent that runs costs a frame a second, other sessions that stream cost none, and nothing is drawn under a panel",
  async () => {
    const never = Promise.withResolvers<void>();
    const long = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join("\n\n");
    await using mock = openMockHome(({ body }) => {
      const messages = JSON.stringify(body["messages"]);
      if (messages.includes("use an agent")) return calls("Agent", { prompt: "look at it" });
      if (messages.includes("look at it")) return says("busy ".repeat(40), { hold: never.promise });
      return says(long, { paceMs: 20 });
    });
    await using terminal = await openClient(mock);
    terminal.write("use an agent\r");
    await terminal.writes("look at it");
    await using one = await openClient(mock);
    await using other = await openClient(mock);
    for (const each of [one, other]) {
      each.write("stream\r");
      await each.writes("word30");
    }
    const { signal } = new AbortController();
    const from = terminal.record.length;
    await hostClock.sleep(5_000, signal);
    const record = terminal.record.slice(from);
    expect(framesOf(record).length).toBeGreaterThan(1);
    expect(framesOf(record).length).toBeLessThanOrEqual(8);
    expect(record.length).toBeLessThan(3_000);

    const opened = terminal.record.length;
    terminal.write(F1);
    await terminal.writes(/Keys[\s\S]*\u001b\[\?2026l/, opened);
    const [hidden, streamed] = [terminal.record.length, one.record.length];
    await hostClock.sleep(3_000, signal);
    expect(terminal.record.slice(hidden)).toBe("");
    expect(one.record.length).toBeGreaterThan(streamed);
    never.resolve();
  },
  TIMEOUT_MS,
);

async function openClient({ home, work }: MockHome): Promise<RecordedTerminal> {
  const terminal = openRecordedTerminal(home, work);
  await terminal.writes("shell$ ");
  terminal.write('"$CINCH"\n');
  await terminal.writes("no session yet");
  return terminal;
}

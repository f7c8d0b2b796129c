import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hostClock } from "../../src/platform/clock.ts";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { signalIfRunning } from "../support/processes.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
/** A shell that waits for the client without noticing that it is stopped. */
const START = `sh -c 'sh -c "echo \\$\\$ >pid; exec \\"\\$CINCH\\""; true'\n`;
const KEYS = "the quick brown fox jumps over it all";
const AGENTS = 3;
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
        says("all is said"),
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
    expect(framesOf(before).length).toBeLessThanOrEqual(2);
    await terminal.writes("all is said", from);
    const frames = framesOf(terminal.record.slice(from));
    expect(frames.length).toBeLessThan(100);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 PERF-03 complaint 9] several agents that run cost about a frame a second, and none while a panel hides them",
  async () => {
    const never = Promise.withResolvers<void>();
    const agents = Array.from({ length: AGENTS }, (_, at) => ({
      tool: "Agent",
      input: { prompt: `look at part ${at}` },
    }));
    const busy = says("busy ".repeat(40), { hold: never.promise });
    await using mock = openMockHome([{ parts: agents }, ...agents.map(() => busy)]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("type to begin");
    terminal.write("go\r");
    await until("all agents run", () => mock.provider.requests.length > AGENTS);
    await terminal.writes(/working [3-9] s/);
    const from = terminal.record.length;
    const fromSeconds = Number(
      terminal.record
        .match(/working (\d+) s/g)
        ?.at(-1)
        ?.replaceAll(/\D/g, ""),
    );
    await terminal.writes(`working ${fromSeconds + 5} s`, from);
    const record = terminal.record.slice(from);
    expect(framesOf(record).length).toBeLessThanOrEqual(7);
    expect(record.length).toBeLessThan(5_000);

    const opened = terminal.record.length;
    terminal.write(F1);
    await terminal.writes(/Keys[\s\S]*\u001b\[\?2026l/, opened);
    const hidden = terminal.record.length;
    await hostClock.sleep(3_000, new AbortController().signal);
    expect(terminal.record.slice(hidden)).toBe("");
    never.resolve();
  },
  TIMEOUT_MS,
);

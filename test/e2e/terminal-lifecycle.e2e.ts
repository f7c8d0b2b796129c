import { expect } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { signalIfRunning, someChildWith } from "../support/processes.ts";
import { modesLeftOn, openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
/** It takes 50 ms on a quiet machine, where the limit is 100. */
const ESCAPE_MS_MAX = 1_000;
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"] as const;
const LONG = Array.from({ length: 2_000 }, (_, at) => `word${at}`).join("\n\n");
/** A terminal that knows modifyOtherKeys and not the keys of kitty answers so. */
const DEVICE = "\u001b[?62;22c";
const START = `sh -c 'echo $$ >pid; exec "$CINCH"'; echo co""de $?\n`;
/** The shell has its own at its prompt. */
const OF_THE_SHELL = "?2004";

test(
  "[TUI-01 TUI-10 complaint 18] after each signal, at the first frame and under a stream, the terminal is as before",
  async () => {
    await using mock = openMockHome(SIGNALS.map(() => says(LONG, { paceMs: 20 })));
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write("stty -a >before\n");
    for (const phase of ["first frame", "stream"])
      for (const signal of SIGNALS) {
        const from = terminal.record.length;
        rmSync(join(mock.work, "pid"), { force: true });
        terminal.write(START);
        await terminal.writes("\u001b[?1049h", from);
        await terminal.writes("─────", from);
        terminal.write(DEVICE);
        await terminal.writes("\u001b[>4;2m", from);
        expect(modesLeftOn(terminal.record)).toContain("?1049");
        if (phase === "stream") {
          terminal.write("go\r");
          await terminal.writes("word9", from);
        }
        const client = Number(readFileSync(join(mock.work, "pid"), "utf8"));
        // The process that restores the terminal of a killed client is started behind the first frame.
        if (signal === "SIGKILL") await someChildWith(client, "cinch-watchdog");
        signalIfRunning(client, signal);
        await terminal.writes(signal === "SIGKILL" ? "code 137" : "code 130", from);
        const left = () => modesLeftOn(terminal.record).filter((each) => each !== OF_THE_SHELL);
        const rest = () => (left().length === 0 ? "" : `${phase}, ${signal}: ${left().join(" ")}`);
        await until("all modes are off", () => rest() === "", 10_000).catch(() => expect(rest()).toBe(""));
        terminal.write('stty -a >after; cmp before after && echo same"" modes\n');
        await terminal.writes("same modes", from);
      }
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 TUI-03 complaint 18 bar Exit] Ctrl-Z gives the terminal to the shell, fg takes it back, and leaving prints the cost and the command that resumes",
  async () => {
    await using mock = openMockHome([says("hello there")], '[prices."mock:one"]\ninput = 1\noutput = 5\n');
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write(START);
    await terminal.writes("─────");
    terminal.write("hello\r");
    await terminal.writes("hello there");
    let from = terminal.record.length;
    terminal.write("\u001a");
    await terminal.writes("Stopped", from);
    expect(modesLeftOn(terminal.record).filter((each) => each !== OF_THE_SHELL)).toEqual([]);
    terminal.write("echo as''shell\n");
    await terminal.writes("asshell", from);
    from = terminal.record.length;
    terminal.write("fg\n");
    await terminal.writes("\u001b[?1049h", from);
    await terminal.writes("hello there", from);
    from = terminal.record.length;
    terminal.write("\u0003");
    await terminal.writes("Press Ctrl-C again within 2s to exit.", from);
    terminal.write("\u0003");
    await terminal.writes(/\$0\.\d+ this session\r\ncinch --resume sess_\w+/, from);
    expect(modesLeftOn(terminal.record).filter((each) => each !== OF_THE_SHELL)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-03 complaint 18] a client that another program has stopped draws its screen again when it continues",
  async () => {
    await using mock = openMockHome([says("hello there")]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write(`sh -c 'echo process=$$; exec "$CINCH"'\n`);
    await terminal.writes("─────");
    terminal.write("hello\r");
    await terminal.writes("hello there");
    const client = Number(/process=(\d+)/.exec(terminal.record)?.[1]);
    let from = terminal.record.length;
    signalIfRunning(client, "SIGSTOP");
    await terminal.writes("Stopped", from);
    from = terminal.record.length;
    terminal.write("fg\n");
    await terminal.writes("\u001b[?1049h", from);
    await terminal.writes("hello there", from);
    terminal.write("xyz");
    await terminal.writes("xyz", from);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-03 bar Cancel] Esc cancels under a stream, a word of it stays, and the draft is kept",
  async () => {
    await using mock = openMockHome([says(LONG, { paceMs: 5 })]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("─────");
    terminal.write("go\r");
    await terminal.writes("word9");
    terminal.write("my draft");
    await terminal.writes("my draft");
    const from = terminal.record.length;
    const pressedAtMs = performance.now();
    terminal.write("\u001b");
    await terminal.writes("ancelled", from);
    expect(performance.now() - pressedAtMs).toBeLessThan(ESCAPE_MS_MAX);
    const after = terminal.record.length;
    terminal.write("\u001b[H! "); // at the start: the rest of the row is written again
    await terminal.writes("! my draft", after);
  },
  TIMEOUT_MS,
);

import { expect } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { processesWith, signalIfRunning, someChildWith } from "../support/processes.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { modesLeftOn, openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const RESTORED_MS_MAX = 10_000;
const LONG = Array.from({ length: 2_000 }, (_, at) => `word${at}`).join("\n\n");
/** A terminal that knows modifyOtherKeys and not the keys of kitty answers so. */
const DEVICE = "\u001b[?62;22c";
const START = `EDITOR=./editor VISUAL= sh -c 'echo $$ >pid; exec "$CINCH"'; echo co""de $?\n`;
/** The shell has its own at its prompt. */
const OF_THE_SHELL = "?2004";
/** Stands in the command line of the editor. */
const MARK = `3${process.pid}.25`;

interface Phase {
  /** Brings the client into the phase. */
  readonly reach: (terminal: RecordedTerminal, from: number) => Promise<void>;
  /** Words of the shell once the client is gone. Default: the exit code of a killed program. */
  readonly left?: string;
  /** Keys that the person presses then. Default: none. */
  readonly typed?: string;
}

/** The phases in which the client has the terminal, or has given it away. */
const PHASES: Readonly<Record<string, Phase>> = {
  idle: { reach: async () => undefined },
  streaming: {
    async reach(terminal, from) {
      terminal.write("stream\r");
      await terminal.writes("word9", from);
    },
  },
  "a question is open": {
    async reach(terminal, from) {
      terminal.write("ask\r");
      await terminal.writes("Permission needed", from);
    },
  },
  "the editor is open": {
    async reach(terminal, from) {
      terminal.write("a draft\u0007");
      await terminal.writes("in the editor", from);
    },
  },
  suspended: {
    async reach(terminal, from) {
      terminal.write("\u001a");
      await terminal.writes("Stopped", from);
      await terminal.writes("code 148", from);
    },
    left: "Killed",
    typed: "\n",
  },
};

/** Returns what is not as before the client: modes of the terminal by name; empty once all are. */
function modesOf({ record }: RecordedTerminal): string {
  return modesLeftOn(record)
    .filter((each) => each !== OF_THE_SHELL)
    .join(" ");
}

function pidOf({ work }: MockHome): number {
  return Number(readFileSync(join(work, "pid"), "utf8"));
}

test(
  "[TUI-01 TUI-10 complaint 18] after kill -9 while it is idle, streams, asks, runs an editor or is suspended, modes and line editing are as before",
  async () => {
    await using mock = openMockHome(
      [says(LONG, { paceMs: 20 }), calls("Bash", { command: "touch made" })],
      '[permissions]\nask = ["Bash"]\n',
    );
    const editor = join(mock.work, "editor");
    writeFileSync(editor, `#!/bin/sh\nstty raw -echo\necho in the edi"tor"\nexec sleep ${MARK}\n`);
    chmodSync(editor, 0o755);
    await using _ended = {
      async [Symbol.asyncDispose]() {
        for (const pid of processesWith(MARK)) signalIfRunning(pid, "SIGKILL");
      },
    };
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write("stty -a >before\n");
    for (const [phase, { reach, left = "code 137", typed = "" }] of Object.entries(PHASES)) {
      const from = terminal.record.length;
      rmSync(join(mock.work, "pid"), { force: true });
      terminal.write(START);
      await terminal.writes("\u001b[?1049h", from);
      await terminal.writes("─────", from);
      terminal.write(DEVICE);
      await terminal.writes("\u001b[>4;2m", from);
      await reach(terminal, from);
      const killedAt = terminal.record.length;
      await someChildWith(pidOf(mock), "cinch-watchdog"); // a kill in the first 100 ms leaves the terminal as it is
      signalIfRunning(pidOf(mock), "SIGKILL");
      // A shell names a stopped job that has ended at its next prompt, once it knows.
      await until(`the shell says ${left}`, () => {
        if (typed !== "") terminal.write(typed);
        return terminal.record.slice(killedAt).includes(left);
      });
      const rest = () => (modesOf(terminal) === "" ? "" : `${phase}: ${modesOf(terminal)}`);
      await until("all modes are off", () => rest() === "", RESTORED_MS_MAX).catch(() =>
        expect(rest()).toBe(""),
      );
      terminal.write('stty -a >after; cmp before after && echo same"" modes\n');
      await terminal.writes("same modes", killedAt);
    }
    expect(existsSync(join(mock.work, "made"))).toBe(false);
  },
  TIMEOUT_MS,
);

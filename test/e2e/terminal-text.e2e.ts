import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { sendPrompt, startClient } from "../support/terminal-client.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 300_000;
/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 600;
/** Marks of direction but the two that isolate a run from the right to the left. */
const FOREIGN_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066\u2068]/;

for (const [setting, shown] of [
  ["isolate", "\u2067שלום עולם\u2069 12 kB"],
  ["reorder", "םלוע םולש 12 kB"],
  ["plain", "שלום עולם 12 kB"],
] as const)
  requireProgram("bash")(
    `[TUI-07 TUI-11 complaint 23] right-to-left words reach the terminal as right_to_left = "${setting}" says, and marks of a model never do`,
    async () => {
      await using mock = openMockHome([says("file שלום עולם 12 kB and \u202egnp.exe\u2067 done")]);
      writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), `right_to_left = "${setting}"\n`);
      await using terminal = openRecordedTerminal(mock.home, mock.work);
      await terminal.writes("shell$ ");
      terminal.write('"$CINCH"\n');
      await terminal.writes("─────");
      const from = terminal.record.length;
      terminal.write("go\r");
      const text = () => terminal.record.slice(from).replaceAll(/\u001b\[\d*G|\u001b\[[\d;]*m/g, "");
      await terminal.writes("<U+202E>", from);
      await terminal.writes("<U+2067>", from);
      expect(text()).toContain(`file ${shown} and <U+202E>gnp.exe<U+2067> done`);
      expect(text()).not.toMatch(FOREIGN_MARKS);
    },
    TIMEOUT_MS,
  );

requireProgram("tmux")(
  "[TUI-11 complaint 21] behind emoji that tmux measures otherwise, text and cursor stand where they are counted, and nothing old stays",
  async () => {
    await using mock = openMockHome([says("tones 👋🏽 and ❤️ and क्षि end\n\nplain")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 60, rows: 20 });
    await startClient(terminal);
    await terminal.type("👋🏽❤️x");
    await terminal.shows("> 👋");
    const at = (await terminal.screen()).split("\n").findIndex((line) => line.startsWith("> 👋"));
    await terminal.cursorAt(at, 2 + 2 + 2 + 1);
    await terminal.press("BSpace", "BSpace", "BSpace");
    await terminal.cursorAt(at, 2);
    await terminal.shows(/\n> Ask/);
    await sendPrompt(terminal, "go");
    await terminal.shows(/tones 👋\S* and ❤\S* {1,2}and क्षि end\n\nplain/);
  },
  TIMEOUT_MS,
);

for (const [columns, rows] of [
  [40, 15],
  [40, 8],
  [20, 6],
] as const)
  requireProgram("tmux")(
    `[TUI-11] on ${columns}x${rows} a question shows its command and its answers, a panel its list, and the draft stays`,
    async () => {
      await using mock = openMockHome(
        [calls("Bash", { command: "touch made-it" }), says("answered it")],
        '[permissions]\nask = ["Bash"]\n',
      );
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await startClient(terminal);
      await terminal.type("?");
      await terminal.shows(/^Keys\n/);
      await terminal.shows("escape closes");
      await terminal.press("Escape");
      await terminal.gone("escape closes");
      await terminal.press("C-p");
      await terminal.shows(/search:[\s\S]*▸ /);
      await terminal.press("Escape");
      await terminal.gone("search:");
      await sendPrompt(terminal, "go");
      await terminal.shows(/touch made-[\s\S]*\b1\S* +\S/);
      await terminal.type("later");
      await terminal.shows(/\n> later/);
      await terminal.press("C-u");
      await terminal.gone("> later");
      let pressedAtMs = performance.now();
      await until("the question takes its answer", async () => {
        const screen = await terminal.screen();
        if (screen.includes("answered it")) return true;
        if (performance.now() - pressedAtMs < QUIET_MS) return false;
        // Before the question takes keys, the draft does.
        await terminal.press(screen.includes("\n> 1") ? "BSpace" : "1");
        pressedAtMs = performance.now();
        return false;
      });
      await terminal.shows("answered it");
    },
    TIMEOUT_MS,
  );

import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { signalIfRunning } from "../support/processes.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const STORMS = 5;
const SIZES = [
  [80, 20],
  [61, 24],
  [100, 12],
  [100, 30],
  [45, 30],
  [120, 40],
  [100, 30],
] as const;
/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 600;
/** Times that the width shrinks under the stream. */
const NARROWED = 2;
const PARAGRAPHS = Array.from(
  { length: 40 },
  (_, at) => `Paragraph ${at + 1} has a **bold** word and ends here.`,
);
/** Erases saved lines, erases the whole screen, or resets the terminal. */
const ERASES = /\u001b\[[23]J|\u001bc|\u001b\[\?1049h/;
/** A prompt between the marks that keys of the terminal go to. */
const PROMPT = /\u001b\]133;A\u001b\\[\s\S]*?▌ [\s\S]*?go[\s\S]*?\u001b\]133;C\u001b\\/;

for (const how of ["flag", "setting"] as const)
  test(
    `[TUI-01 complaint 3 complaint 4 complaint 31 bar Screen] inline, finished rows are appended once, nothing saved is erased, and the prompt is under it at the end (${how})`,
    async () => {
      await using mock = openMockHome([says(PARAGRAPHS.join("\n\n"), { paceMs: 3 }), says("The end.")]);
      if (how === "setting")
        writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), 'screen = "inline"\n');
      await using terminal = openRecordedTerminal(mock.home, mock.work);
      await terminal.writes("shell$ ");
      const from = terminal.record.length;
      terminal.write(how === "flag" ? '"$CINCH" --inline\n' : '"$CINCH"\n');
      await terminal.writes("─────", from);
      terminal.write("go\r");
      await terminal.writes("word and ends here.", from);
      terminal.write("typed under it");
      await terminal.writes("Paragraph 40", from);
      terminal.write("\u0015again\r");
      await terminal.writes("The end.", from);
      const left = terminal.record.length;
      terminal.write("\u0004");
      await terminal.writes(/continues this session[\s\S]*shell\$ $/, left);
      expect(terminal.record.slice(from)).not.toMatch(ERASES);
      expect(terminal.record.slice(from)).toMatch(PROMPT);
    },
    TIMEOUT_MS,
  );

for (const [columns, rows] of [
  [40, 15],
  [120, 40],
] as const)
  test(
    `[TUI-01 TUI-11 complaint 27] inline on ${columns} columns the scrollback has every paragraph in order, also after the size has changed under the stream`,
    async () => {
      await using mock = openMockHome([says(PARAGRAPHS.join("\n\n"), { paceMs: 40 })]);
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await terminal.type("echo before; $CINCH --inline");
      await terminal.press("Enter");
      await terminal.shows("─────");
      await terminal.type("go");
      await terminal.press("Enter");
      await terminal.shows("Paragraph 5 ");
      await terminal.resize(columns + 20, rows);
      await terminal.shows("Paragraph 12 ");
      await terminal.resize(columns, rows + 3);
      await terminal.shows("Paragraph 20 ");
      await terminal.resize(columns - 8, rows);
      await terminal.type("kept draft");
      await terminal.shows(/Paragraph 40 has a bold word and\s+ends here/);
      await terminal.shows(/> kept draft/);
      await terminal.press("C-c", "C-c");
      await terminal.shows("cinch --resume");
      const all = await terminal.scrollback();
      expect(all.match(/^before$/gm)).toHaveLength(1);
      const numbers = [...all.matchAll(/Paragraph (\d+) /g)].map(([, number]) => Number(number));
      // tmux wraps its rows before it reports the new size: one frame that is written in between stays, or takes the
      // place of a paragraph.
      expect(numbers.length).toBeLessThanOrEqual(PARAGRAPHS.length + NARROWED);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      const missing = PARAGRAPHS.flatMap((_, at) => (numbers.includes(at + 1) ? [] : [at + 1]));
      expect(missing.length).toBeLessThanOrEqual(1);
      expect(all.match(/^cinch \d/gm)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-01 complaint 3 complaint 27] inline, a storm of sizes under a stream takes away at most the frame before its first report",
  async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `line${at} ends with 日本語 👍🏽`);
    await using mock = openMockHome([says(lines.join("\n\n"), { paceMs: 5 })]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await terminal.type("$CINCH --inline");
    await terminal.press("Enter");
    await terminal.shows("─────");
    await terminal.type("go");
    await terminal.press("Enter");
    await terminal.shows(/line\d+ ends/);
    for (let storm = 0; storm < STORMS; storm += 1)
      for (const [columns, rows] of SIZES) await terminal.resize(columns, rows);
    await terminal.shows(/line399 [\s\S]*──[\s\S]*\n>/);
    const found = [...(await terminal.scrollback()).matchAll(/^\W*line(\d+) /gm)].map(([, at]) => Number(at));
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    // As above: one frame may come between the first size of the storm and its report.
    const missing = lines.flatMap((_, at) => (found.includes(at) ? [] : [at]));
    expect(missing.length).toBeLessThanOrEqual(1);
    expect(found.length).toBeLessThanOrEqual(lines.length + 1);
  },
  TIMEOUT_MS,
);

for (const panel of [false, true])
  test(
    `[TUI-01 TUI-10 complaint 18] inline, after kill -9 ${panel ? "with a panel open" : "at the draft"} what was said stays, the client is gone from the screen, and the shell takes lines`,
    async () => {
      await using mock = openMockHome([says("what was said")]);
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work });
      await terminal.type("sh -c 'echo $$ >pid; exec \"$CINCH\" --inline'");
      await terminal.press("Enter");
      await terminal.shows("─────");
      await terminal.type("go");
      await terminal.press("Enter");
      await terminal.shows(/what was said[\s\S]*sess_/);
      if (panel) {
        await terminal.press("PageUp");
        await terminal.shows("Transcript");
      }
      signalIfRunning(Number(readFileSync(join(mock.work, "pid"), "utf8")), "SIGKILL");
      await terminal.shows(/what was said(?![\s\S]*\/sess)/);
      await terminal.type('echo al""ive');
      await terminal.press("Enter");
      await terminal.shows(/^alive$/m);
      if (!panel) expect(await terminal.screen()).toMatch(/^\S*[#$] echo al""ive$/m);
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-01 TUI-04] inline, a question, a panel and the whole transcript work, and leave nothing in the scrollback",
  async () => {
    await using mock = openMockHome(
      [calls("Bash", { command: "seq 1 50" }), says("It ran.")],
      '[permissions]\nask = ["Bash"]\n',
    );
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await terminal.type("$CINCH --inline");
    await terminal.press("Enter");
    await terminal.shows("─────");
    await terminal.type("go");
    await terminal.press("Enter");
    await terminal.shows("Permission needed");
    await terminal.shows(/1\/y {2}allow once/);
    // Keys count once the question has been there for a moment: until then they go to the draft.
    await terminal.press("C-p");
    await terminal.shows("search:");
    await terminal.press("Escape");
    await terminal.gone("search:");
    let [isTyped, pressedAtMs] = [false, performance.now()];
    await until("the question takes the key", async () => {
      const screen = await terminal.screen();
      if (isTyped && !screen.includes("> y")) return true;
      if (performance.now() - pressedAtMs < QUIET_MS) return false;
      await terminal.press(isTyped ? "BSpace" : "y");
      isTyped = !isTyped;
      pressedAtMs = performance.now();
      if (isTyped) await terminal.shows(/> y|It ran|allowed by|on its way/);
      return false;
    });
    await terminal.shows("It ran.");
    await terminal.press("PageUp");
    await terminal.shows("Transcript · escape goes back");
    await terminal.press("Escape");
    await terminal.gone("Transcript · escape goes back");
    await terminal.shows("It ran.");
    await terminal.press("C-c", "C-c");
    await terminal.shows("continues this session");
    const all = await terminal.scrollback();
    expect(all).not.toContain("search:");
    expect(all).not.toContain("Permission needed:");
    expect(all.match(/It ran\./g)).toHaveLength(1);
    expect(all).toContain("allowed by you, once");
  },
  TIMEOUT_MS,
);

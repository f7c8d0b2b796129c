import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { SmallScreen } from "../support/small-screen.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const ALTERNATE = "\u001b[?1049h";
const F1 = "\u001bOP";
const F4 = "\u001bOS";
const ESCAPE = "\u001b";
const END = "\u0004";
const FRAME = /\u001b\[\?2026h([\s\S]*?)\u001b\[\?2026l/g;

test(
  "[TUI-01 bar Screen] the alternate screen is the default, and its flag goes before the setting",
  async () => {
    await using mock = openMockHome([]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    const runs = [
      { settings: "", line: '"$CINCH"', isAlternate: true },
      { settings: 'screen = "inline"\n', line: '"$CINCH"', isAlternate: false },
      { settings: 'screen = "inline"\n', line: '"$CINCH" --full-screen', isAlternate: true },
      { settings: 'screen = "full"\n', line: '"$CINCH" --inline', isAlternate: false },
    ];
    for (const { settings, line, isAlternate } of runs) {
      writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), settings);
      const from = terminal.record.length;
      terminal.write(`${line}\n`);
      await terminal.writes("─────", from);
      expect(terminal.record.slice(from).includes(ALTERNATE), `${line} with ${settings}`).toBe(isAlternate);
      const left = terminal.record.length;
      terminal.write(END);
      await terminal.writes("shell$ ", left);
    }
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 10] the setting turns the mouse off, a key switches to wheel and full, and the help shows Shift and drag",
  async () => {
    await using mock = openMockHome([]);
    writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), 'mouse = "off"\n');
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("type to begin");
    // The file is read behind the first frame.
    await until("the mouse is off", () => modesAt(terminal.record).length === 0);
    let from = terminal.record.length;
    terminal.write(F1);
    await terminal.writes("Shift and drag selects with the terminal itself.", from);
    terminal.write(ESCAPE);
    await terminal.writes("type to begin", from);
    from = terminal.record.length;
    terminal.write(F4);
    await rowOf(terminal, "Mouse: the wheel scrolls");
    expect(modesAt(terminal.record)).toEqual(["?1000", "?1006"]);
    terminal.write(F4);
    await rowOf(terminal, "Mouse full: drag selects");
    expect(modesAt(terminal.record)).toEqual(["?1000", "?1002", "?1006"]);
    terminal.write(F4);
    await rowOf(terminal, "Mouse off: it belongs to the terminal.");
    expect(modesAt(terminal.record)).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Returns the mouse modes that are on after a record. */
function modesAt(record: string): readonly string[] {
  const on = new Set<string>();
  for (const [, mode = "", end] of record.matchAll(/\u001b\[(\?100[0236])([hl])/g)) {
    if (end === "h") on.add(mode);
    else on.delete(mode);
  }
  return [...on].sort();
}

test(
  "[TUI-01 TUI-11 complaint 31] a prompt has a background of its own on a terminal with colours",
  async () => {
    await using mock = openMockHome([says("an answer")]);
    const env = { ...mock.home.env, COLORTERM: "truecolor" };
    await using terminal = openRecordedTerminal({ ...mock.home, env }, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("type to begin");
    terminal.write("\u001b]11;rgb:0000/2b2b/3636\u001b\\");
    await terminal.writes(/\u001b\[38;2;\d+/);
    terminal.write("my prompt\r");
    await terminal.writes(/\u001b\[(?:\d+;)*48;2;\d+;\d+;\d+m▌ /);
    await terminal.writes("an answer");
    expect(terminal.record).not.toMatch(/48;2;[\d;]+man answer/);
  },
  TIMEOUT_MS,
);

for (const copies of [false, true])
  test(
    `[TUI-01 complaint 11] what the mouse selects is copied ${copies ? "at once with the setting" : "by a key alone without it"}`,
    async () => {
      await using mock = openMockHome([says("select these words")]);
      const settings = `mouse = "full"\n${copies ? "copy_on_select = true\n" : ""}`;
      writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), settings);
      await using terminal = openRecordedTerminal(mock.home, mock.work);
      await terminal.writes("shell$ ");
      terminal.write('SSH_TTY=/dev/pts/9 "$CINCH"\n');
      await terminal.writes("type to begin");
      terminal.write("go\r");
      const row = await rowOf(terminal, "select these words");
      const from = terminal.record.length;
      terminal.write(`\u001b[<0;8;${row}M\u001b[<32;12;${row}M\u001b[<0;12;${row}m`);
      if (!copies) {
        await terminal.writes("selected: alt+w copies", from);
        expect(terminal.record.slice(from)).not.toContain("\u001b]52;");
        terminal.write("\u001bw");
      }
      await terminal.writes(`\u001b]52;c;${btoa("these")}\u0007`, from);
    },
    TIMEOUT_MS,
  );

/** Waits until a row of the screen shows a text; returns its number from 1. */
async function rowOf(terminal: RecordedTerminal, text: string): Promise<number> {
  let row = 0;
  await until(`the screen shows ${text}`, () => {
    const screen = new SmallScreen(100, 30);
    for (const [, frame = ""] of terminal.record.matchAll(FRAME)) screen.write(frame);
    row = screen.rows().findIndex((each) => each.includes(text)) + 1;
    return row > 0;
  });
  return row;
}

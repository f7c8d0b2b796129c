import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const QUERY = "\u001b]11;?\u0007";
const ALL_COLOURS = { COLORTERM: "truecolor" };
/** A foreground of 24 bits, as each theme but that of sixteen colours has. */
const RGB = /\u001b\[(?:1;)?38;2;(\d+);(\d+);(\d+)m/;

function background(hex: string): string {
  return `\u001b]11;rgb:${hex}\u001b\\`;
}

async function start(mock: MockHome, env: Readonly<Record<string, string>>): Promise<RecordedTerminal> {
  const terminal = openRecordedTerminal({ ...mock.home, env: { ...mock.home.env, ...env } }, mock.work);
  await terminal.writes("shell$ ");
  terminal.write('"$CINCH"\n');
  await terminal.writes("type to begin");
  await terminal.writes(QUERY);
  return terminal;
}

test(
  "[TUI-08 TUI-11 bar Themes complaint 24] the first frame waits for no answer, a late one redraws in its theme, and another one changes it",
  async () => {
    await using mock = openMockHome([]);
    await using terminal = await start(mock, ALL_COLOURS);
    expect(terminal.record).not.toMatch(RGB);
    let from = terminal.record.length;
    terminal.write(background("0000/2b2b/3636"));
    await terminal.writes(RGB, from);
    const brightness = (record: string) =>
      (RGB.exec(record) ?? [])
        .slice(1)
        .map(Number)
        .reduce((a, b) => a + b, 0);
    const onDark = brightness(terminal.record.slice(from));
    from = terminal.record.length;
    terminal.write("\u001b[?997;2n"); // the background has changed
    await terminal.writes(QUERY, from);
    terminal.write(background("ffff/ffff/ffff"));
    await terminal.writes(RGB, from);
    expect(onDark).toBeGreaterThan(brightness(terminal.record.slice(from)) + 150);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-11 bar Themes] NO_COLOR leaves all colours out, whatever the background is",
  async () => {
    await using mock = openMockHome([]);
    await using terminal = await start(mock, { ...ALL_COLOURS, NO_COLOR: "1" });
    terminal.write(background("0000/0000/0000"));
    terminal.write("some words");
    await terminal.writes("some words");
    const shown = terminal.record.slice(terminal.record.indexOf("\u001b[?1049h"));
    expect(shown).not.toMatch(/\u001b\[[\d;]*\b(?:3[0-8]|4[0-8]|9[0-7])(?:;[\d;]*)?m/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 bar Themes] the choice of a theme shows each on the screen, Esc brings the one before back, and Enter keeps it",
  async () => {
    await using mock = openMockHome([]);
    await using terminal = await start(mock, ALL_COLOURS);
    const open = async () => {
      const from = terminal.record.length;
      terminal.write("\u0010");
      await terminal.writes("Palette", from);
      terminal.write("choose the colours");
      await terminal.writes("1/1", from);
      terminal.write("\r");
      await terminal.writes("Themes", from);
    };
    await open();
    let from = terminal.record.length;
    terminal.write("\u001b[B");
    await terminal.writes(RGB, from);
    from = terminal.record.length;
    terminal.write("\u001b");
    await terminal.writes("type to begin", from);
    expect(terminal.record.slice(from)).not.toMatch(RGB);
    await open();
    terminal.write("\u001b[B");
    terminal.write("\r");
    const path = join(mock.home.path, "config/cinch/terminal.toml");
    await until("the choice is kept", () => read(path).includes('theme = "dark"'));
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 complaint 25] the window has the title of the session, a turn that ends unseen rings and is shown, and the title before comes back",
  async () => {
    await using mock = openMockHome([says("word ".repeat(40), { paceMs: 40 })]);
    await using terminal = await start(mock, {});
    await terminal.writes("\u001b[22;0t\u001b]0;work · cinch\u0007");
    terminal.write("count the words\r");
    await terminal.writes("\u001b]0;● ");
    terminal.write("\u001b[O"); // the focus is elsewhere
    await terminal.writes(/\u001b\]0;count the words[^\u0007]*\u0007/);
    await terminal.writes("\u0007\u001b]9;cinch: the turn has ended\u0007");
    terminal.write("\u001b[I");
    const from = terminal.record.length;
    terminal.write("\u0004");
    await terminal.writes("\u001b[23;0t", from);
  },
  TIMEOUT_MS,
);

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not written yet
  }
}

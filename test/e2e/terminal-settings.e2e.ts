import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal, TerminalOptions } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;

function settingsPath({ home }: MockHome): string {
  return join(home.path, "config/cinch/terminal.toml");
}

/** Starts the client in a terminal, with a settings file. */
async function start(
  mock: MockHome,
  settings: string | undefined,
  size: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  mkdirSync(join(mock.home.path, "config/cinch"), { recursive: true });
  if (settings !== undefined) writeFileSync(settingsPath(mock), settings);
  const terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...size });
  await terminal.type("$CINCH");
  await terminal.press("Enter");
  await terminal.shows("type to begin");
  return terminal;
}

/** Presses a key that goes to the next row, until a row is chosen. */
async function pressUntil(terminal: Terminal, key: string, row: RegExp): Promise<void> {
  for (let screen = await terminal.screen(); !row.test(screen); ) {
    const before = /^▸.*$/m.exec(screen)?.[0];
    await terminal.press(key);
    await until("another row is chosen", async () => {
      screen = await terminal.screen();
      return /^▸.*$/m.exec(screen)?.[0] !== before;
    });
  }
}

async function choose(terminal: Terminal, words: string): Promise<void> {
  await terminal.press("C-p");
  await terminal.shows("Palette");
  await terminal.type(words);
  await terminal.shows(/1\/1$/m);
  await terminal.press("Enter");
}

test(
  "[TUI-11 bar Keys bar Help] wrong entries are named with their line, a chosen key works and shows in the help, and the file is read again without a restart",
  async () => {
    await using mock = openMockHome([says("hello")]);
    await using terminal = await start(
      mock,
      'theme = "drak"\n[keys]\napp.helpp = "f2"\napp.help = ["f5"]\nmode.next = ["ctrl+k"]\n',
    );
    await terminal.shows('line 1: theme cannot be "drak". Did you mean dark?');
    await terminal.shows("line 3: app.helpp is not an action. Did you mean app.help?");
    await terminal.press("F5");
    await terminal.shows(/^f5 +show the keys/m);
    await terminal.press("Escape");
    await terminal.shows("type to begin");
    await terminal.press("?");
    await terminal.shows(/^f5 +show the keys/m);
    await terminal.press("Escape");
    await terminal.shows("type to begin");
    writeFileSync(settingsPath(mock), '[keys]\napp.help = ["f6"]\n');
    await choose(terminal, "file of settings");
    await terminal.shows("terminal.toml again.");
    await until("the problems are gone", async () => !(await terminal.screen()).includes("line 1:"));
    await terminal.press("F6");
    await terminal.shows(/^f6 +show the keys/m);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-11] a setting that is changed in the panel is kept for the next start, and the file keeps its comments",
  async () => {
    await using mock = openMockHome([]);
    const before = '# mine\nlast_lines = 7 # enough\n\n[keys]\napp.help = ["f5"] # not f1\n';
    {
      await using terminal = await start(mock, before, { columns: 80, rows: 24 });
      await choose(terminal, "change settings");
      await terminal.shows(/^▸ theme +auto/m);
      await pressUntil(terminal, "Down", /^▸ last_lines/m);
      await terminal.press("Right");
      await terminal.shows(/^▸ last_lines +8/m);
      await pressUntil(terminal, "Up", /^▸ vim_keys/m);
      await terminal.press("Right");
      await terminal.shows(/^▸ vim_keys +on/m);
      await until("the file is written", () => readFileSync(settingsPath(mock), "utf8").includes("vim_keys"));
    }
    expect(readFileSync(settingsPath(mock), "utf8")).toBe(
      before.replace("7 # enough\n", "8 # enough\nvim_keys = true\n"),
    );
    await using terminal = await start(mock, undefined);
    await terminal.press("Escape");
    await terminal.shows(/^N(?: |$)/m);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-11 complaint 29] Enter sends in vim's normal mode and begins a line in insert mode, if the file says so",
  async () => {
    await using mock = openMockHome([says("an answer")]);
    await using terminal = await start(
      mock,
      'vim_keys = true\n[keys]\ninput.send = ["vim-normal:enter"]\ninput.newLine = ["enter"]\n',
      { columns: 40, rows: 15 },
    );
    await terminal.type("one");
    await terminal.press("Enter");
    await terminal.type("two");
    await terminal.shows(/^> one\n +two/m);
    await terminal.press("Escape");
    await terminal.shows(/^N one/m);
    await terminal.press("Enter");
    await terminal.shows("an answer");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-11 bar Keys] the probe shows the name of a pressed key and what it does",
  async () => {
    await using mock = openMockHome([]);
    await using terminal = await start(mock, undefined, { columns: 80, rows: 24 });
    await choose(terminal, "what a key does");
    await terminal.shows("Press a key");
    await terminal.press("C-r");
    await terminal.shows("Anywhere: search in earlier prompts  input.history");
    await terminal.press("F9");
    await terminal.shows(/f9\n +no action has it/);
    await terminal.press("Escape");
    await terminal.shows(/^escape$/m);
    await terminal.press("Escape");
    await terminal.shows("type to begin");
  },
  TIMEOUT_MS,
);

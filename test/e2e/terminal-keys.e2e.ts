import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { startClient } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const recorded = requireProgram("bash");
const TIMEOUT_MS = 300_000;
/** Answers to the query for the keys of kitty, and to the one for the kind of terminal. */
const KITTY = "\u001b[?0u\u001b[?62;22c";
const NO_KITTY = "\u001b[?62;22c";

for (const { terminal: kind, answer, asked, shiftEnter } of [
  { terminal: "kitty", answer: KITTY, asked: /\u001b\[>\d+u/, shiftEnter: "\u001b[13;2u" },
  { terminal: "xterm", answer: NO_KITTY, asked: /\u001b\[>4;2m/, shiftEnter: "\u001b[27;2;13~" },
])
  recorded(
    `[TUI-08 complaint 19] on a terminal as ${kind}, Shift-Enter begins a line, as Ctrl-J does, and Enter sends`,
    async () => {
      await using mock = openMockHome([says("an answer")]);
      await using terminal = openRecordedTerminal(mock.home, mock.work);
      await terminal.writes("shell$ ");
      terminal.write('"$CINCH"\n');
      await terminal.writes("type to begin");
      terminal.write(answer);
      await terminal.writes(asked);
      for (const [text, key] of [
        ["first", shiftEnter],
        ["second", "\n"],
        ["third", kind === "kitty" ? "\u001b[13u" : "\r"],
      ] as const) {
        const from = terminal.record.length;
        terminal.write(text);
        await terminal.writes(text, from);
        terminal.write(key);
      }
      await terminal.writes("an answer");
      const sent = mock.provider.requests.find(({ path }) => path.includes("chat"));
      expect(JSON.stringify(sent?.body)).toContain('"first\\nsecond\\nthird"');
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-11 bar Keys bar Help] a key that two actions want is named, and the palette has the chosen one",
  async () => {
    await using mock = openMockHome([]);
    writeFileSync(
      join(mock.home.path, "config/cinch/terminal.toml"),
      '[keys]\nmodel.open = ["f7"]\ncosts.open = ["f7"]\n',
    );
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 120, rows: 30 });
    await startClient(terminal);
    await terminal.shows(/f7: \S+ cannot have it, because \S+ has it anywhere\./);
    const [, loser = "", winner = ""] =
      /f7: (\S+) cannot have it, because (\S+) has it/.exec(await terminal.screen()) ?? [];
    expect([loser, winner].sort()).toEqual(["costs.open", "model.open"]);
    await terminal.press("C-p");
    await terminal.shows("Palette");
    await terminal.type(winner);
    await terminal.shows(/1\/1$/m);
    await terminal.shows(/ f7$/m);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 TUI-01 bar Draft] words are cut, inserted again, undone and redone with the keys of a shell",
  async () => {
    await using mock = openMockHome([]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await startClient(terminal);
    await terminal.type("one two three");
    await terminal.press("C-w");
    await terminal.shows(/\n> one two\n/);
    await terminal.type("2");
    await terminal.shows(/\n> one two 2\n/);
    await terminal.press("C-u");
    await terminal.shows(/\n> (?:Ask for .*)?\n/);
    await terminal.press("C-y");
    await terminal.shows(/\n> one two 2\n/);
    await terminal.press("M-y");
    await terminal.shows(/\n> three\n/);
    await terminal.press("C-_");
    await terminal.shows(/\n> one two 2\n/);
    await terminal.press("M-_");
    await terminal.shows(/\n> three\n/);
  },
  TIMEOUT_MS,
);

import { expect } from "bun:test";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;

test(
  "[CLI-01 REL-01 R15] at a terminal, a command whose standard output takes nothing says so in one sentence",
  async () => {
    await using mock = openMockHome([says("Heard.")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 200 });
    await terminal.type('$CINCH -p x >/dev/null; echo li""sted'); // a session to list
    await terminal.press("Enter");
    await terminal.shows("listed");
    for (const words of ["", "--version", "--help", "help flags", "sessions list", "models"]) {
      await terminal.prompts();
      await terminal.clear();
      await terminal.type(`$CINCH ${words} >/dev/full; echo co""de $?`);
      await terminal.press("Enter");
      await terminal.shows("code 1");
      const screen = await terminal.screen();
      expect(screen).toContain("cinch: Standard output cannot be written: ENOSPC");
      expect(screen).not.toContain("bug in cinch");
    }
  },
  TIMEOUT_MS,
);

test(
  "[LOG-01 REL-01] a standard error that takes nothing ends no work, also with the log on it",
  async () => {
    await using mock = openMockHome([says("Heard.")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 200 });
    await terminal.prompts();
    await terminal.clear();
    await terminal.type('$CINCH -p x --log-to-stderr --log-level debug 2>/dev/full; echo co""de $?');
    await terminal.press("Enter");
    await terminal.shows("code 0");
    expect(await terminal.screen()).toContain("Heard.");
  },
  TIMEOUT_MS,
);

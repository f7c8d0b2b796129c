import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;

test(
  "[TUI-01 TUI-08 bar:History bar:Paste wish:15] a draft is pasted, cleared, stashed and found again",
  async () => {
    await using mock = openMockHome([says("first answer")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await terminal.type("$CINCH");
    await terminal.press("Enter");
    await terminal.shows(/\n>/);
    await terminal.type("alpha prompt");
    await terminal.press("Enter");
    await terminal.shows("first answer");
    await terminal.type("see ");
    await terminal.paste(Array.from({ length: 230 }, (_, at) => `line ${at}`).join("\n"));
    await terminal.shows("> see [pasted #1: 230 lines]");
    await terminal.press("C-c");
    await terminal.shows(/\n> ?\n/);
    await terminal.press("Up");
    await terminal.shows("> see [pasted #1: 230 lines]");
    await terminal.press("Up");
    await terminal.shows("> alpha prompt");
    await terminal.press("Down");
    await terminal.press("C-x");
    await terminal.shows("Stashed the draft");
    await terminal.press("C-r");
    await terminal.shows("Earlier prompts: 1 of 2");
    await terminal.type("alpha");
    await terminal.shows("Earlier prompts: 1 of 1");
    await terminal.press("Enter");
    await terminal.shows("> alpha prompt");
    await terminal.type(" once more");
    await terminal.shows("> alpha prompt once more");
  },
  TIMEOUT_MS,
);

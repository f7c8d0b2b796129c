import { expect } from "bun:test";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;

const ANSWER = [
  "# Steps\n\nUse **cinch** with `$HOME/bin:$PATH`.\n\n",
  "3. third\n7. seventh\n   - [x] done\n\n> quoted words that go on over the edge of it\n\n",
  "```ts\nconst x = 1; // \u001b[2J\n```\n\n| name | value |\n|---|--:|\n| 日本語 | 22 |\n\nAll said.",
].join("");

test(
  "[TUI-01 TUI-07] an answer in Markdown is drawn block by block, and no code in it reaches the terminal",
  async () => {
    await using mock = openMockHome([says(ANSWER)]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 40, rows: 40 });
    await terminal.type('"$CINCH"');
    await terminal.press("Enter");
    await terminal.shows(/cinch \d+\.\d+\.\d+ ·/);
    await terminal.type("hello");
    await terminal.press("Enter");
    await terminal.shows("All said.");
    const rows = (await terminal.screen()).split("\n");
    const from = rows.indexOf("Steps");
    expect(rows.slice(from, rows.indexOf("All said."))).toEqual([
      ...["Steps", "", "Use cinch with $HOME/bin:$PATH.", ""],
      ...["3. third", "7. seventh", "   ☑ done", ""],
      ...["│ quoted words that go on over the edge", "│ of it", ""],
      ...["  ts", "  const x = 1; // ", ""].map((text) => text.trimEnd()),
      ...["name   │ value", "───────┼──────", "日本語 │    22", ""],
    ]);
  },
  TIMEOUT_MS,
);

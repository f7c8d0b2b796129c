import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { sendPrompt, startClient } from "../support/terminal-client.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const ALLOWED = '[permissions]\nallow = ["Write", "Edit", "MultiEdit"]\n';
const BEFORE = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join("");

for (const columns of [140, 80, 40])
  test(
    `[TUI-05 PERM-15 bar Diff complaint 30] changed files of the session and of the last turn are listed with counts, and read hunk by hunk, on ${columns} columns`,
    async () => {
      await using mock = openMockHome(
        [
          calls("MultiEdit", {
            file_path: "long.txt",
            edits: [
              { old_string: "line 2\n", new_string: "second\n" },
              { old_string: "line 35\n", new_string: "thirty-five\n" },
            ],
          }),
          says("edited"),
          calls("Write", { file_path: "new.ts", content: "export const one = 1;\n" }),
          says("wrote"),
        ],
        ALLOWED,
      );
      writeFileSync(join(mock.work, "long.txt"), BEFORE);
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows: 16 });
      await startClient(terminal);
      await sendPrompt(terminal, "edit");
      await terminal.shows("edited");
      await sendPrompt(terminal, "write");
      await terminal.shows("wrote");
      await terminal.press("M-e");
      await terminal.shows("Changed files");
      await terminal.shows("whole session: 2 files +3 -2");
      await terminal.shows(/▸ M long.txt +\+2 +-2/);
      await terminal.shows(/ {2}A new.ts +\+1 +-0/);
      await terminal.press("Tab");
      await terminal.shows("turn 2: 1 file +1 -0");
      await terminal.shows(/▸ A new.ts/);
      await terminal.press("Tab");
      await terminal.shows(/▸ M long.txt/);
      await terminal.press("Enter");
      await terminal.shows(/long.txt changed.*\+2 -2/s);
      await terminal.shows("second");
      const sides = /line 2 .*second/;
      expect(sides.test(await terminal.screen())).toBe(columns >= 120);
      await terminal.type("s");
      await terminal.shows(columns >= 120 ? "s side by side" : "s unified");
      const settings = join(mock.home.path, "config/cinch/terminal.toml");
      const kept = `diff_layout = "${columns >= 120 ? "unified" : "side"}"\n`;
      await until(
        "the layout is kept",
        () => existsSync(settings) && readFileSync(settings, "utf8").includes(kept),
      );
      await terminal.type("n");
      await terminal.shows("thirty-five");
      await terminal.type("n");
      await terminal.shows(/new.ts added/);
      await terminal.shows("export const on");
      await terminal.type("p");
      await terminal.shows(/long.txt changed/);
      await terminal.press("Escape");
      await terminal.shows("Changed files");
      await terminal.press("Escape");
      await terminal.shows(/\n>/);
    },
    TIMEOUT_MS,
  );

import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { answerQuestion } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const BEFORE = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");
const CHANGE = calls("MultiEdit", {
  file_path: "a.txt",
  edits: [
    { old_string: "line 2\n", new_string: "two\n" },
    { old_string: "line 18\n", new_string: "eighteen\n" },
  ],
});
const CONFIG = '[permissions]\nask = ["MultiEdit"]\n';

for (const columns of [100, 40])
  test(
    `[TUI-04 TUI-05 PERM-03 PERM-15 bar Permission] trust, hunks and a command are answered on ${columns} columns`,
    async () => {
      await using mock = openMockHome(
        [CHANGE, calls("Bash", { command: "touch made-it" }), says("all done")],
        CONFIG,
      );
      writeFileSync(join(mock.work, "a.txt"), BEFORE);
      writeFileSync(join(mock.work, "AGENTS.md"), "Use tabs.\n");
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows: 40 });
      const has = async (text: string) => (await terminal.screen()).includes(text);
      await terminal.type("$CINCH");
      await terminal.press("Enter");
      await terminal.shows(/\n>/);
      await terminal.type("go");
      await terminal.press("Enter");
      await terminal.shows("Approval needed");
      await terminal.shows(/\+ ?Use tabs\./);
      await answerQuestion(terminal, "a", async () => !(await has("Approval needed")));
      await terminal.shows("hunk 2 of 2: not decided");
      await answerQuestion(terminal, "a", () => has("> hunk 2 of 2: not decided"));
      await terminal.press("d");
      await terminal.shows("hunk 2 of 2: refused");
      await terminal.press("Enter");
      await terminal.shows("touch made-it");
      await answerQuestion(terminal, "y", async () => !(await has("Permission needed:")));
      await terminal.shows("all done");
      expect(readFileSync(join(mock.work, "a.txt"), "utf8")).toBe(BEFORE.replace("line 2\n", "two\n"));
      expect(existsSync(join(mock.work, "made-it"))).toBe(true);
    },
    TIMEOUT_MS,
  );

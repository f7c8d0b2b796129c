import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 600;
const BEFORE = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");
const CHANGE = calls("MultiEdit", {
  file_path: "a.txt",
  edits: [
    { old_string: "line 2\n", new_string: "two\n" },
    { old_string: "line 18\n", new_string: "eighteen\n" },
  ],
});
const CONFIG = '[permissions]\nask = ["MultiEdit"]\n';

/** Presses a key until the question takes it. Before that the draft gets the key, and it is deleted there. */
async function answer(terminal: Terminal, key: string, isTaken: () => Promise<boolean>): Promise<void> {
  let pressedAtMs = performance.now();
  let isTyped = false;
  await until(`the question takes ${key}`, async () => {
    if (isTyped && (await isTaken())) return true;
    if (performance.now() - pressedAtMs < QUIET_MS) return false;
    await terminal.press(isTyped ? "BSpace" : key);
    isTyped = !isTyped;
    pressedAtMs = performance.now();
    return false;
  });
}

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
      await terminal.shows("Approval needed:");
      await terminal.shows("+Use tabs.");
      await answer(terminal, "a", async () => !(await has("Approval needed:")));
      await terminal.shows("hunk 2 of 2: not decided");
      await answer(terminal, "a", () => has("> hunk 2 of 2: not decided"));
      await terminal.press("d");
      await terminal.shows("hunk 2 of 2: refused");
      await terminal.press("Enter");
      await terminal.shows("touch made-it");
      await answer(terminal, "y", async () => !(await has("Permission needed:")));
      await terminal.shows("all done");
      expect(readFileSync(join(mock.work, "a.txt"), "utf8")).toBe(BEFORE.replace("line 2\n", "two\n"));
      expect(existsSync(join(mock.work, "made-it"))).toBe(true);
    },
    TIMEOUT_MS,
  );

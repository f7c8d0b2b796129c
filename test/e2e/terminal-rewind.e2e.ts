import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { sendPrompt, startClient } from "../support/terminal-client.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const ALLOWED = '[permissions]\nallow = ["Write", "Edit"]\n';

for (const [columns, rows] of [
  [120, 40],
  [60, 24],
] as const)
  test(
    `[SES-15 TUI-06 bar Rewind] Esc Esc lists the prompts with their changes, sets files and conversation back, and brings the prompt to the draft, on ${columns} columns`,
    async () => {
      await using mock = openMockHome(
        [
          calls("Write", { file_path: "one.txt", content: "first\n" }),
          says("made one"),
          calls("Edit", { file_path: "one.txt", old_string: "first\n", new_string: "second\nthird\n" }),
          calls("Write", { file_path: "two.txt", content: "2\n" }),
          says("made two"),
        ],
        ALLOWED,
      );
      const read = (name: string) => readFileSync(join(mock.work, name), "utf8");
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await startClient(terminal);
      await sendPrompt(terminal, "make one");
      await terminal.shows("made one");
      await sendPrompt(terminal, "make two");
      // The turn has ended too: Escape would cancel it.
      await terminal.shows(/made two\s+─{5}/);
      expect(read("one.txt")).toBe("second\nthird\n");

      await terminal.press("Escape");
      await terminal.shows("Press Escape again to go back to an earlier prompt.");
      await terminal.press("Escape");
      await terminal.shows("Go back to before a prompt");
      await terminal.shows(/▸ 2 make two +2 +\+3 -1/);
      await terminal.shows(/ {2}1 make one +1 +\+1 -0/);
      await terminal.shows("1 file is restored, 1 is removed");
      await terminal.press("Enter");
      await terminal.shows("Conversation and files");
      await terminal.press("Enter");
      await terminal.shows("Back to before turn 2. 2 files set back.");
      await terminal.shows(/\n> make two/);
      expect([read("one.txt"), existsSync(join(mock.work, "two.txt"))]).toEqual(["first\n", false]);

      // What was taken back stays reachable.
      await terminal.press("C-u");
      await terminal.press("Escape", "Escape");
      await terminal.shows(/▸ ↺ Undo the last rewind/);
      await terminal.shows(/2 make two .*taken back/);
      await terminal.press("Enter");
      await terminal.shows("The last rewind is undone.");
      expect([read("one.txt"), read("two.txt")]).toEqual(["second\nthird\n", "2\n"]);
    },
    TIMEOUT_MS,
  );

test(
  "[SES-15 bar Rewind] conversation alone leaves the files; files that a person changed meanwhile are asked about and kept",
  async () => {
    await using mock = openMockHome(
      [
        calls("Write", { file_path: "one.txt", content: "first\n" }),
        says("made one"),
        calls("Edit", { file_path: "one.txt", old_string: "first\n", new_string: "second\n" }),
        says("made two"),
        says("made three"),
      ],
      ALLOWED,
    );
    const path = join(mock.work, "one.txt");
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    for (const word of ["one", "two", "three"]) {
      await sendPrompt(terminal, `make ${word}`);
      await terminal.shows(new RegExp(`made ${word}\\s+─{5}`)); // the turn has ended, too
    }
    await sendPrompt(terminal, "/rewind");
    await terminal.shows(/▸ 3 make three/);
    await terminal.shows("the model forgets the last");
    await terminal.press("Enter");
    await terminal.shows("Conversation only");
    await terminal.press("Down", "Enter");
    await terminal.shows("Back to before turn 3.");
    expect(readFileSync(path, "utf8")).toBe("second\n");
    await terminal.press("C-u");

    writeFileSync(path, "mine\n");
    await terminal.press("Escape", "Escape");
    await terminal.shows("Go back to before a prompt");
    await terminal.type("make two");
    await terminal.shows(/▸ 2 make two/);
    await terminal.shows("one.txt stays as it is: you, or another program, changed it too");
    await terminal.press("Enter");
    await terminal.shows("you are asked about it");
    await terminal.press("Enter");
    await terminal.shows("This session changed these files, and so did you or another program since:");
    await terminal.shows("one.txt");
    await terminal.press("Enter");
    await terminal.shows("Back to before turn 2.");
    expect(readFileSync(path, "utf8")).toBe("mine\n");
    await terminal.press("C-u");

    await terminal.press("Escape", "Escape");
    await terminal.shows("Go back to before a prompt");
    await terminal.type("make one");
    await terminal.shows(/▸ 1 make one/);
    await terminal.press("Enter");
    await terminal.shows("Files only");
    await terminal.press("Down", "Down", "Enter");
    await terminal.shows("Set them back too");
    await terminal.press("Down", "Enter");
    await terminal.shows("Back to before turn 1.");
    expect(existsSync(path)).toBe(false);
  },
  TIMEOUT_MS,
);

test(
  "[SES-15 complaint 16] Esc Esc opens nothing while something is written or a turn runs",
  async () => {
    const hold = Promise.withResolvers<void>();
    await using mock = openMockHome([
      says("first answer"),
      says("second answer of two halves", { hold: hold.promise }),
    ]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await startClient(terminal);
    await sendPrompt(terminal, "go");
    await terminal.shows("first answer");
    await terminal.type("a draft");
    await terminal.press("Escape", "Escape");
    await terminal.type(" goes on");
    await terminal.shows(/\n> a draft goes on/);
    expect(await terminal.screen()).not.toContain("Go back");
    await terminal.press("Enter");
    await terminal.shows("second answer");
    await terminal.press("Escape");
    await terminal.shows("cancelled");
    hold.resolve();
    expect(await terminal.screen()).not.toContain("Go back");
  },
  TIMEOUT_MS,
);

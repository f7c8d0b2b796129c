import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const BELL = "\u0007";
/** Sequences that stay on the row of the cursor: to a column, by columns, erasing to the end of the row, and modes. */
const ON_THE_ROW = /^\u001b\[[\d;?<>=]*[CDGKhlmu]$/;

/** Returns the sequences that leave the row of the cursor, and the lines as a plain reader has them. */
function readPlainly(record: string) {
  const sequences =
    record.match(/\u001b(?:\[[\d;?<>=]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g) ?? [];
  const leaving = sequences.filter(
    (each) => !ON_THE_ROW.test(each) && each !== "\u001b[J" && each !== "\u001b[0J",
  );
  const text = record
    .replaceAll("\u001b[1G", "\r")
    .replaceAll(/\u001b(?:\[[\d;?<>=]*[@-~]|.)/g, "")
    .replaceAll(BELL, "");
  return { leaving, lines: text.split(/\r?\n/).map((line) => line.split("\r").at(-1) ?? "") };
}

for (const how of ["flag", "setting"] as const)
  test(
    `[TUI-11 complaint 22] a screen reader gets labelled lines, numbered answers and bells, and the cursor leaves its row only forwards (${how})`,
    async () => {
      await using mock = openMockHome(
        [calls("Bash", { command: "touch made-it" }), says("All **done** here.")],
        '[permissions]\nask = ["Bash"]\n',
      );
      if (how === "setting")
        writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), 'screen = "reader"\n');
      await using terminal = openRecordedTerminal(mock.home, mock.work);
      await terminal.writes("shell$ ");
      const from = terminal.record.length;
      terminal.write(how === "flag" ? '"$CINCH" --screen-reader\n' : '"$CINCH"\n');
      await terminal.writes("You: ", from);
      const began = terminal.record.length;
      terminal.write("go on\r");
      await terminal.writes("Tool Bash running: touch made-it", began);
      await terminal.writes(/Permission needed[\s\S]*1 {2}\S[\s\S]*4 {2}\S/, began);
      await terminal.writes(/Answer 1-4 > \S*$/, began);
      const asked = terminal.record.length;
      expect(terminal.record.slice(began)).toContain(BELL);
      terminal.write("1");
      await terminal.writes("1", asked);
      terminal.write("\r");
      await terminal.writes("Tool Bash done", asked);
      await terminal.writes("Assistant: All **done** here.", asked);
      await terminal.writes(/Assistant: [\s\S]*You: \S*$/, asked);
      await terminal.writes(BELL, asked);
      const { leaving, lines } = readPlainly(terminal.record.slice(began));
      expect(leaving).toEqual([]);
      expect(lines.filter((line) => /[─│▌●◐]/.test(line))).toEqual([]);
      for (const line of ["Tool Bash running: touch made-it", "Assistant: All **done** here."])
        expect(lines.filter((each) => each === line)).toEqual([line]);
    },
    TIMEOUT_MS,
  );

requireProgram("tmux")(
  "[TUI-11 complaint 22] a screen reader hears changes, todos, a plan, a rewind and a list of sessions in words, without signs and tables",
  async () => {
    await using mock = openMockHome(
      [
        calls("Write", { file_path: "a.txt", content: "hello\n" }),
        says("Wrote it."),
        calls("TodoWrite", { todos: [{ content: "first", status: "in_progress" }] }),
        says("Listed it."),
        calls("ExitPlanMode", { plan: "1. do this" }),
        says("Planned it."),
      ],
      '[permissions]\nask = ["Write"]\n',
    );
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 90, rows: 60 });
    const enter = async (text: string, ...shown: readonly (string | RegExp)[]) => {
      await terminal.type(text);
      await terminal.press("Enter");
      for (const each of shown) await terminal.shows(each);
    };
    await enter("$CINCH --screen-reader", /\nYou:$/);
    await enter("write it", "| added: hello", "Answer 1-4 >");
    await enter("1", "Assistant: Wrote it.", /\nTurn ended[.:][^\n]*\nYou:$/);
    await enter("list it", "  In progress: first", /Listed it\.\nTurn ended[^\n]*\nYou:$/);
    await enter("/plan", /\nYou, planning:$/);
    await enter("plan it", "Plan to approve:", "| 1. do this", "Answer 1-2 or words >");
    await enter("1", /Planned it\.\nTurn ended[^\n]*\nYou:$/);
    await enter("/diff", /a\.txt, added: 1 added, 0 removed\n\| at line 1:\n\| added: hello\nYou:$/);
    await enter("/sessions", /\n {2}title write it, status running, id sess_\w+, /);
    await enter("/rewind 2", "Set back to before turn 2?", "Answer 1-2 >");
    await enter("2", /\nYou:$/);
    const heard = await terminal.scrollback();
    expect(heard.split("\n").filter((line) => /^\| [-+@]|\[[ >x]\]|[─│▌●◐☐]/.test(line))).toEqual([]);
  },
  TIMEOUT_MS,
);

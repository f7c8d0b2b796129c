import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const SIZES = [
  { columns: 40, rows: 15 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
] as const;

const ALLOWED = '[permissions]\nallow = ["Bash"]\n';
const COUNTS = calls("Bash", { command: "seq -f 'row %g' 1 40" });
const MARKDOWN =
  "# Answer\n\nUse **cinch** for a paragraph that is long enough to be wrapped on every terminal of this test, and on the widest one of all of them too, which has two hundred columns.\n\n```ts\nconst x = 1;\n```\n";

interface Opened extends AsyncDisposable {
  readonly mock: MockHome;
  readonly terminal: Terminal;
}

/** Starts cinch, sends "go", and waits until the last answer is shown. */
async function begin(
  script: readonly Turn[],
  {
    last,
    size = { columns: 100, rows: 30 },
    before = "",
    settings,
  }: {
    readonly last: string;
    readonly size?: (typeof SIZES)[number] | { columns: number; rows: number };
    readonly before?: string;
    /** Content of terminal.toml. Default: there is none. */
    readonly settings?: string;
  },
): Promise<Opened> {
  const opened = new AsyncDisposableStack();
  const mock = opened.use(openMockHome([...script], ALLOWED));
  if (settings !== undefined) writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), settings);
  const terminal = opened.use(await openTerminal({ home: mock.home, cwd: mock.work, ...size }));
  await terminal.type(`${before} "$CINCH"`);
  await terminal.press("Enter");
  // What is typed before the client reads keys comes in one piece with the Enter key, which is a paste then.
  await terminal.shows("no session yet");
  await terminal.type("go");
  await terminal.shows("> go");
  await terminal.press("Enter");
  await terminal.shows(last);
  return { mock, terminal, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Presses a key until the screen shows something. */
async function pressUntil(terminal: Terminal, key: string, text: string | RegExp): Promise<void> {
  await terminal.press(key);
  await terminal.shows(text);
}

/** Sends a report of the mouse, as a terminal does. Cells count from 1. */
async function mouse(terminal: Terminal, report: string): Promise<void> {
  await terminal.press("-H", ...Array.from(Buffer.from(`\u001b[<${report}`), (byte) => byte.toString(16)));
}

async function rowOf(terminal: Terminal, text: string): Promise<number> {
  const row = (await terminal.screen()).split("\n").findIndex((line) => line.includes(text));
  expect(row).toBeGreaterThanOrEqual(0);
  return row + 1;
}

for (const size of SIZES)
  test(
    `[TUI-01 bar Tool calls complaint 28] on ${size.columns}x${size.rows} a call is unfolded by keyboard, by a click, and with all others`,
    async () => {
      await using opened = await begin([COUNTS, says("all done")], { last: "all done", size });
      const { terminal } = opened;
      await terminal.shows("35 lines before");
      await pressUntil(terminal, "C-t", "BROWSE");
      await terminal.press("Up");
      await terminal.shows(/┃ ● Bash/);
      await pressUntil(terminal, "Enter", /┃ {3}row 1\n/);
      await pressUntil(terminal, "Enter", "35 lines before");
      await terminal.press("Escape");
      await until("the bar is closed", async () => !(await terminal.screen()).includes("BROWSE"));
      await terminal.press("C-o");
      await until("all is unfolded", async () => !(await terminal.screen()).includes("lines before"));
      await pressUntil(terminal, "C-o", "35 lines before");
      const row = await rowOf(terminal, "35 lines before");
      await mouse(terminal, `0;5;${row}M`);
      await mouse(terminal, `0;5;${row}m`);
      await terminal.shows(/ row 2\n/);
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-01 bar Tool calls complaint 28] the lines that are shown of an output are a setting, and the rest is counted",
  async () => {
    const settings = "last_lines = 2\n";
    await using opened = await begin([COUNTS, says("all done")], { last: "all done", settings });
    await opened.terminal.shows(/\n {2}… 38 lines before · ctrl\+o unfolds\n {2}row 39\n {2}row 40\n/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 bar Search complaint 4] a search counts folded matches, shows each, and Escape keeps the place",
  async () => {
    await using opened = await begin([COUNTS, says("no row here\n\nall done")], { last: "all done" });
    const { terminal } = opened;
    await pressUntil(terminal, "C-s", "type to search");
    await terminal.type("row 7");
    await terminal.shows("1 of 1");
    await terminal.shows("  row 7\n");
    await terminal.press("Escape");
    await until("the search is closed", async () => !(await terminal.screen()).includes("1 of 1"));
    expect(await terminal.screen()).toContain("  row 7\n");
    await pressUntil(terminal, "C-t", "BROWSE");
    await terminal.press("/");
    await terminal.type("row");
    await terminal.shows(/\d+ of 42/);
    await terminal.press("Escape");
    await until("the search is closed", async () => !(await terminal.screen()).includes("of 42"));
    await terminal.press("n");
    await terminal.shows("BROWSE");
    await terminal.type("q");
    await until("the bar is closed", async () => !(await terminal.screen()).includes("BROWSE"));
    await terminal.type("draft");
    await terminal.shows(/> draft/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 12 complaint 13 complaint 14] a block is copied from its Markdown through tmux, and the way is said",
  async () => {
    await using opened = await begin([says(MARKDOWN)], { last: "const x = 1;", size: SIZES[0] });
    const { terminal } = opened;
    await terminal.press("C-t");
    await terminal.shows("BROWSE");
    await terminal.press("y");
    await terminal.shows("to tmux");
    await terminal.press("q");
    await terminal.press("C-c");
    await terminal.press("C-c");
    await terminal.prompts();
    await terminal.type("tmux show-buffer >copied.md; echo copi''ed");
    await terminal.press("Enter");
    await terminal.shows("copied\n");
    expect(readFileSync(join(opened.mock.work, "copied.md"), "utf8")).toBe(MARKDOWN.trimEnd());
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 12 complaint 13] without tmux the terminal gets the text by OSC 52, and a second copy is a file",
  async () => {
    await using mock = openMockHome([says("copy me")]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('SSH_TTY=/dev/pts/9 "$CINCH"\n');
    await terminal.writes("─────");
    terminal.write("go\r");
    await terminal.writes("copy me");
    await terminal.writes("$0");
    terminal.write("\u0014");
    await terminal.writes("BROWSE");
    terminal.write("y");
    await terminal.writes(`\u001b]52;c;${btoa("copy me")}\u0007`);
    await terminal.writes("Copy again");
    terminal.write("y");
    await terminal.writes(/Wrote 7 characters to \S+copied\.txt/);
    const [, path = ""] = /Wrote 7 characters to (\S+copied\.txt)/.exec(terminal.record) ?? [];
    expect(readFileSync(path, "utf8")).toBe("copy me");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 4 bar Long output] a block opens in the pager, the transcript in the editor, and Ctrl-C there ends nothing",
  async () => {
    const before = "VISUAL='cp -t .'";
    await using opened = await begin([COUNTS, says("all done")], { last: "all done", before });
    const { terminal, mock } = opened;
    await terminal.press("C-t");
    await terminal.shows("BROWSE");
    await terminal.press("Up");
    await terminal.shows(/┃ ● Bash/);
    await terminal.press("v");
    await terminal.shows(/^row 1\nrow 2\n/);
    await terminal.press("C-c");
    await terminal.shows(/\n:$/);
    await terminal.press("q");
    await terminal.shows(/┃ ● Bash/);
    await terminal.press("e");
    const block = join(mock.work, "output.txt");
    await until("the block is in the editor", () => existsSync(block) && readFileSync(block, "utf8") !== "");
    expect(readFileSync(block, "utf8")).toStartWith("row 1\nrow 2\n");
    await terminal.shows(/┃ ● Bash/);
    await terminal.press("E");
    const path = join(mock.work, "transcript.md");
    await until("the transcript is in the editor", () => {
      try {
        return readFileSync(path, "utf8").includes("all done");
      } catch {
        return false;
      }
    });
    const text = readFileSync(path, "utf8");
    expect(text).toStartWith("> go\n\n● Bash seq -f 'row %g' 1 40 (done)\n    row 1\n");
    expect(text).toEndWith("all done\n");
    await terminal.shows("BROWSE");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 2 complaint 5 bar Scroll] away from the end no row moves while text streams, and a mark leads to the newest",
  async () => {
    const long = Array.from({ length: 400 }, (_, at) => `word${at}`).join("\n\n");
    await using opened = await begin([says("first"), says(long, { paceMs: 15 })], { last: "first" });
    const { terminal } = opened;
    await terminal.type("more");
    await terminal.press("Enter");
    await terminal.shows("word30");
    await terminal.press("PageUp");
    await terminal.shows(/↓ (newest|1 new block): ctrl\+end/);
    const above = async () => (await terminal.screen()).split("\n").slice(1, 20).join("\n");
    const held = await above();
    for (let look = 0; look < 20; look += 1) expect(await above()).toBe(held);
    await terminal.press("C-End");
    await terminal.shows("word399");
    expect(await terminal.screen()).not.toContain("↓");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 31] Alt-Up and Alt-Down go from prompt to prompt, whose background is their own",
  async () => {
    const long = Array.from({ length: 60 }, (_, at) => `word${at}`).join("\n\n");
    await using opened = await begin([says(long), says(`${long}\n\nlast word`)], { last: "word59" });
    const { terminal } = opened;
    await terminal.type("second");
    await terminal.press("Enter");
    await terminal.shows("last word");
    await pressUntil(terminal, "M-Up", "▌ second");
    await pressUntil(terminal, "M-Up", "▌ go");
    await pressUntil(terminal, "M-Down", "▌ second");
    await pressUntil(terminal, "M-Down", "last word");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 10 complaint 14] the mouse is switched live; a drag selects without wraps, and copies by a key",
  async () => {
    await using opened = await begin([says(MARKDOWN)], { last: "const x = 1;", size: SIZES[0] });
    const { terminal, mock } = opened;
    await pressUntil(terminal, "F4", "Mouse full");
    const first = await rowOf(terminal, "Use cinch");
    const last = await rowOf(terminal, "const x");
    await mouse(terminal, `0;5;${first}M`);
    await mouse(terminal, `32;6;${first}M`);
    await mouse(terminal, `32;9;${last}M`);
    await mouse(terminal, `0;9;${last}m`);
    await terminal.shows("selected: alt+w copies");
    await terminal.press("M-w");
    await terminal.shows("Copied 3 lines");
    await pressUntil(terminal, "F4", "Mouse off");
    await terminal.press("C-c");
    await terminal.press("C-c");
    await terminal.prompts();
    await terminal.type("tmux show-buffer >copied.md; echo copi''ed");
    await terminal.press("Enter");
    await terminal.shows("copied\n");
    const [, paragraph = ""] = /^Use (.*)$/m.exec(MARKDOWN.replaceAll("*", "")) ?? [];
    // The row between is the name of the language, which only decorates.
    expect(readFileSync(join(mock.work, "copied.md"), "utf8")).toBe(`${paragraph}\n\nconst x`);
  },
  TIMEOUT_MS,
);

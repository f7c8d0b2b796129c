import { expect } from "bun:test";
import { RUN_TOOL } from "../../src/server/mcp/mcp-names.ts";
import { openMcpPlace } from "../support/mcp-stdio.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { processesWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 600;
/** Shorter than an MCP client waits: the screen is shown then. */
const RESULT_MS_MAX = 40_000;
const TODOS = calls("TodoWrite", {
  todos: [
    { content: "read the code", status: "completed" },
    { content: "write the change", status: "in_progress" },
    { content: "run the tests", status: "pending" },
  ],
});

async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press("Enter");
}

async function startClient(terminal: Terminal, words = ""): Promise<void> {
  await enter(terminal, `clear; $CINCH ${words}`);
  await terminal.shows("no session yet");
}

test(
  "[TUI-06 TUI-09 CTL-19] from 120 columns on a key shows the sidebar: sessions with their states as they change, todos, and who is here",
  async () => {
    const ask = calls("Bash", { command: "touch made" });
    await using mock = openMockHome([TODOS, says("the list is written"), ask, says("done")]);
    const { home, work } = mock;
    await using wide = await openTerminal({ home, cwd: work, columns: 120, rows: 40 });
    await startClient(wide);
    await enter(wide, "plan it");
    await wide.shows("the list is written");
    await wide.press("F2");
    await wide.shows("│ ▾ Sessions 1");
    await wide.shows(/│ {3}○ plan it/);
    await wide.shows("│ ▾ Todos 1/3");
    await wide.shows("│   ▸ write the change");
    await wide.shows(/│ ▾ Who is here 1\n.*│ {5}you {2}human/);
    const rows = (await wide.screen()).split("\n");
    for (const each of rows.slice(0, -1)) expect(Bun.stringWidth(each.slice(0, each.indexOf("│")))).toBe(86);
    expect(rows.at(-1)).toContain("mock:one");

    await using other = await openTerminal({ home, cwd: work, columns: 80, rows: 24 });
    await startClient(other, "--level ReadOnly");
    await enter(other, "make it");
    await other.shows("Permission needed: Bash");
    await wide.shows("│ ▾ Sessions 2, 1 waiting");
    await wide.shows(/│ {3}\? make it/);
    await other.press("Escape");
    await wide.shows("│ ▾ Sessions 2\n");
    await using third = await openTerminal({ home, cwd: work, columns: 80, rows: 24 });
    await startClient(third);
    await third.press("M-r");
    await third.shows("search:");
    await third.type("plan it");
    await third.shows(/▸ +plan it/);
    await third.press("Enter");
    await third.shows("the list is written");
    await wide.shows("│ ▾ Who is here 2");
    await wide.shows('"cinch terminal"  human');
    await wide.press("F2");
    await until("the sidebar is gone", async () => !(await wide.screen()).includes("Who is here"));
  },
  TIMEOUT_MS,
);

for (const [columns, rows] of [
  [80, 24],
  [40, 15],
] as const)
  test(
    `[TUI-06 TUI-08] at ${columns}x${rows} the overview is a panel, and the todos stand above the draft while a turn runs`,
    async () => {
      const slow = says("word ".repeat(60), { paceMs: 200 });
      await using mock = openMockHome([TODOS, slow]);
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await startClient(terminal);
      await enter(terminal, "plan it");
      await terminal.shows("▾ Todos 1/3 · alt+t folds");
      await terminal.shows("  ▸ write the change");
      await terminal.press("M-t");
      await terminal.shows("▸ Todos 1/3 · ▸ write the change");
      await terminal.press("F2");
      await terminal.shows(/^Overview\n▾ Sessions 1\n {2}● plan it/);
      await terminal.press("Enter");
      await terminal.shows(/^Overview\n▸ Sessions 1\n▾ Todos 1\/3/);
      await terminal.press("Escape");
      await terminal.shows(/working \d+ s/);
      await terminal.press("Escape");
      await terminal.shows("ancelled");
      await until("no todos", async () => !(await terminal.screen()).includes("Todos 1/3"));
    },
    TIMEOUT_MS,
  );

test(
  "[SES-06] sessions that expire within a week are named in a banner, which a key hides for good",
  async () => {
    await using mock = openMockHome([says("one"), says("two"), says("three")], "[session]\nttl_days = 5\n");
    const { home, work } = mock;
    await mock.run(["-p", "first"]);
    await using terminal = await openTerminal({ home, cwd: work, columns: 120, rows: 30 });
    await startClient(terminal);
    await enter(terminal, "second");
    await terminal.shows(
      /▌ 1 session expires this week: sess_\w+ — \/sessions:pin or \/sessions:export to keep it\./,
    );
    await terminal.press("M-k");
    await terminal.shows("Hidden until another session is about to expire.");
    expect(await terminal.screen()).not.toContain("this week");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-12] a session that an agent begins is announced above the draft; a key goes there, and the person answers its question",
  async () => {
    const outside = calls("Write", { file_path: "../outside.txt", content: "made" });
    await using place = await openMcpPlace([says("hello"), outside, says("It is written.")]);
    await using _ended = {
      [Symbol.asyncDispose]: () =>
        until("the engine has ended", () => processesWith(place.home.path).length === 0, 60_000),
    };
    await using terminal = await openTerminal({ home: place.home, cwd: place.work, columns: 160, rows: 40 });
    await startClient(terminal);
    await enter(terminal, "hi");
    await terminal.shows("hello");
    await using mcp = await place.client({ flags: [], name: "Outer One" });
    const running = mcp.call(RUN_TOOL, { prompt: "write it" });
    // Its question, which may come before anybody looks, takes the place of the first notice.
    await terminal.shows(/▌ (?:Outer agent Outer One started|Permission needed: Write, in) session sess_/);
    await terminal.press("M-o");
    await terminal.shows("This session was started by an external agent. You are observing as human.");
    await terminal.shows("Permission needed: Write");
    let isOver = false;
    let screen = "";
    void running.finally(() => (isOver = true)).catch(() => undefined); // it is awaited below
    let pressedAtMs = performance.now();
    const isAnswered = async () => {
      screen = await terminal.screen();
      // A screen without the question proves nothing: it may be taken between two parts of one frame.
      const isAsked = screen.includes("Permission needed: Write");
      if (isAsked && performance.now() - pressedAtMs >= QUIET_MS) {
        await terminal.press("1");
        pressedAtMs = performance.now();
      }
      return isOver;
    };
    try {
      await until("the agent has its result", isAnswered, RESULT_MS_MAX);
    } catch (cause) {
      throw new Error(`the question was answered on this screen, but:\n${screen}`, { cause });
    }
    const { texts } = await running;
    expect(texts[0]).toBe("It is written.");
    await terminal.shows("It is written.");
  },
  TIMEOUT_MS,
);

import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openTerminal } from "../support/terminal.ts";
import { sendPrompt, startClient } from "../support/terminal-client.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const PRICES = '[prices."mock:one"]\ninput = 1000\noutput = 5000\n';
const ALLOWED = '[permissions]\nallow = ["Bash:*"]\n';

for (const [columns, rows] of [
  [120, 40],
  [80, 24],
  [40, 15],
] as const)
  test(
    `[CTL-11 SES-06 TUI-06 bar Sessions] sessions are listed, searched, renamed, pinned, archived, deleted after a question, and continued, on ${columns} columns`,
    async () => {
      await using mock = openMockHome(
        [says("about apples"), says("about pears"), says("about plums"), says("still plums")],
        PRICES,
      );
      const other = join(mock.home.path, "other");
      mkdirSync(other);
      expect(await mock.run(["-p", "tell apples"])).toMatchObject({ code: 0 });
      expect(await mock.run(["-p", "tell pears"], { cwd: other })).toMatchObject({ code: 0 });
      expect(await mock.run(["-p", "tell plums"])).toMatchObject({ code: 0 });
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await startClient(terminal);
      await terminal.press("M-r");
      await terminal.shows(/▸ {3}tell plums/);
      await terminal.shows(/^ {4}tell apples/m);
      expect(await terminal.screen()).not.toContain("tell pears");
      await terminal.shows("this folder · newest first");
      await terminal.press("Tab");
      await terminal.shows("all folders");
      await terminal.shows(/tell pears/);
      await terminal.press("M-s");
      await terminal.shows("by name");
      await terminal.shows(/tell apples[\s\S]*tell pears[\s\S]*tell plums/);
      await terminal.press("M-s");
      await terminal.shows("dearest first");
      await terminal.press("M-s");
      await terminal.shows("newest first");
      if (columns >= 80) await terminal.shows(/tell plums +(?:now|\d+ \w+) +1 +\$0\.2/);
      await terminal.type("apples");
      await terminal.shows(/1\/1/);
      await terminal.shows(/▸ {3}tell apples/);
      if (columns > 40) await terminal.shows("about apples"); // the preview
      if (columns >= 80) await terminal.shows("$0.2");
      await terminal.press("F2");
      await terminal.shows("Title of the session.");
      await terminal.type(" and more");
      await terminal.press("Enter");
      await terminal.shows(/▸ {3}tell apples and more/);
      await terminal.press("M-p");
      await terminal.shows(/▸ \* tell apples and more/);
      await terminal.press("M-p");
      await terminal.shows(/▸ {3}tell apples and more/);
      await terminal.press("M-a");
      await terminal.shows("0/0");
      await terminal.press("M-v");
      await terminal.shows(/archived\s+too/);
      await terminal.shows(/▸ {3}tell apples and more/);
      await terminal.press("C-d");
      await terminal.shows(/Delete “tell apples and more”/);
      await terminal.type("n");
      await terminal.shows(/1\/1/);
      await terminal.press("C-d");
      await terminal.shows(/Delete “tell apples and more”/);
      await terminal.type("y");
      await terminal.shows("0/0");
      const list = await mock.run(["sessions", "list", "--all"]);
      expect(list.stdout).not.toContain("apples");
      expect(list.stdout).toContain("tell pears");
      await terminal.press(...Array.from("apples", () => "BSpace"));
      await terminal.type("plums");
      await terminal.shows(/search: plums +1\/1/);
      await terminal.shows(/▸ {3}tell plums/);
      await terminal.press("Enter");
      await terminal.shows("about plums");
      await sendPrompt(terminal, "go on");
      await terminal.shows("still plums");
    },
    TIMEOUT_MS,
  );

test(
  "[CTL-11 SES-06] --resume without an ID opens the list, and a prompt behind it waits in the draft",
  async () => {
    await using mock = openMockHome([says("about apples"), says("still apples")]);
    expect(await mock.run(["-p", "tell apples"])).toMatchObject({ code: 0 });
    const problem = "--resume needs a value (ID); cinch sessions list lists them";
    for (const words of [
      ["--plain", "--resume"],
      ["--plain", "--connect", "http://127.0.0.1:1", "--resume"], // refused before any engine is looked for
      ["-p", "go on", "--resume"],
    ]) {
      const { code, stderr } = await mock.run(words);
      expect([code, stderr.includes(problem)]).toEqual([2, true]);
    }
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await terminal.type('$CINCH "and pears" --resume');
    await terminal.press("Enter");
    await terminal.shows(/▸ {3}tell apples/);
    await terminal.press("Enter");
    await terminal.shows(/about apples[\s\S]*> and pears/);
    await terminal.press("Enter");
    await terminal.shows("still apples");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-11 TUI-06] a session that only an at sign, a mode or a command has begun is not listed, and goes with its client",
  async () => {
    await using mock = openMockHome([says("about apples")]);
    writeFileSync(join(mock.work, "plums.txt"), "plums");
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    await terminal.type("@plu");
    await terminal.shows("plums.txt");
    await terminal.press("C-u");
    await terminal.press("BTab");
    await terminal.shows("plan: the model reads and plans");
    await terminal.type("/permissions");
    await terminal.press("Enter");
    await terminal.shows("What this session may do");
    await terminal.press("Escape");
    await terminal.gone("What this session may do");
    await terminal.press("M-r");
    await terminal.shows("There are no sessions.");
    await terminal.press("Escape");
    await terminal.gone("There are no sessions.");
    const sessions = async () => {
      const { stdout } = await mock.run(["sessions", "list", "--all", "--json"]);
      return stdout.split("\n").filter((line) => line !== "").length;
    };
    expect(await sessions()).toBe(0);
    await terminal.press("C-d");
    await terminal.prompts();
    expect(await terminal.screen()).not.toContain("continues this session");
    const stored = async () => (await mock.run(["sessions", "show", "sess_0AAAA"])).stderr;
    await until("it is removed", async () => (await stored()).includes("No session is stored yet."));
  },
  TIMEOUT_MS,
);

test(
  "[SES-06 TUI-06] the session that is shown is deleted from the list, and a new one takes its place",
  async () => {
    await using mock = openMockHome([says("about apples"), says("about pears")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    await sendPrompt(terminal, "tell apples");
    await terminal.shows("about apples");
    await terminal.press("M-r");
    await terminal.shows(/▸ +tell apples/);
    await terminal.press("C-d");
    await terminal.shows(/Delete “tell apples”/);
    await terminal.type("y");
    await terminal.shows("Deleted.");
    await terminal.press("M-r"); // the key that has opened the list closes it
    await terminal.gone("Sessions");
    expect(await terminal.screen()).not.toContain("apples");
    expect((await mock.run(["sessions", "list", "--all"])).stdout).not.toContain("apples");
    await sendPrompt(terminal, "tell pears");
    await terminal.shows("about pears");
  },
  TIMEOUT_MS,
);

test(
  "[SES-09 CTL-19 bar Sessions] what was said is searched with a key, and a session is stepped through from there without anything running again",
  async () => {
    await using mock = openMockHome(
      [
        calls("Bash", { command: "echo ran >>ran.txt; echo the output" }),
        says("first turn about quinces"),
        says("second turn about medlars"),
      ],
      ALLOWED,
    );
    expect(await mock.run(["-p", "first prompt"])).toMatchObject({ code: 0 });
    expect(await mock.run(["-p", "second prompt", "--continue"])).toMatchObject({ code: 0 });
    const requests = mock.provider.requests.length;
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    await terminal.press("M-r");
    await terminal.shows(/▸ {3}first prompt/);
    await terminal.press("C-f");
    await terminal.shows("Search in sessions of this folder");
    await terminal.type("quinces");
    await terminal.shows(/▸ first turn about quinces +first prompt · text · turn 1/);
    await terminal.press("C-y");
    await terminal.shows("Replay: first prompt");
    await terminal.shows(/turn 1 · event \d+ · .* · nothing runs again/);
    await terminal.shows("the output");
    await terminal.press("Home");
    await terminal.shows("the beginning");
    expect(await terminal.screen()).not.toContain("the output");
    await terminal.press("Space");
    await terminal.shows("echo ran");
    await terminal.type("t");
    await terminal.shows("turn 2");
    await terminal.shows("second prompt");
    expect(await terminal.screen()).not.toContain("second turn about medlars");
    await terminal.press("Space");
    await terminal.shows("second turn about medlars");
    await terminal.type("1");
    await terminal.shows("1 (g goes to that turn)");
    await terminal.type("g");
    await terminal.shows(/turn 1 · event/);
    await terminal.type("e");
    await terminal.shows("the end");
    await terminal.type("q");
    await terminal.shows("Search in sessions of this folder");
    await terminal.press("Escape");
    await terminal.shows("Sessions");
    expect(mock.provider.requests.length).toBe(requests);
  },
  TIMEOUT_MS,
);

test(
  "[SES-06 TUI-06] sessions that expire within a week are named at the start, before one is open, until the person hides that",
  async () => {
    await using mock = openMockHome([says("about figs")], "[session]\nttl_days = 3\n");
    expect(await mock.run(["-p", "tell figs"])).toMatchObject({ code: 0 });
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 30 });
    await startClient(terminal);
    await terminal.shows(/1 session expires this week: sess_\w+ — \/sessions:pin or \/sessions:export/);
    await terminal.press("M-k");
    await terminal.shows("Hidden until another session is about to expire.");
    await terminal.gone("expires this week");
    await terminal.press("C-c", "C-c");
    await terminal.prompts();
    await terminal.clear();
    await startClient(terminal);
    // The list shows that the engine has answered: the notice would be there by then.
    await terminal.press("M-r");
    await terminal.shows(/▸ {3}tell figs/);
    await terminal.press("Escape");
    await terminal.gone("▸   tell figs");
    expect(await terminal.screen()).not.toContain("expires this week");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 TOOL-05 TUI-08] after a new start a shell line and the steps of a sub-agent are shown as they were live",
  async () => {
    await using mock = openMockHome(
      [
        calls("Agent", { prompt: "look around" }),
        { parts: [{ text: "I look first." }, { tool: "Bash", input: { command: "seq 101 120" } }] },
        says("I am the sub-agent"),
        says("I am the session"),
      ],
      ALLOWED,
    );
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 100, rows: 60 });
    await startClient(terminal);
    await terminal.type("!seq 1 20");
    await terminal.shows("\n$ !seq 1 20");
    await terminal.press("Enter");
    await terminal.shows(/● ! seq 1 20 +20 lines/);
    await sendPrompt(terminal, "ask it");
    await terminal.shows("I am the session");
    const unfolded = async () => {
      await terminal.press("C-o");
      await terminal.shows("I look first.");
      await terminal.shows(/ 101\n/);
      // Who has sent the prompt, the time and the status line differ.
      const rows = (await terminal.screen()).split("\n").slice(1, -3);
      return rows.filter((row) => row !== "" && !/^▌ (?:cli_|")/.test(row));
    };
    const live = await unfolded();
    await terminal.press("C-c", "C-c");
    await terminal.prompts();
    await terminal.clear();
    await terminal.type('"$CINCH" --resume last');
    await terminal.press("Enter");
    await terminal.shows("I am the session");
    expect(await unfolded()).toEqual(live);
  },
  TIMEOUT_MS,
);

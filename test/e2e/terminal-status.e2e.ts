import { expect } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostClock } from "../../src/platform/clock.ts";
import { lockFile } from "../../src/platform/files/file-lock.ts";
import { cinchHome } from "../support/cinch.ts";
import { openMockHome } from "../support/mock-home.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { framesOf, SmallScreen } from "../support/small-screen.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const recorded = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const PRICES = '[prices."mock:one"]\ninput = 1000\noutput = 5000\n';

async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press("Enter");
}

/** Returns the last row of the screen. */
async function statusOf(terminal: Terminal): Promise<string> {
  return (await terminal.screen()).split("\n").at(-1) ?? "";
}

const LINES: readonly (readonly [columns: number, rows: number, line: RegExp])[] = [
  [
    200,
    60,
    /^sess_…\w{5} · default · mock:one · \$0\.20\/turn · \$0\.20\/sess · accept edits · context \d+$/,
  ],
  [
    120,
    40,
    /^sess_…\w{5} · default · mock:one · \$0\.20\/turn · \$0\.20\/sess · accept edits · context \d+$/,
  ],
  [60, 24, /^sess_…\w{5} · default · mock:one · \$0\.20\/turn · \$0\.20\/sess$/],
  [40, 15, /^mock:one · \$0\.20\/turn · \$0\.20\/sess$/],
  [24, 15, /^mock:one · \$0\.20\/turn$/],
];

for (const [columns, rows, line] of LINES)
  test(
    `[TUI-02 bar Status line bar First screen] at ${columns}x${rows} the first screen has three rows of header at most, and the status line has the fields that fit`,
    async () => {
      await using mock = openMockHome([says("hello there")], PRICES);
      await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns, rows });
      await enter(terminal, "clear; $CINCH");
      await terminal.shows("no session yet");
      const screen = (await terminal.screen()).split("\n");
      expect(screen[0]).toStartWith("cinch ");
      expect(screen.slice(3, rows - 3).join("")).toBe("");
      await enter(terminal, "hello");
      await terminal.shows("hello there");
      await until("the turn is paid for", async () => /\$0\.20\/turn/.test(await statusOf(terminal)));
      await until("the line is whole", async () => line.test(await statusOf(terminal))).catch(async () =>
        expect(await statusOf(terminal)).toMatch(line),
      );
    },
    TIMEOUT_MS,
  );

test(
  "[TUI-02 TUI-06 bar Status line bar Model picker] the context in percent and the queue stand behind the mode, and the window of the model in its list",
  async () => {
    const go = Promise.withResolvers<void>();
    const usage = { input: 50_000, output: 0 };
    await using provider = startMockProvider({
      script: [
        says("first", { usage }),
        says("second", { usage }),
        says("a slow answer", { hold: go.promise }),
        says("the end"),
      ],
      models: ["glm-4.6"],
    });
    using home = cinchHome();
    const [config, work] = [join(home.path, "config/cinch"), join(home.path, "work")];
    for (const folder of [config, work]) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(config, "config.toml"),
      `default_model = "zai:glm-4.6"\n[providers.zai]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`,
    );
    await using terminal = await openTerminal({ home, cwd: work, columns: 120, rows: 30 });
    await enter(terminal, "clear; $CINCH");
    await terminal.shows("no session yet");
    await enter(terminal, "hello");
    await terminal.shows("first");
    await terminal.press("M-m");
    await terminal.shows("Model for this session");
    await terminal.shows(/zai:glm-4\.6 +in use +200k/);
    await terminal.press("Escape");
    await terminal.shows(/\n>/);
    await enter(terminal, "again");
    await terminal.shows(/· accept edits · context 25 %$/);
    await enter(terminal, "and on");
    await terminal.shows("working");
    await enter(terminal, "later");
    await terminal.shows(/· context 25 % · queue 1$/);
    go.resolve();
    await terminal.shows("the end");
    await until("nothing waits", async () => !(await statusOf(terminal)).includes("queue"));
  },
  TIMEOUT_MS,
);

test(
  "[PERF-01 TUI-01 bar First screen] the first frame takes keys before there is an engine, and the prompt is sent once there is one",
  async () => {
    await using mock = openMockHome([says("heard at last")]);
    const data = join(mock.home.path, "data/cinch");
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const lock = join(data, "control.sock.start");
    const held = await lockFile(lock, hostClock, new AbortController().signal);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await enter(terminal, "clear; $CINCH");
    await terminal.shows(/^cinch \d+\.\d+\.\d+ · \S+\/work\n/);
    await terminal.shows(/\n> Ask for something/);
    expect((await terminal.screen()).split("\n").at(-1)).toBe("starting …");
    await terminal.type("an early prompt");
    await terminal.press("Enter");
    await terminal.type("and a draft");
    await terminal.shows(/\n> and a draft\n/);
    expect(mock.provider.requests).toEqual([]);
    held[Symbol.dispose]();
    await terminal.shows("heard at last");
    await terminal.shows(/\n> and a draft\n/);
    expect(JSON.stringify(mock.provider.requests.at(-1)?.body)).toContain("an early prompt");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-02] an unknown price is a question mark, and --quiet-cost leaves the costs out",
  async () => {
    await using mock = openMockHome([says("one"), says("two")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 120, rows: 30 });
    await enter(terminal, "clear; $CINCH; $CINCH --quiet-cost");
    await terminal.shows("no session yet");
    await enter(terminal, "hello");
    await terminal.shows("mock:one · $?/turn · $?/sess");
    await terminal.press("C-c");
    await terminal.press("C-c");
    await terminal.shows("no session yet");
    await enter(terminal, "again");
    await terminal.shows("two");
    await terminal.shows("· mock:one · accept edits");
    expect(await statusOf(terminal)).not.toContain("$");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-02] a routed turn shows what each provider cost",
  async () => {
    const usage = { input: 1_000_000, output: 0 };
    await using one = startMockProvider({ script: [calls("Ls", { path: "." }, { usage })] });
    await using two = startMockProvider({ script: [says("done", { usage })] });
    using home = cinchHome();
    const [config, work] = [join(home.path, "config/cinch"), join(home.path, "work")];
    for (const folder of [config, work]) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(config, "config.toml"),
      `default_model = "routing:mixed"
[providers.one]\nkind = "openai-compatible"\nbase_url = "${one.url}/v1"
[providers.two]\nkind = "anthropic"\nbase_url = "${two.url}"
[prices."one:big"]\ninput = 3\noutput = 3\n[prices."two:small"]\ninput = 1\noutput = 1
[routing.mixed]\nmodel = "one:big"\nfallback = ["two:small"]\nrules = [{ model = "two:small", spent_above = 2.5 }]\n`,
    );
    await using terminal = await openTerminal({ home, cwd: work, columns: 160, rows: 30 });
    await enter(terminal, "clear; $CINCH");
    await terminal.shows("no session yet");
    await enter(terminal, "hello");
    await terminal.shows("· $3.00 one + $1.00 two = $4.00/turn · $4.00/sess");
  },
  TIMEOUT_MS,
);

/** Returns the rows of a screen of 100 by 30 cells after each frame of a record. */
function rowsOfFrames(record: string): readonly (readonly string[])[] {
  const screen = new SmallScreen(100, 30);
  return framesOf(record).map((frame) => {
    screen.write(frame);
    return screen.rows();
  });
}

recorded(
  "[TUI-02] while costs come fast the status line changes at most four times a second, and a running turn shows each second",
  async () => {
    const many = Array.from({ length: 40 }, (_, at) => calls("Glob", { pattern: `${at}*` }));
    const slow = says("word ".repeat(60), { paceMs: 1_500 });
    await using mock = openMockHome([...many, slow], PRICES);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("no session yet");
    terminal.write("go\r");
    await terminal.writes("/turn");
    const sinceMs = performance.now();
    const from = terminal.record.length;
    // A frame has only the cells that change: the rows are those of a screen.
    const shown = () => rowsOfFrames(terminal.record);
    const secondsShown = () => {
      const frames = shown().map((rows) => rows.join("\n"));
      return frames.flatMap((text) => (/working (\d+) s/.exec(text) ?? []).slice(1).map(Number));
    };
    let lastRows = "";
    try {
      await until("five seconds are shown", () => {
        lastRows = shown().at(-1)?.join("\n") ?? "";
        return secondsShown().some((each) => each >= 5);
      });
    } catch (cause) {
      throw new Error(`the last frame was:\n${lastRows}`, { cause });
    }
    const seconds = (performance.now() - sinceMs) / 1_000;
    const begun = rowsOfFrames(terminal.record.slice(0, from)).length;
    const states = shown()
      .slice(begun)
      .map((rows) => rows.find((each) => each.includes("/turn")) ?? "");
    const changes = states.filter((each, at) => at > 0 && each !== states[at - 1]).length;
    expect(changes).toBeGreaterThan(1);
    expect(changes).toBeLessThanOrEqual(Math.ceil(4 * (seconds + 1)));
    // A busy machine may take more than a second for a frame, once.
    const missing = [1, 2, 3, 4, 5].filter((each) => !secondsShown().includes(each));
    expect(missing.length).toBeLessThanOrEqual(1);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 PERM-03] Shift+Tab goes through the modes, each holds in the engine, and a sentence says what it allows",
  async () => {
    const write = (name: string) => calls("Write", { file_path: name, content: "made" });
    await using mock = openMockHome([write("a.txt"), write("b.txt"), says("made b")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 120, rows: 30 });
    await enter(terminal, "clear; $CINCH");
    await terminal.shows("no session yet");
    await terminal.press("BTab");
    await terminal.shows("plan: the model reads and plans, and changes nothing until you approve its plan.");
    await terminal.shows(/─ plan · shift\+tab ──\n/);
    await terminal.press("BTab");
    await terminal.shows("ask (level ReadOnly): reading goes on; every change");
    await enter(terminal, "go");
    await terminal.shows("Permission needed: Write");
    await terminal.shows(/· ask(?: · context \w+)?$/);
    await terminal.press("Escape");
    await until("the question is gone", async () => !(await terminal.screen()).includes("Permission needed"));
    expect(existsSync(join(mock.work, "a.txt"))).toBe(false);
    await terminal.press("BTab");
    await terminal.shows("accept edits (level WorkspaceWrite)");
    await terminal.press("BTab", "BTab", "BTab");
    await terminal.shows(/─ accept edits · shift\+tab ──\n/);
    await enter(terminal, "and now");
    await until(
      "the file is there",
      () => existsSync(join(mock.work, "a.txt")) || existsSync(join(mock.work, "b.txt")),
    );
    await terminal.shows(/· accept edits · context \w+$/);
    // The status line has said it all, and the model knows of no plan that it did not make.
    const text = await terminal.screen();
    for (const line of ["level: ", "plan mode is"]) expect(text).not.toContain(line);
    expect(/in plan mode|Plan mode is over/.test(JSON.stringify(mock.provider.requests))).toBe(false);
  },
  TIMEOUT_MS,
);

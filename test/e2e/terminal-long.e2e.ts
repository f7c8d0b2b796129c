import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { says } from "../support/mock-provider/turn.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { startClient } from "../support/terminal-client.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const ROUNDS = 24;
const CALLS = 60;
/** Screens of the whole session, with room to spare. */
const PAGES_MAX = 400;

/** Rounds of one turn that each say their number and read many lines. */
function rounds(turn: number): readonly Turn[] {
  const reads = Array.from({ length: CALLS }, (_, at) => ({
    tool: "Read",
    input: { file_path: `file${at}.txt` },
  }));
  return [
    ...Array.from({ length: ROUNDS }, (_, at) => ({
      parts: [{ text: `turn ${turn} round ${at}.` }, ...reads],
    })),
    says(`turn ${turn} is done`),
  ];
}

/** A stored session of two turns and about 6,000 events. */
async function longSession(more: readonly Turn[] = []): Promise<MockHome> {
  const mock = openMockHome([...rounds(1), ...rounds(2), ...more]);
  for (let at = 0; at < CALLS; at += 1) writeFileSync(join(mock.work, `file${at}.txt`), `${at}`);
  const first = await mock.run(["-p", "first question"]);
  expect(first.stdout).toContain("turn 1 is done");
  const second = await mock.run(["--resume", "last", "-p", "second question"]);
  expect(second.stdout).toContain("turn 2 is done");
  return mock;
}

async function resumed(mock: MockHome): Promise<Terminal> {
  const terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 40 });
  await terminal.type('"$CINCH" --resume last');
  await terminal.press("Enter");
  await terminal.shows("turn 2 is done");
  return terminal;
}

/** Presses a key until the screen shows a text; returns the round marks in the order in which they came to sight. */
async function marksUntil(terminal: Terminal, key: string, text: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const screen = await terminal.screen();
    const marks = [...screen.matchAll(/turn \d round \d+\./g)].map(([mark]) => mark);
    for (const mark of key === "PageUp" ? marks.toReversed() : marks)
      if (!seen.includes(mark)) seen.push(mark);
    if (screen.includes(text)) return seen;
    await terminal.press(key);
    // The next page is there, and a part that is read back is too.
    await until("the next page is shown", async () => {
      const now = await terminal.screen();
      return now !== screen && !now.includes("… earlier messages");
    });
  }
  throw new Error(`${key} never led to ${text}: ${seen.join(" ")}`);
}

const MARKS = [1, 2].flatMap((turn) =>
  Array.from({ length: ROUNDS }, (_, at) => `turn ${turn} round ${at}.`),
);

test(
  "[TUI-10 TUI-01 complaint 4 complaint 8] a long session opens at its end, and every older page is read back when it is scrolled to",
  async () => {
    await using mock = await longSession();
    await using terminal = await resumed(mock);
    const up = await marksUntil(terminal, "PageUp", "first question");
    expect(up).toEqual(MARKS.toReversed());
    const down = await marksUntil(terminal, "PageDown", "turn 2 is done");
    expect(down).toEqual(MARKS);
    // What was dropped meanwhile, or never read, is found from the first message too.
    await terminal.press("C-Home");
    await terminal.shows("turn 1 round 0.");
    await terminal.press("C-End");
    await terminal.shows("turn 2 is done");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10] a session that is opened at its end continues, wherever the person has scrolled to",
  async () => {
    await using mock = await longSession([says("a third answer")]);
    await using terminal = await resumed(mock);
    await terminal.press("C-Home");
    await terminal.shows("first question");
    await terminal.type("third question");
    await terminal.press("Enter");
    await terminal.shows("a third answer");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 bar Scroll complaint 2 complaint 5] the text in the window stays where it is while an answer streams below it",
  async () => {
    const lines = (name: string) => Array.from({ length: 300 }, (_, at) => `${name} line ${at}`).join("\n\n");
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    await using mock = openMockHome([says(lines("first")), says(lines("second"), { hold })]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await terminal.type('"$CINCH"');
    await terminal.press("Enter");
    await terminal.shows(/cinch \d+\.\d+\.\d+ ·/);
    for (const prompt of ["go", "again"]) {
      await terminal.type(prompt);
      await terminal.press("Enter");
      await terminal.shows(prompt === "go" ? "first line 299" : /second line 1\d\d/);
    }
    await terminal.press("PageUp");
    await terminal.shows(/↓ (?:newest|\d+ new block)/);
    const shown = async () => (await terminal.screen()).split("\n").filter((row) => /line \d/.test(row));
    const [above] = await shown();
    await terminal.press("PageUp");
    await until("the page above is shown", async () => (await shown())[0] !== above);
    const before = await shown();
    release();
    await terminal.shows(/^(?!.*second line 299)(?![\s\S]*esc)/);
    expect([before.length > 5, await shown()]).toEqual([true, before]);
    await terminal.press("C-End");
    await terminal.shows("second line 299");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 bar Search complaint 4] a search in a long session counts what is not loaded, and shows a match at its place",
  async () => {
    await using mock = await longSession();
    await using terminal = await resumed(mock);
    await terminal.press("C-s");
    await terminal.shows("type to search");
    await terminal.type("round 3.");
    await terminal.shows("2 of 2");
    await terminal.shows("turn 2 round 3.");
    await terminal.press("Up");
    await terminal.shows("1 of 2");
    await terminal.shows("turn 1 round 3.");
    await terminal.press("C-u");
    await terminal.type("first question");
    await terminal.shows("1 of 1");
    await terminal.shows(/first question[\s\S]*turn 1 round 0\./);
    await terminal.press("C-u");
    await terminal.type("is done");
    await terminal.shows(/\d of 2/);
    await terminal.press("Escape");
    await terminal.gone(" of 2");
  },
  TIMEOUT_MS,
);

test(
  "[CTL-19 TUI-06 bar Sessions] a match in what was said opens its session at that place, however far back it is",
  async () => {
    await using mock = await longSession();
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 40 });
    await startClient(terminal);
    const find = async (words: string, row: RegExp) => {
      await terminal.press("M-r");
      await terminal.shows(/▸ {3}first question/);
      await terminal.press("C-f");
      await terminal.shows("Search in sessions of this folder");
      await terminal.type(words);
      await terminal.shows(row);
      await terminal.press("Enter");
    };
    await find("first question", /▸ first question/);
    await terminal.shows(/first question[\s\S]*turn 1 round 0\./);
    expect(await terminal.screen()).toContain("↓ newest: ctrl+end");
    // Of the session that is shown too.
    await find("second question", /▸ second question/);
    await terminal.shows(/second question[\s\S]*turn 2 round 0\./);
    await terminal.press("C-End");
    await terminal.shows("turn 2 is done");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 complaint 4] the palette leaves and prints the whole transcript on the main screen, and so does each end with the setting",
  async () => {
    await using mock = await longSession([says("a third answer")]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    const resume = async () => {
      const from = terminal.record.length;
      await terminal.writes("shell$ ", 0);
      terminal.write('"$CINCH" --resume last\n');
      await terminal.writes("is done", from); // a frame may leave out what the row showed before
      return from;
    };
    const onMainScreen = async (from: number) => {
      await terminal.writes(/\?1049l[\s\S]*continues this session/, from);
      return terminal.record.slice(terminal.record.lastIndexOf("?1049l"));
    };
    const marksIn = (text: string) => [...text.matchAll(/turn \d round \d+\./g)].map(([mark]) => mark);
    let from = await resume();
    terminal.write("\u0010");
    await terminal.writes("Palette", from);
    terminal.write("print the transcript");
    await terminal.writes(/leave, and[\s\S]*main screen/, from);
    terminal.write("\r");
    const printed = await onMainScreen(from);
    expect(marksIn(printed)).toEqual(MARKS);
    expect(printed).toMatch(/> first question[\s\S]*turn 2 is done[\s\S]*cinch --resume/);
    writeFileSync(join(mock.home.path, "config/cinch/terminal.toml"), "transcript_at_exit = true\n");
    from = await resume();
    terminal.write("third question\r");
    await terminal.writes("a third answer", from);
    terminal.write("\u0003");
    await terminal.writes("Press Ctrl-C again within 2s to exit.", from);
    terminal.write("\u0003");
    const again = await onMainScreen(from);
    expect(marksIn(again)).toEqual(MARKS);
    expect(again).toMatch(/> third question\s+a third answer[\s\S]*cinch --resume/);
  },
  TIMEOUT_MS,
);

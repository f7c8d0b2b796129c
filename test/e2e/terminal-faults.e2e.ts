import { expect } from "bun:test";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { framesOf, shownRows } from "../support/small-screen.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
const [COLUMNS, ROWS] = [100, 30];
/** Answers to the queries at the start: background, focus, keys of kitty, device. */
const ANSWERS = [
  "\u001b]11;rgb:1e1e/1e1e/1e1e\u001b\\",
  "\u001b[?1004;1$y",
  "\u001b[?0u",
  "\u001b[?62;22c",
] as const;
const DELTAS = 100_000;
const LINE_BYTES = 10_000_000;
const STORM = 60;
/** A frame that writes every row. */
const WHOLE = "\u001b[0m\u001b[1;1H";

async function begin(terminal: RecordedTerminal): Promise<void> {
  await terminal.writes("shell$ ");
  terminal.write('"$CINCH" --level DangerFullAccess\n');
  await terminal.writes("type to begin");
}

/** Waits until the last frames show a text. */
async function shows(terminal: RecordedTerminal, text: string | RegExp): Promise<void> {
  const rows = () => shownRows(terminal.record, COLUMNS, ROWS).join("\n");
  const isShown = () => (typeof text === "string" ? rows().includes(text) : text.test(rows()));
  await until(`the screen shows ${text}`, isShown).catch((cause: unknown) => {
    throw new Error(`the screen never showed ${text}, but:\n${rows()}`, { cause });
  });
}

/** Changes the width, and waits for the whole picture in it. */
async function resized(terminal: RecordedTerminal, columns: number): Promise<void> {
  const from = terminal.record.length;
  terminal.resize(columns, ROWS);
  await terminal.writes(WHOLE, from);
}

function prompts({ provider }: MockHome): number {
  return provider.requests.filter(({ path }) => path.includes("chat")).length;
}

test(
  "[TUI-01 TUI-11] a terminal that answers no query shows the first frame and sends prompts; late answers, whole, cut or between keys, type nothing",
  async () => {
    await using mock = openMockHome([says("answered without a word of it"), says("and after them")]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await begin(terminal);
    terminal.write("go\r");
    await shows(terminal, "answered without a word of it");
    terminal.write("one ");
    await shows(terminal, "> one");
    terminal.write(ANSWERS.join(""));
    terminal.write(`two${ANSWERS.join("")} three`);
    await shows(terminal, /^> one two three$/m);
    for (const answer of ANSWERS) {
      const half = Math.ceil(answer.length / 2);
      terminal.write(answer.slice(0, half));
      // Twice the pause after which a size counts: longer than that after which a cut sequence was taken for keys.
      await resized(terminal, COLUMNS - 1);
      await resized(terminal, COLUMNS);
      terminal.write(answer.slice(half));
    }
    terminal.write(" four");
    await shows(terminal, /^> one two three four$/m);
    terminal.write("\r");
    await shows(terminal, "and after them");
    await shows(terminal, "one two three four");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 complaint 20] a paste without its end mark sends nothing, stands in the draft whole, and keys work after it",
  async () => {
    await using mock = openMockHome([says("got all of it")]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await begin(terminal);
    terminal.write("\u001b[200~first line\rsecond line\r");
    await shows(terminal, /^> first line\n {2}second line$/m);
    terminal.write("typed");
    await shows(terminal, /^> first line\n {2}second line\n {2}typed$/m);
    expect(prompts(mock)).toBe(0);
    terminal.write("\r");
    await shows(terminal, "got all of it");
    expect(JSON.stringify(mock.provider.requests.at(-1)?.body)).toContain("first line\\nsecond line\\ntyped");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 TUI-08 complaint 27] a storm of resizes under a stream ends in one picture of the last size, with the draft and the newest text",
  async () => {
    const words = Array.from({ length: 900 }, (_, at) => `word${at}`).join(" ");
    await using mock = openMockHome([says(`${words}\n\nthe last words`, { paceMs: 4, deltaChars: 8 })]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await begin(terminal);
    terminal.write("go\r");
    await terminal.writes("word9");
    terminal.write("my draft");
    await terminal.writes("my draft");
    for (let at = 0; at < STORM; at += 1) {
      terminal.resize(30 + ((at * 7) % 120), 8 + ((at * 5) % 40));
      await terminal.writes("\u001b[?2026l", terminal.record.length - 1);
    }
    const from = terminal.record.length;
    terminal.resize(COLUMNS, ROWS);
    await terminal.writes(WHOLE, from);
    await shows(terminal, /the last words[\s\S]*^> my draft$/m);
    const frames = framesOf(terminal.record.slice(from));
    const whole = frames.findLastIndex((frame) => frame.includes(WHOLE));
    const after = frames.slice(whole).map((frame) => `\u001b[?2026h${frame}\u001b[?2026l`);
    expect(shownRows(after.join(""), COLUMNS, ROWS)).toEqual(shownRows(terminal.record, COLUMNS, ROWS));
    expect(terminal.record).not.toContain("\u001b[3J");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 complaint 6 complaint 7] under 100,000 deltas that come as fast as they can, keys are shown, frames are dropped, and the end is reached",
  async () => {
    const text = Array.from({ length: DELTAS }, (_, at) => (at % 50 === 49 ? ".\n\n" : "ab ")).join("");
    await using mock = openMockHome([says(`${text}\n\nQUIT7`, { deltaChars: 3 })]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await begin(terminal);
    const from = terminal.record.length;
    terminal.write("go\r");
    await terminal.writes("ab ab ab", from);
    const first = framesOf(terminal.record).length;
    terminal.write("typed");
    await terminal.writes(/t.*y.*p.*e.*d/s, from);
    await terminal.writes("QUIT7", from);
    await shows(terminal, /QUIT7[\s\S]*^> typed$/m);
    expect(framesOf(terminal.record).length - first).toBeLessThan(DELTAS / 20);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-07 complaint 6] a line of 10 MB from a command and one from the model leave a client that still takes keys",
  async () => {
    const command = `head -c ${LINE_BYTES} /dev/zero | tr '\\0' x; printf '\\033]0;evil\\007\\n'`;
    const line = "y".repeat(LINE_BYTES);
    await using mock = openMockHome(
      [calls("Bash", { command }), says(`${line}\n\nQUIT7`, { deltaChars: 100_000 })],
      '[permissions]\nallow = ["Bash"]\n[sandbox]\nbackend = "none"\n',
    );
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await begin(terminal);
    const from = terminal.record.length;
    terminal.write("go\r");
    await terminal.writes("QUIT7", from);
    terminal.write("typed after it");
    await shows(terminal, /QUIT7[\s\S]*^> typed after it$/m);
    terminal.write("\u001b[1;5H"); // ctrl+home
    await shows(terminal, "Bash");
    expect(terminal.record.slice(from)).not.toContain("evil\u0007");
    expect(terminal.record.length - from).toBeLessThan(LINE_BYTES / 4);
  },
  TIMEOUT_MS,
);

import { expect } from "bun:test";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import type { RecordedTerminal } from "../support/recorded-terminal.ts";
import { openRecordedTerminal } from "../support/recorded-terminal.ts";
import { requireProgram } from "../support/requires.ts";
import { framesOf, SmallScreen } from "../support/small-screen.ts";
import { until } from "../support/until.ts";

const test = requireProgram("bash");
const TIMEOUT_MS = 300_000;
/** Glyphs that a row has to lose for an eye to see that it vanished. */
const VANISHED_GLYPHS = 3;
/** Sizes between the first and the last one of a storm. */
const STORM = 40;
const WHOLE = "\u001b[0m\u001b[1;1H";

interface Flicker {
  /** Frames in which a row that stays the same lost text in between: without synchronized output, an eye sees it. */
  readonly erased: number;
  /** Rows that lost text in one frame and have it again in the next one that writes them. */
  readonly returned: number;
}

/** Replays frames on a terminal of 100 by 30 cells, and counts from one of them on. */
function flickerOf(frames: readonly string[], from: number): Flicker {
  const screen = new SmallScreen(100, 30);
  const vanished = new Map<number, string>();
  let [erased, returned] = [0, 0];
  for (const [at, frame] of frames.entries()) {
    const before = screen.rows();
    screen.cleared.clear();
    screen.write(frame);
    const after = screen.rows();
    if (at < from) continue;
    if ([...screen.cleared].some((row) => before[row] === after[row] && before[row] !== "")) erased += 1;
    for (const [row, text] of after.entries()) {
      const old = before[row] ?? "";
      if (text === old) continue;
      if (vanished.get(row) === text) returned += 1;
      vanished.delete(row);
      const lost = [...old].filter((glyph, column) => glyph !== " " && (text[column] ?? " ") === " ").length;
      if (lost >= VANISHED_GLYPHS) vanished.set(row, old);
    }
  }
  return { erased, returned };
}

/** Waits until the frames so far show a text; returns their number. */
async function framesUntil(terminal: RecordedTerminal, text: string): Promise<number> {
  let count = 0;
  await until(`the screen shows ${text}`, () => {
    const frames = framesOf(terminal.record);
    const screen = new SmallScreen(100, 30);
    for (const frame of frames) screen.write(frame);
    count = frames.length;
    return screen.rows().some((row) => row.includes(text));
  });
  return count;
}

test(
  "[TUI-08 complaint 1 complaint 3] under a fast stream no row flickers, nothing is cleared that stays, and keys come through",
  async () => {
    const filled = Array.from({ length: 400 }, (_, at) => `filled line ${at}`).join("\n\n");
    const words = Array.from({ length: 600 }, (_, at) => (at % 9 === 8 ? `w${at}\n\n` : `w${at}`)).join(" ");
    await using mock = openMockHome([says(filled), says(words, { paceMs: 5, deltaChars: 5 })]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("type to begin");
    expect(terminal.record).not.toContain("could not");
    terminal.write("fill\r");
    await framesUntil(terminal, "filled line 399"); // a frame may write a part of it alone
    terminal.write("go\r");
    const from = await framesUntil(terminal, "w20");
    let typed = "";
    for (let key = 0; key < 20; key += 1) {
      typed += String.fromCharCode(65 + key);
      terminal.write(typed.slice(-1));
      await framesUntil(terminal, typed);
    }
    const to = await framesUntil(terminal, "w598");
    const frames = framesOf(terminal.record).slice(0, to);
    expect(frames.length - from).toBeGreaterThan(20);
    expect(flickerOf(frames, from)).toEqual({ erased: 0, returned: 0 });
    expect(frames.filter((frame) => frame.includes(WHOLE))).toHaveLength(1);
    expect(terminal.record).not.toContain("\u001b[3J");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-01 TUI-08 complaint 27] a storm of resizes costs one whole picture, in the last size",
  async () => {
    await using mock = openMockHome([says("hello there")]);
    await using terminal = openRecordedTerminal(mock.home, mock.work);
    await terminal.writes("shell$ ");
    terminal.write('"$CINCH"\n');
    await terminal.writes("type to begin");
    terminal.write("go\r");
    await terminal.writes("hello there");
    const from = terminal.record.length;
    for (let at = 0; at < STORM; at += 1) terminal.resize(60 + at, 20 + (at % 7));
    terminal.resize(71, 17);
    await terminal.writes(/(?<!─)─{41}(?!─)[\s\S]*2026l/, from);
    const whole = framesOf(terminal.record.slice(from)).filter((frame) => frame.includes(WHOLE));
    expect(whole.length).toBeLessThanOrEqual(2);
    expect(whole.at(-1)).toContain("\u001b[17;1H");
    expect(whole.at(-1)).not.toContain("\u001b[18;1H");
  },
  TIMEOUT_MS,
);

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../src/base/errors.ts";
import type { MockHome } from "../test/support/mock-home.ts";
import { openMockHome } from "../test/support/mock-home.ts";
import { calls, says } from "../test/support/mock-provider/turn.ts";
import { signalIfRunning } from "../test/support/processes.ts";
import { modesLeftOn } from "../test/support/recorded-terminal.ts";
import { until } from "../test/support/until.ts";
import type { Selection, XTerm } from "./xterm.ts";
import { openDisplay, openXTerm } from "./xterm.ts";

/** Programs that this needs, each with its Debian package. */
const PROGRAMS = {
  Xvfb: "xvfb",
  xterm: "xterm",
  xdotool: "xdotool",
  xclip: "xclip",
  script: "bsdutils",
} as const;
const SELECTED_MS_MAX = 10_000;
/** Keys of the mouse's next use: wheel, full, off. */
const NEXT_MOUSE = "F4";
const PARAGRAPH =
  "Use cinch for a paragraph that is long enough to be wrapped on a terminal of one hundred columns, as this one is.";
const QUOTE =
  "These quoted words have a bar on their left, and they are also too many for one row of a terminal of that width.";
const MARKDOWN = `${PARAGRAPH}\n\n> ${QUOTE}\n\n\`\`\`ts\nconst x = 1;\n\`\`\``;
/** The same as it is read on the screen, without wraps and bars. */
const SOURCE = `${PARAGRAPH}\n\n${QUOTE}\n\nconst x = 1;`;
const COUNTS = calls("Bash", { command: "seq -f 'row %g' 1 40" });
const FOLDED = "35 lines before";
/** Reports of the mouse or of the focus, as a terminal shows the keys that it echoes. */
const REPORTS = /\^\[\[(?:[<MIO]|\d)/;

interface OpenClient {
  readonly terminal: XTerm;
  readonly mock: MockHome;
}

const WALKS: Readonly<Record<string, (place: OpenClient) => Promise<void>>> = {
  "[TUI-01] the wheel scrolls, a click unfolds, and shift with a drag selects with the terminal": wheelMode,
  "[TUI-01 complaint 10] F4 switches the mouse live; without it, a drag selects with the terminal": offMode,
  "[TUI-01 complaint 11 complaint 13 complaint 14] a drag selects the source, which a key copies by OSC 52 and nothing else does":
    fullMode,
  "[TUI-01 complaint 11] with copy_on_select, a drag copies at once": copyOnSelect,
  "[TUI-01 complaint 19] capitals, marks, Shift-Enter and keys with Ctrl arrive as they are typed": keys,
  "[TUI-01 TUI-10 complaint 18] after an exit the mouse belongs to the terminal again": afterExit,
  "[TUI-01 TUI-10 complaint 18] after kill -9 the mouse belongs to the terminal again": afterKill,
};

/**
 * Shows what only a real terminal can: the mouse, the selections and the clipboard of an xterm on a display without a
 * screen, with the client in it. Says so and does nothing if a program is missing.
 */
export async function soakXterm(): Promise<readonly string[]> {
  const missing = Object.entries(PROGRAMS).filter(([program]) => Bun.which(program) === null);
  if (missing.length > 0) {
    const packages = missing.map(([, name]) => name).join(" ");
    console.log(`left out: ${missing.map(([program]) => program).join(", ")} missing (Debian: ${packages})`);
    return [];
  }
  const failures: string[] = [];
  await using display = await openDisplay();
  for (const [name, walk] of Object.entries(WALKS)) {
    await using mock = openMockHome([COUNTS, says(MARKDOWN)], '[permissions]\nallow = ["Bash"]\n');
    await using terminal = await openXTerm(display, mock.home, mock.work);
    try {
      await walk({ terminal, mock });
      console.log(`shown: ${name}`);
    } catch (thrown) {
      failures.push(`${name}: ${messageOf(thrown)}`);
    }
  }
  return failures;
}

/** Starts the client, and waits until the last answer is on the screen. */
async function begin({ terminal }: OpenClient): Promise<void> {
  await terminal.type(`sh -c 'echo $$ >pid; exec "$CINCH"'`);
  await terminal.press("Return");
  await terminal.shows("no session yet");
  await terminal.type("go");
  await terminal.shows("> go");
  await terminal.press("Return");
  await terminal.shows("const x = 1;");
  await terminal.shows(FOLDED);
}

async function wheelMode(place: OpenClient): Promise<void> {
  const { terminal } = place;
  await begin(place);
  await unfolds(terminal);
  await scrolls(terminal);
  await selectsNatively(terminal, "shift");
}

async function fullMode(place: OpenClient): Promise<void> {
  const { terminal } = place;
  await begin(place);
  await terminal.press(NEXT_MOUSE);
  await terminal.shows("Mouse full");
  await terminal.setSelection("clipboard", "from before");
  await terminal.drag(terminal.cellOf("Use cinch"), { row: terminal.cellOf("const x").row, column: 50 });
  await terminal.shows("lines selected: alt+w copies");
  await is(terminal, "clipboard", "from before");
  await terminal.press("alt+w");
  await terminal.shows("to the terminal (OSC 52)");
  await is(terminal, "clipboard", SOURCE);
  await selectsNatively(terminal, "shift");
  await is(terminal, "clipboard", SOURCE);
  await unfolds(terminal);
  await scrolls(terminal);
}

async function offMode(place: OpenClient): Promise<void> {
  const { terminal } = place;
  await begin(place);
  await terminal.press(NEXT_MOUSE);
  await terminal.shows("Mouse full");
  await selectsNatively(terminal, "shift");
  await terminal.press(NEXT_MOUSE);
  await terminal.shows("Mouse off");
  await selectsNatively(terminal);
  await selectsNatively(terminal, "shift");
  await terminal.press(NEXT_MOUSE);
  await terminal.shows("Mouse: the wheel scrolls");
  await unfolds(terminal);
}

async function copyOnSelect(place: OpenClient): Promise<void> {
  const { terminal, mock } = place;
  const settings = join(mock.home.path, "config/cinch/terminal.toml");
  writeFileSync(settings, 'mouse = "full"\ncopy_on_select = true\n');
  await begin(place);
  await terminal.drag(terminal.cellOf("Use cinch"), { row: terminal.cellOf("const x").row, column: 50 });
  await terminal.shows("to the terminal (OSC 52)");
  await is(terminal, "clipboard", SOURCE);
}

async function keys(place: OpenClient): Promise<void> {
  const { terminal } = place;
  await begin(place);
  await terminal.type("Hello, (World)! {x} ~/a_b|c");
  await terminal.press("shift+Return");
  await terminal.type("second word");
  await terminal.press("ctrl+Left", "shift+X", "shift+space");
  await terminal.shows(/^> Hello, \(World\)! \{x\} ~\/a_b\|c\n {2}second X word$/m);
  await terminal.press("ctrl+u", "ctrl+underscore");
  await terminal.shows(/^ {2}second X word$/m);
}

async function afterExit(place: OpenClient): Promise<void> {
  const { terminal } = place;
  await begin(place);
  await terminal.press(NEXT_MOUSE);
  await terminal.shows("Mouse full");
  await terminal.press("ctrl+c", "ctrl+c");
  await terminal.writes("cinch --resume");
  await reportsNothing(terminal);
}

async function afterKill(place: OpenClient): Promise<void> {
  const { terminal, mock } = place;
  await begin(place);
  await terminal.press(NEXT_MOUSE);
  await terminal.shows("Mouse full");
  signalIfRunning(Number(readFileSync(join(mock.work, "pid"), "utf8")), "SIGKILL");
  await terminal.writes(/Killed/);
  await reportsNothing(terminal);
}

/** A click shows all lines of a call, and a second one folds them again. */
async function unfolds(terminal: XTerm): Promise<void> {
  await terminal.click(terminal.cellOf(FOLDED));
  await terminal.shows("row 2\n");
  await terminal.press("ctrl+o", "ctrl+o");
  await terminal.shows(FOLDED);
}

/** The wheel goes up through unfolded lines, and down again. */
async function scrolls(terminal: XTerm): Promise<void> {
  await terminal.press("ctrl+o", "ctrl+End");
  await terminal.shows("row 30\n");
  await terminal.shows("const x = 1;");
  const middle = { row: 10, column: 50 };
  await terminal.wheel(middle, "up", 10);
  await terminal.shows("row 12\n");
  await terminal.shows("ctrl+end");
  await terminal.wheel(middle, "down", 10);
  await terminal.shows("const x = 1;");
  await terminal.press("ctrl+o");
  await terminal.shows(FOLDED);
}

/** A drag over some cells is the selection of the terminal, with exactly these cells. */
async function selectsNatively(terminal: XTerm, how?: "shift"): Promise<void> {
  await terminal.setSelection("primary", "from before");
  const word = "row 38";
  const from = terminal.cellOf(word);
  // xterm selects up to the left side of the cell in which the button is released.
  await terminal.drag(from, { row: from.row, column: from.column + word.length }, how);
  await is(terminal, "primary", word);
}

/** Everything that a mouse can do writes nothing into a program that only echoes. */
async function reportsNothing(terminal: XTerm): Promise<void> {
  await until("all modes are off", () => modes(terminal).length === 0);
  const from = terminal.record.length;
  await terminal.type("cat; echo en''ded");
  await terminal.press("Return");
  await terminal.move({ row: 2, column: 2 });
  await terminal.click({ row: 3, column: 3 });
  await terminal.drag({ row: 4, column: 4 }, { row: 6, column: 20 });
  await terminal.wheel({ row: 5, column: 5 }, "down", 2);
  await terminal.type("Last line");
  await terminal.press("Return", "ctrl+d");
  await terminal.writes("ended", from);
  const echoed = terminal.record.slice(from);
  if (!echoed.includes("Last line\r\nLast line"))
    throw new Error(`keys were lost: ${JSON.stringify(echoed)}`);
  if (REPORTS.test(echoed)) throw new Error(`the terminal still reports: ${JSON.stringify(echoed)}`);
}

/** Modes that the client has left; bracketed paste is the shell's. */
function modes({ record }: XTerm): readonly string[] {
  return modesLeftOn(record).filter((mode) => mode !== "?2004");
}

/** Waits until a selection is a text. @throws Error with what it is. */
async function is(terminal: XTerm, which: Selection, expected: string): Promise<void> {
  let last = "";
  const isSame = async () => {
    last = await terminal.selection(which);
    return last === expected;
  };
  try {
    await until(`the ${which} selection is as expected`, isSame, SELECTED_MS_MAX);
  } catch (cause) {
    const difference = `${JSON.stringify(last)}, not ${JSON.stringify(expected)}`;
    throw new Error(`the ${which} selection is ${difference}`, { cause });
  }
}

import { expect } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { openMockHome } from "../support/mock-home.ts";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import type { Terminal } from "../support/terminal.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const SIZE = { columns: 80, rows: 24 };
/** A PNG of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function openClient(terminal: Terminal, variables = "", flags = ""): Promise<void> {
  await terminal.type(`${variables} sh -c 'echo $$ >pid; exec "$CINCH" ${flags}'`);
  await terminal.press("Enter");
  await terminal.shows(/\n>/);
}

async function killClient(terminal: Terminal, work: string): Promise<void> {
  signalIfRunning(Number(readFileSync(join(work, "pid"), "utf8")), "SIGKILL");
  await terminal.promptsAgain();
}

/** Returns the content of the newest prompt of the last request. */
function lastContent(requests: readonly MockRequest[]): unknown {
  const { messages } = (requests.findLast(({ path }) => path.includes("chat"))?.body ?? {}) as {
    readonly messages?: readonly { readonly content: unknown }[];
  };
  return messages?.at(-1)?.content;
}

/** Returns names, sizes and times of all files that a home stores. */
function stored(home: CinchHome): string {
  const folder = join(home.path, "data");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const info = statSync(path, { throwIfNoEntry: false });
      return info?.isFile() === true ? [`${path} ${info.size} ${info.mtimeMs}`] : [];
    })
    .join("\n");
}

function program(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

test(
  "[TUI-01 TUI-08 bar History bar Paste complaint 15] a draft is pasted, cleared, stashed and found again",
  async () => {
    await using mock = openMockHome([says("first answer")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, columns: 80, rows: 24 });
    await terminal.type("$CINCH");
    await terminal.press("Enter");
    await terminal.shows(/\n>/);
    await terminal.type("alpha prompt");
    await terminal.press("Enter");
    await terminal.shows("first answer");
    await terminal.type("see ");
    await terminal.paste(Array.from({ length: 230 }, (_, at) => `line ${at}`).join("\n"));
    await terminal.shows("> see [pasted #1: 230 lines]");
    await terminal.gone("working"); // while a turn runs Ctrl-C cancels it
    await terminal.press("C-c");
    await terminal.shows(/\n> ?\n/);
    await terminal.press("Up");
    await terminal.shows("> see [pasted #1: 230 lines]");
    await terminal.press("Up");
    await terminal.shows("> alpha prompt");
    await terminal.press("Down");
    await terminal.press("C-x");
    await terminal.shows("Stashed the draft");
    await terminal.press("C-r");
    await terminal.shows("Earlier prompts: 1 of 2");
    await terminal.type("alpha");
    await terminal.shows("Earlier prompts: 1 of 1");
    await terminal.press("Enter");
    // Text that comes in one piece with Enter is a paste.
    await terminal.gone("Earlier prompts");
    await terminal.shows("> alpha prompt");
    await terminal.type(" once more");
    await terminal.shows("> alpha prompt once more");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 bar Paste complaint 20] several lines without marks send nothing, and stand in the draft",
  async () => {
    await using mock = openMockHome([says("never asked")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await terminal.paste("first line\rsecond line\rthird line\r", "bare");
    await terminal.shows(/\n> first line\n {2}second line\n {2}third line\n/);
    await terminal.type("more");
    await terminal.shows(/\n {2}more\n/);
    expect(mock.provider.requests.filter(({ path }) => path.includes("chat"))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 bar Paste complaint 20] a megabyte is folded to a chip, sent whole, and the same paste again unfolds it",
  async () => {
    const lines = Array.from(
      { length: 16_384 },
      (_, at) => `${String(at).padStart(6, "0")} ${"x".repeat(56)}`,
    );
    const megabyte = lines.join("\n");
    await using mock = openMockHome([says("read all of it")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await terminal.paste(megabyte);
    await terminal.shows("> [pasted #1: 16384 lines]");
    await terminal.press("Enter");
    await terminal.shows("read all of it");
    expect(lastContent(mock.provider.requests)).toBe(megabyte);
    const short = lines.slice(0, 12).join("\n");
    await terminal.paste(short);
    await terminal.shows("> [pasted #1: 12 lines]");
    await terminal.paste(short);
    await terminal.shows(lines[11] ?? "");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 bar Draft] Ctrl-G edits the draft in $EDITOR, in a private file that is gone afterwards; a failing editor changes nothing",
  async () => {
    await using mock = openMockHome([says("fine")]);
    const bin = join(mock.work, "bin");
    program(
      bin,
      "good",
      `stat -c %a "$1" >mode; ls -d "$(dirname "$1")" >folder; printf ' and edited' >>"$1"`,
    );
    program(bin, "bad", `printf 'ruined' >"$1"; exit 3`);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal, `EDITOR=${join(bin, "good")} VISUAL=`);
    await terminal.type("written");
    await terminal.press("C-g");
    await terminal.shows("> written and edited");
    expect(readFileSync(join(mock.work, "mode"), "utf8").trim()).toBe("600");
    expect(existsSync(readFileSync(join(mock.work, "folder"), "utf8").trim())).toBe(false);
    await terminal.press("C-_");
    await terminal.shows(/\n> written\n/);
    await killClient(terminal, mock.work);
    await openClient(terminal, `EDITOR=${join(bin, "bad")} VISUAL=`);
    await terminal.type("precious");
    await terminal.press("C-g");
    await terminal.shows("ended with exit code 3");
    await terminal.shows(/\n> precious\n/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08] images are pasted from the clipboard, by their paths and as mentions, and go along whole",
  async () => {
    await using mock = openMockHome([says("I see three"), says("and one more")]);
    const bin = join(mock.work, "bin");
    writeFileSync(join(mock.work, "clip.png"), PNG);
    writeFileSync(join(mock.work, "a shot.png"), PNG);
    writeFileSync(join(mock.work, "named.png"), PNG);
    program(bin, "xclip", `case "$*" in *TARGETS*) echo image/png;; *image/png*) cat clip.png;; esac`);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal, `PATH=${bin}:$PATH DISPLAY=:9 WAYLAND_DISPLAY=`);
    await terminal.type("compare ");
    await terminal.press("C-v");
    await terminal.shows("compare [image 1: 1x1 png, 70 bytes]");
    await terminal.type(" with ");
    await terminal.paste(`'${join(mock.work, "a shot.png")}'`);
    await terminal.shows("[image 2: a shot.png 1x1, 70 bytes]");
    await terminal.type(" and @named.png");
    await terminal.press("Enter");
    await terminal.shows("I see three");
    const screen = await terminal.screen();
    expect(screen).toContain("[image 3: named.png 1x1, 70 bytes]");
    const url = { url: `data:image/png;base64,${PNG.toString("base64")}` };
    expect(lastContent(mock.provider.requests)).toEqual([
      {
        type: "text",
        text: "compare [image 1: 1x1 png, 70 bytes] with [image 2: a shot.png 1x1, 70 bytes] and [image 3: named.png 1x1, 70 bytes]",
      },
      ...Array.from({ length: 3 }, () => ({ type: "image_url", image_url: url })),
    ]);
    await terminal.press("C-v");
    await terminal.shows("> [image 1: 1x1 png, 70 bytes]");
    await terminal.press("Enter");
    await terminal.shows("and one more");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 TUI-08 complaint 16] a draft with an image, and what was cleared before it, survive kill -9 of client and engine",
  async () => {
    await using mock = openMockHome([says("hello"), says("seen")]);
    writeFileSync(join(mock.work, "shot.png"), PNG);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await terminal.type("hi");
    await terminal.press("Enter");
    await terminal.shows("hello");
    await terminal.gone("working"); // while a turn runs Ctrl-C cancels it
    await terminal.type("cleared words");
    await terminal.press("C-c");
    await terminal.shows(/\n> ?\n/);
    await terminal.type("look at ");
    await terminal.paste(join(mock.work, "shot.png"));
    await terminal.shows("> look at [image 1: shot.png 1x1, 70 bytes]");
    await until("the image is stored", () => stored(mock.home).includes("/att_"));
    const before = stored(mock.home);
    await terminal.type(" please");
    await until("the draft is kept", () => stored(mock.home) !== before);
    await killClient(terminal, mock.work);
    await openClient(terminal, "", "-c");
    await terminal.shows("> look at [image 1: shot.png 1x1, 70 bytes]");
    await terminal.press("End", "Enter");
    await terminal.shows("seen");
    expect(JSON.stringify(lastContent(mock.provider.requests))).toContain(PNG.toString("base64"));
    await terminal.press("C-r");
    await terminal.shows("cleared words");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 complaint 16] a draft of a session that is not open yet survives kill -9, and stands there at the next start",
  async () => {
    await using mock = openMockHome([says("hello")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await terminal.type("hi");
    await terminal.press("Enter");
    await terminal.shows("hello");
    await killClient(terminal, mock.work);
    await openClient(terminal);
    await terminal.shows("continues");
    const before = stored(mock.home);
    await terminal.type("a new idea");
    await until("the draft is kept", () => stored(mock.home) !== before);
    await killClient(terminal, mock.work);
    await openClient(terminal);
    await terminal.shows("> a new idea");
  },
  TIMEOUT_MS,
);

test(
  "[TUI-10 PERM-14 complaint 16 complaint 17] a draft stays under a question, and after it",
  async () => {
    await using mock = openMockHome(
      [calls("Bash", { command: "touch made" }), says("done with it")],
      '[permissions]\nask = ["Bash"]\n',
    );
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await terminal.type("go");
    await terminal.press("Enter");
    await terminal.shows(/\n> ?\n/);
    await terminal.type("my unfinished thought");
    await terminal.shows("Permission needed:");
    await terminal.shows("my unfinished thought");
    await terminal.paste("y\ry\r", "bare");
    await terminal.shows(/\n> my unfinished thoughty\n {2}y\n/);
    const screen = await terminal.screen();
    expect(screen).toContain("Permission needed:");
    expect(existsSync(join(mock.work, "made"))).toBe(false);
    await terminal.press("F1");
    await terminal.shows("Anywhere");
    await terminal.press("Escape");
    await terminal.shows(/\n> my unfinished thoughty\n {2}y\n/);
  },
  TIMEOUT_MS,
);

test(
  "[TUI-03 TUI-10 bar Cancel bar Exit complaint 15] Ctrl-C cancels a turn and keeps the draft; the second one leaves, and the draft comes back",
  async () => {
    const never = Promise.withResolvers<void>();
    await using mock = openMockHome([says("an answer that takes its time", { hold: never.promise })]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    await terminal.type("go");
    await terminal.press("Enter");
    await terminal.shows("working");
    await terminal.type("half a thought");
    await terminal.shows("> half a thought");
    await terminal.press("C-c");
    await terminal.shows("Press Ctrl-C again within 2s to exit.");
    await terminal.shows("> half a thought");
    await terminal.press("C-c");
    await terminal.shows(/cinch --resume sess_\w+ +continues this session/);
    await terminal.clear();
    await openClient(terminal, "", "-c");
    await terminal.shows("cancelled");
    await terminal.shows("> half a thought");
    never.resolve();
  },
  TIMEOUT_MS,
);

test(
  "[TUI-08 complaint 21] the cursor of the terminal stands at the caret, also behind wide characters and after a resize",
  async () => {
    await using mock = openMockHome([says("hello")]);
    await using terminal = await openTerminal({ home: mock.home, cwd: mock.work, ...SIZE });
    await openClient(terminal);
    const draftRow = async () =>
      (await terminal.screen()).split("\n").findIndex((row) => row.startsWith("> "));
    await terminal.type("漢字👍é");
    await terminal.cursorAt(await draftRow(), 2 + 2 + 2 + 2 + 1);
    await terminal.press("Left", "Left");
    await terminal.cursorAt(await draftRow(), 2 + 2 + 2);
    await terminal.resize(40, 15);
    await terminal.shows(/\n> 漢字👍é\n/);
    await until("the draft is near the end", async () => (await draftRow()) === 13);
    await terminal.cursorAt(13, 2 + 2 + 2);
    await terminal.press("End", "C-j");
    await terminal.cursorAt(13, 2);
  },
  TIMEOUT_MS,
);

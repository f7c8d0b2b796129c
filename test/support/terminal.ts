import type { CinchHome } from "./cinch.ts";
import { cinchPath } from "./cinch.ts";
import { until } from "./until.ts";

/** A real terminal, played by tmux, with a shell in it. Leaving the scope ends everything in it. */
export interface Terminal extends AsyncDisposable {
  /** Types text as it is, and waits a moment for the cursor to move: not all that is typed is shown. */
  type(text: string): Promise<void>;
  /** Pastes a text: with brackets where the program in it has asked for them, or as bare lines. */
  paste(text: string, how?: "bracketed" | "bare"): Promise<void>;
  /** Presses keys by their tmux names: Enter, C-c, Up … */
  press(...keys: readonly string[]): Promise<void>;
  /** The whole screen, without trailing space. */
  screen(): Promise<string>;
  /** The whole screen with its colours (SGR), trailing space included, and the cell of the cursor if it is shown. */
  picture(): Promise<ScreenPicture>;
  /** The whole scrollback and the screen, without trailing space. */
  scrollback(): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Waits until the screen does not show a text. */
  gone(text: string): Promise<void>;
  /** Waits until the screen shows a text. */
  shows(text: string | RegExp): Promise<void>;
  /** Waits until the cursor stands in a cell, counted from 0. */
  cursorAt(row: number, column: number): Promise<void>;
  /** Waits until the shell stands at its prompt and nothing of the line is typed. */
  prompts(): Promise<void>;
  /** Clears the screen once the shell has the terminal again, after its program was killed on another screen. */
  promptsAgain(): Promise<void>;
  /** Clears the screen at the shell's prompt: what it showed is not taken for what comes next. */
  clear(): Promise<void>;
}

/** A screen as a person sees it. Cells count from 0. */
export interface ScreenPicture {
  readonly text: string;
  readonly cursor?: { readonly row: number; readonly column: number };
}

export interface TerminalOptions {
  readonly home: CinchHome;
  readonly cwd: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly term?: string;
}

/** Finds a program that hangs, and says nothing of how fast one has to be. */
const SHOWN_MS_MAX = 60_000;

/** A program that has not moved the cursor by then does not show what is typed. */
const ECHO_MS_MAX = 2_000;

let terminals = 0;

/** Opens a terminal in which `$CINCH` is the cinch under test. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { home, cwd, columns = 100, rows = 40, term } = options;
  terminals += 1;
  const socket = `cinch-test-${process.pid}-${terminals}`;
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SHELL: "/bin/bash",
    CINCH: cinchPath(),
    ...home.env,
  };

  const tmux = async (...args: readonly string[]) => await tmuxWith(undefined, ...args);

  async function tmuxWith(input: string | undefined, ...args: readonly string[]): Promise<string> {
    const child = Bun.spawn(["tmux", "-u", "-L", socket, "-f", "/dev/null", ...args], {
      cwd,
      env,
      stdin: input === undefined ? "ignore" : new Blob([input]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** The screen before the last Enter; undefined once it has changed, or after any other key. */
  let beforeEnter: string | undefined;

  /** Waits for what an Enter does: a text read at once with the Enter before it is taken for a paste. */
  async function enterSeen(): Promise<void> {
    if (beforeEnter === undefined) return;
    const [before, giveUpAt] = [beforeEnter, performance.now() + ECHO_MS_MAX];
    beforeEnter = undefined;
    const isSeen = async () => (await terminal.screen()) !== before || performance.now() > giveUpAt;
    await until("the Enter does something", isSeen);
  }

  const cursor = () => tmux("display-message", "-p", "-t", "main", "#{cursor_x},#{cursor_y}");

  const terminal: Terminal = {
    async type(text) {
      await enterSeen();
      const before = await cursor();
      await tmux("send-keys", "-t", "main", "-l", text);
      // What reads both at once takes a text with an Enter right behind it for a paste.
      const giveUpAt = performance.now() + ECHO_MS_MAX;
      const isShown = async () => (await cursor()) !== before || performance.now() > giveUpAt;
      await until("the cursor moves", isShown);
    },
    async paste(text, how = "bracketed") {
      await tmuxWith(text, "load-buffer", "-b", "paste", "-");
      await tmux("paste-buffer", ...(how === "bracketed" ? ["-p"] : []), "-b", "paste", "-t", "main");
    },
    async press(...keys) {
      beforeEnter = keys.at(-1) === "Enter" ? await terminal.screen() : undefined;
      await tmux("send-keys", "-t", "main", ...keys);
    },
    async screen() {
      return (await tmux("capture-pane", "-p", "-t", "main")).replaceAll(/ +$/gm, "").trimEnd();
    },
    async picture() {
      const text = await tmux("capture-pane", "-p", "-e", "-N", "-t", "main");
      const place = await tmux(
        "display-message",
        "-p",
        "-t",
        "main",
        "#{cursor_x},#{cursor_y},#{cursor_flag}",
      );
      const [column = 0, row = 0, isShown = 0] = place.split(",").map(Number);
      return isShown === 1 ? { text, cursor: { row, column } } : { text };
    },
    scrollback: async () =>
      (await tmux("capture-pane", "-p", "-S", "-", "-t", "main")).replaceAll(/ +$/gm, "").trimEnd(),
    resize: async (width, height) =>
      void (await tmux("resize-window", "-t", "main", "-x", String(width), "-y", String(height))),
    gone: (text) =>
      until(
        `the screen shows ${JSON.stringify(text)} no more`,
        async () => !(await terminal.screen()).includes(text),
      ),
    async cursorAt(row, column) {
      let last = "";
      await until(
        `the cursor stands at ${column},${row}, not at ${last}`,
        async () => {
          last = (await cursor()).trim();
          return last === `${column},${row}`;
        },
        SHOWN_MS_MAX,
      );
    },
    prompts: () => terminal.shows(/bash-\S*[#$]$/),
    async promptsAgain() {
      // The shell may have written its prompt on the other screen, which is gone.
      await until("the shell prompts", async () => {
        await terminal.press("Enter");
        return /bash-\S*[#$]$/.test(await terminal.screen());
      });
      await terminal.clear();
    },
    async clear() {
      await terminal.type("clear");
      await terminal.press("Enter");
      await terminal.shows(/^bash-\S*[#$]$/);
    },
    async shows(text) {
      const what = typeof text === "string" ? JSON.stringify(text) : String(text);
      let last = "";
      try {
        await until(
          `the screen shows ${what}`,
          async () => {
            last = await terminal.screen();
            return typeof text === "string" ? last.includes(text) : text.test(last);
          },
          SHOWN_MS_MAX,
        );
      } catch (cause) {
        throw new Error(`the screen never showed ${what}, but:\n${last}`, { cause });
      }
    },
    async [Symbol.asyncDispose]() {
      await tmux("kill-server");
    },
  };
  const shell = "bash --norc --noprofile";
  const size = ["-x", String(columns), "-y", String(rows)];
  await tmux(
    "new-session",
    "-d",
    "-s",
    "main",
    ...size,
    term === undefined ? shell : `TERM=${term} ${shell}`,
  );
  await terminal.shows("bash-");
  return terminal;
}

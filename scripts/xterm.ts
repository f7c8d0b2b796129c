import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../test/support/cinch.ts";
import { cinchPath } from "../test/support/cinch.ts";
import { shownRows } from "../test/support/small-screen.ts";
import { until } from "../test/support/until.ts";

/** Size of each terminal in cells. */
const COLUMNS = 100;
const ROWS = 30;
const READY_MS_MAX = 20_000;
const SHOWN_MS_MAX = 30_000;

/** A display without a screen. Leaving the scope ends it, and everything on it. */
export interface Display extends AsyncDisposable {
  /** Name, as `DISPLAY` has it. */
  readonly name: string;
}

/** A cell of the terminal, from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** A selection of the display: what is marked, or what was copied. */
export type Selection = "primary" | "clipboard";

/** An xterm of 100 by 30 cells with a shell in it, driven by the keyboard and the mouse of its display. */
export interface XTerm extends AsyncDisposable {
  /** Everything that was written to the terminal. */
  readonly record: string;
  /** Rows of the last frame of the client. */
  readonly rows: readonly string[];
  /** Types a text, key by key. */
  type(text: string): Promise<void>;
  /** Presses keys by the names of X: `Return`, `F4`, `alt+w`, `shift+Return`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Waits until the frames of the client show a text. */
  shows(text: string | RegExp): Promise<void>;
  /** Waits until something written since `from` matches. */
  writes(text: string | RegExp, from?: number): Promise<void>;
  /** Returns the cell of the first character of a text. @throws Error if no row has it. */
  cellOf(text: string): Cell;
  move(to: Cell): Promise<void>;
  click(at: Cell): Promise<void>;
  /** Turns the wheel by some notches. */
  wheel(at: Cell, way: "up" | "down", notches: number): Promise<void>;
  /** Presses the left button in one cell, and releases it in another one. */
  drag(from: Cell, to: Cell, how?: "shift"): Promise<void>;
  /** Returns a selection of the display; empty without one. */
  selection(which: Selection): Promise<string>;
  setSelection(which: Selection, text: string): Promise<void>;
}

/** Starts an X server that draws nowhere. */
export async function openDisplay(): Promise<Display> {
  const child = Bun.spawn(
    ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
    { stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  );
  const display = {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
  for await (const bytes of child.stdout) {
    const [, number] = /^(\d+)\n/.exec(new TextDecoder().decode(bytes)) ?? [];
    if (number !== undefined) return { ...display, name: `:${number}` };
  }
  throw new Error(`Xvfb ended with ${await child.exited}`);
}

/**
 * Starts an xterm in which `$CINCH` is the cinch under test. It takes a clipboard by OSC 52. Its programs see no
 * display, so that nothing but the terminal itself can set a clipboard.
 */
export async function openXTerm(display: Display, home: CinchHome, cwd: string): Promise<XTerm> {
  const record = join(home.path, "record");
  // The shell that `script` starts its command with drops a prompt from the environment.
  const bash = "PS1='shell$ ' exec bash --norc --noprofile -i";
  const shell = ["env", "-u", "DISPLAY", "script", "-q", "-f", "-c", bash, record];
  const look = ["-u8", "-fn", "fixed", "-b", "0", "-bw", "0", "+sb", "-tn", "xterm-256color"];
  const resources = ["allowWindowOps: true", "multiClickTime: 0"].flatMap((each) => [
    "-xrm",
    `XTerm*${each}`,
  ]);
  const size = ["-geometry", `${COLUMNS}x${ROWS}+0+0`];
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LANG: "C.UTF-8",
    DISPLAY: display.name,
    CINCH: cinchPath(),
    ...home.env,
  };
  const child = Bun.spawn(["xterm", ...look, ...size, ...resources, "-e", ...shell], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const opened = new XTermWindow({ env, record, child });
  try {
    await opened.ready();
  } catch (thrown) {
    await opened[Symbol.asyncDispose]();
    throw thrown;
  }
  return opened;
}

interface WindowParts {
  readonly env: Readonly<Record<string, string>>;
  /** Path of the file of everything that was written. */
  readonly record: string;
  readonly child: Bun.Subprocess;
}

class XTermWindow implements XTerm {
  readonly #parts: WindowParts;
  #cell = { width: 0, height: 0 };

  constructor(parts: WindowParts) {
    this.#parts = parts;
  }

  /** Waits for the window and the shell in it. */
  async ready(): Promise<void> {
    const window = (
      await this.#run("xdotool", "search", "--sync", "--onlyvisible", "--class", "xterm")
    ).trim();
    const geometry = await this.#run("xdotool", "getwindowgeometry", "--shell", window);
    const [, width = 0] = /^WIDTH=(\d+)$/m.exec(geometry) ?? [];
    const [, height = 0] = /^HEIGHT=(\d+)$/m.exec(geometry) ?? [];
    this.#cell = { width: Number(width) / COLUMNS, height: Number(height) / ROWS };
    // Without a window manager, the keys go to the window under the mouse.
    await this.move({ row: ROWS - 1, column: COLUMNS - 1 });
    await until("the shell prompts", () => this.record.includes("shell$ "), READY_MS_MAX);
  }

  get record(): string {
    const { record } = this.#parts;
    return existsSync(record) ? readFileSync(record, "utf8") : "";
  }

  get rows(): readonly string[] {
    return shownRows(this.record, COLUMNS, ROWS);
  }

  async type(text: string): Promise<void> {
    await this.#run("xdotool", "type", "--delay", "20", text);
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.#run("xdotool", "key", "--delay", "40", ...keys);
  }

  async shows(text: string | RegExp): Promise<void> {
    try {
      await until(`the screen shows ${text}`, () => has(this.rows.join("\n"), text), SHOWN_MS_MAX);
    } catch (cause) {
      throw new Error(`the screen never showed ${text}, but:\n${this.rows.join("\n")}`, { cause });
    }
  }

  async writes(text: string | RegExp, from = 0): Promise<void> {
    try {
      await until(`the terminal gets ${text}`, () => has(this.record.slice(from), text), SHOWN_MS_MAX);
    } catch (cause) {
      const got = JSON.stringify(this.record.slice(from));
      throw new Error(`the terminal never got ${text}, but:\n${got}`, { cause });
    }
  }

  cellOf(text: string): Cell {
    const { rows } = this;
    const row = rows.findIndex((each) => each.includes(text));
    if (row < 0) throw new Error(`no row has ${JSON.stringify(text)}:\n${rows.join("\n")}`);
    return { row, column: rows[row]?.indexOf(text) ?? 0 };
  }

  async move(to: Cell): Promise<void> {
    await this.#run("xdotool", ...this.#moved(to));
  }

  async click(at: Cell): Promise<void> {
    await this.#run("xdotool", ...this.#moved(at), "click", "1");
  }

  async wheel(at: Cell, way: "up" | "down", notches: number): Promise<void> {
    const button = way === "up" ? "4" : "5";
    await this.#run(
      "xdotool",
      ...this.#moved(at),
      "click",
      "--repeat",
      String(notches),
      "--delay",
      "30",
      button,
    );
  }

  async drag(from: Cell, to: Cell, how?: "shift"): Promise<void> {
    const [down, up] =
      how === undefined
        ? [[], []]
        : [
            ["keydown", how],
            ["keyup", how],
          ];
    const pressed = [...this.#moved(from), "mousedown", "1"];
    await this.#run("xdotool", ...down, ...pressed, ...this.#moved(to), "mouseup", "1", ...up);
  }

  async selection(which: Selection): Promise<string> {
    const child = Bun.spawn(["xclip", "-o", "-selection", which], {
      env: this.#parts.env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const text = await new Response(child.stdout).text();
    return (await child.exited) === 0 ? text : "";
  }

  async setSelection(which: Selection, text: string): Promise<void> {
    const child = Bun.spawn(["xclip", "-i", "-selection", which], {
      env: this.#parts.env,
      stdio: [new Blob([text]), "ignore", "ignore"],
    });
    if ((await child.exited) !== 0) throw new Error(`xclip could not set the ${which} selection`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.child.kill("SIGKILL");
    await this.#parts.child.exited;
  }

  /** Moves the mouse near the left side of a cell. */
  #moved({ row, column }: Cell): readonly string[] {
    const { width, height } = this.#cell;
    return [
      "mousemove",
      ...[(column + 0.2) * width, (row + 0.5) * height].map((at) => String(Math.floor(at))),
    ];
  }

  async #run(...command: readonly string[]): Promise<string> {
    const child = Bun.spawn([...command], { env: this.#parts.env, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
    return stdout;
  }
}

function has(all: string, text: string | RegExp): boolean {
  return typeof text === "string" ? all.includes(text) : text.test(all);
}

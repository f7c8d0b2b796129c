import type { CinchHome } from "./cinch.ts";
import { cinchPath } from "./cinch.ts";
import { until } from "./until.ts";

/** A pseudo-terminal with a shell in it: every byte that a terminal would get is kept. It answers no query. */
export interface RecordedTerminal extends AsyncDisposable {
  /** Everything written to it so far. */
  readonly record: string;
  write(keys: string): void;
  /** Changes the size of the terminal. */
  resize(columns: number, rows: number): void;
  /**
   * Waits until something written since `from` matches. A frame writes changed cells only: over other text, wait for a
   * word whose letters that text does not have.
   */
  writes(text: string | RegExp, from?: number): Promise<void>;
}

/** Opens a pseudo-terminal of 100 by 30 cells in which `$CINCH` is the cinch under test. */
export function openRecordedTerminal(home: CinchHome, cwd: string): RecordedTerminal {
  const decoder = new TextDecoder();
  let record = "";
  const child = Bun.spawn(["bash", "--norc", "--noprofile", "-i"], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      PS1: "shell$ ",
      CINCH: cinchPath(),
      ...home.env,
    },
    terminal: {
      cols: 100,
      rows: 30,
      data: (_, bytes) => {
        record += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const { terminal } = child;
  if (terminal === undefined) throw new TypeError("the runtime gave no terminal");
  return {
    get record() {
      return record;
    },
    write: (keys) => void terminal.write(keys),
    resize: (columns, rows) => terminal.resize(columns, rows),
    async writes(text, from = 0) {
      const what = typeof text === "string" ? JSON.stringify(text) : String(text);
      const isThere = (all: string) => (typeof text === "string" ? all.includes(text) : text.test(all));
      try {
        await until(`the terminal gets ${what}`, () => isThere(record.slice(from)));
      } catch (cause) {
        throw new Error(`the terminal never got ${what}, but:\n${JSON.stringify(record.slice(from))}`, {
          cause,
        });
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      terminal.close();
    },
  };
}

/** Modes that are on in a terminal without a full-screen program. */
const ON_BEFORE = ["?7", "?25"];

/** Returns the modes that differ from those of a new terminal after a record: `?1049`, `kitty 1`, `modifyOtherKeys`. */
export function modesLeftOn(record: string): readonly string[] {
  const on = new Set(ON_BEFORE);
  let kitty = 0;
  for (const [, body = "", end = ""] of record.matchAll(/\u001b\[([<>?=\d;]*)([hlum])/g)) {
    if (body.startsWith("?") && (end === "h" || end === "l")) {
      for (const each of body.slice(1).split(";")) {
        if (end === "h") on.add(`?${each}`);
        else on.delete(`?${each}`);
      }
    } else if (end === "u" && body.startsWith(">")) kitty += 1;
    else if (end === "u" && body.startsWith("<")) kitty = Math.max(0, kitty - 1);
    else if (end === "m" && body.startsWith(">4")) {
      if (body === ">4" || body === ">4;0") on.delete("modifyOtherKeys");
      else on.add("modifyOtherKeys");
    }
  }
  const missing = ON_BEFORE.filter((each) => !on.has(each)).map((each) => `${each} off`);
  const left = [...on].filter((each) => !ON_BEFORE.includes(each));
  return [...left, ...missing, ...(kitty > 0 ? [`kitty ${kitty}`] : [])];
}

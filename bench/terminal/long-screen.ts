import { join } from "node:path";
import { track } from "../guard.ts";
import { cpuMs, pssBytes, treeOf } from "../processes.ts";
import type { Home, Program } from "../subject.ts";

const MIB = 1024 * 1024;
const ESCAPES = /\u001b(?:\[[0-9;?<>=]*[A-Za-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;
const PAGE_UP = "\u001b[5~";
const SHOWN_MS_MAX = 120_000;
/** The screen has settled once nothing was written for so long. */
const SETTLED_MS = 300;

/** A program at a terminal of 120 by 40 cells. */
export interface LongScreen extends AsyncDisposable {
  /** Milliseconds from the start until a text has been written. */
  shows(text: RegExp): Promise<number>;
  type(text: string): void;
  /** Presses a key; returns the milliseconds until the text is written that it leads to. */
  press(key: string, shown: RegExp): Promise<number>;
  /** Memory of the program, without the engine that it has started. */
  readonly ownMiB: number;
  /** Presses PgUp so often, each after the frame before; returns processor time and time of one, in milliseconds. */
  scroll(pages: number): Promise<{ readonly cpuMs: number; readonly frameMs: number }>;
  settled(): Promise<void>;
}

/** Starts a program at a terminal of its own. Disposing it ends it, with all that it started. */
export function openLongScreen(program: Program, home: Home): LongScreen {
  const decoder = new TextDecoder();
  const startMs = performance.now();
  let text = "";
  let writtenAtMs = startMs;
  let wake: () => void = () => undefined;
  const child = track(
    Bun.spawn([...program], {
      cwd: join(home.path, "project"),
      env: {
        HOME: home.path,
        PATH: "/usr/bin:/bin",
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        TMPDIR: home.path,
        ...home.env,
      },
      terminal: {
        cols: 120,
        rows: 40,
        data(_terminal, bytes) {
          text = (text + decoder.decode(bytes, { stream: true })).slice(-200_000);
          writtenAtMs = performance.now();
          wake();
        },
      },
    }),
  );
  const written = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await Promise.race([promise, Bun.sleep(1_000)]);
  };
  /** Waits until a text has been written since `sinceMs`; returns the milliseconds. */
  const shows = async (wanted: RegExp, sinceMs: number) => {
    for (;;) {
      if (wanted.test(text.replaceAll(ESCAPES, ""))) return writtenAtMs - sinceMs;
      if (performance.now() - sinceMs > SHOWN_MS_MAX) throw new Error(`never shown: ${wanted}: ${text}`);
      await written();
    }
  };
  return {
    get ownMiB() {
      return pssBytes(child.pid) / MIB;
    },
    type: (keys) => void child.terminal?.write(keys),
    shows: (wanted) => shows(wanted, startMs),
    async press(key, shown) {
      text = "";
      const pressedMs = performance.now();
      child.terminal?.write(key);
      return await shows(shown, pressedMs);
    },
    async scroll(pages) {
      const beforeMs = cpuMs(child.pid);
      let frameMs = 0;
      for (let page = 0; page < pages; page += 1) {
        const pressedMs = performance.now();
        child.terminal?.write(PAGE_UP);
        await written();
        frameMs += writtenAtMs - pressedMs;
      }
      return { cpuMs: (cpuMs(child.pid) - beforeMs) / pages, frameMs: frameMs / pages };
    },
    async settled() {
      while (performance.now() - writtenAtMs < SETTLED_MS) await Bun.sleep(SETTLED_MS);
    },
    async [Symbol.asyncDispose]() {
      for (const pid of treeOf(child.pid)) process.kill(pid, "SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}

import { join } from "node:path";
import type { Subprocess } from "bun";
import { track } from "./guard.ts";
import { treeOf } from "./processes.ts";
import type { BenchSetup, Home, Keys, Program } from "./subject.ts";
import { makeHome } from "./subject.ts";

const COLUMNS = 100;
const ROWS = 40;
/** Text that the line client shows once a session is open. */
export const SESSION_SHOWN = "/help lists commands";
const ESCAPES = /\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007)/g;

/** A program at a terminal. Disposing it ends it, with all that it started. */
export interface Screen extends AsyncDisposable {
  readonly pid: number;
  /** Milliseconds from the start until something can be read on the screen. */
  readonly firstLineMs: Promise<number>;
  /** Resolves once the screen has shown a text. */
  shows(text: string): Promise<void>;
}

/** Starts a program at a terminal of its own. */
export function openScreen(program: Program, home: Home): Screen {
  const firstLine = Promise.withResolvers<number>();
  const decoder = new TextDecoder();
  const watchers = new Set<() => void>();
  let text = "";
  const startMs = performance.now();
  const child: Subprocess = track(
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
        cols: COLUMNS,
        rows: ROWS,
        data(_terminal, bytes) {
          text += decoder.decode(bytes, { stream: true });
          if (text.replaceAll(ESCAPES, "").trim() !== "") firstLine.resolve(performance.now() - startMs);
          for (const watch of [...watchers]) watch();
        },
      },
    }),
  );
  void child.exited.then((code) =>
    firstLine.reject(new Error(`a measured program ended with ${code}: ${text}`)),
  );
  firstLine.promise.catch(() => undefined); // thrown to the one who awaits it
  return {
    pid: child.pid,
    firstLineMs: firstLine.promise,
    async shows(wanted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const watch = () => {
        if (text.includes(wanted)) resolve();
      };
      watchers.add(watch);
      watch();
      await Promise.race([promise, child.exited.then(() => Promise.reject(new Error(`it ended: ${text}`)))]);
      watchers.delete(watch);
    },
    async [Symbol.asyncDispose]() {
      const tree = treeOf(child.pid);
      for (const pid of tree) process.kill(pid, "SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}

/** Compiles the bare program of a terminal as cinch is compiled. */
export async function compiledPrompt(place: BenchSetup): Promise<Program> {
  const outfile = join(place.scratch, "prompt-line");
  await Bun.build({
    entrypoints: [join(place.root, "bench/prompt-line.ts")],
    minify: true,
    bytecode: true,
    format: "esm",
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  return [outfile];
}

/** The line client of cinch with the provider of the bench. */
export function cinchLine(place: BenchSetup): Program {
  return [...place.cinch, "--model", "bench:bench-model"];
}

/** A home whose provider nobody reaches: no request is made. */
export function homeFor(place: BenchSetup, keys: Keys): Home {
  const home = makeHome(place, { keys });
  home.point("http://127.0.0.1:9");
  return home;
}

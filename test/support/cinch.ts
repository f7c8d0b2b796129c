import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { signalIfRunning } from "./processes.ts";
import { ROOT } from "./source.ts";

export interface CinchOptions {
  readonly cwd?: string;
  /** Added to a small environment that has nothing of the caller's but PATH and TMPDIR; undefined takes one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** When the whole process group is killed; 100 s where absent. */
  readonly timeoutMs?: number;
  /** A home that outlives the call, from `cinchHome`; a fresh one where absent. */
  readonly home?: CinchHome;
}

export interface CinchResult {
  /** 128 plus the signal's number where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** A running cinch: its output as it comes. Leaving the scope ends its process group. */
export interface RunningCinch extends AsyncDisposable {
  readonly pid: number;
  readonly stdout: AsyncIterable<string>;
  readonly stderr: Promise<string>;
  readonly exited: Promise<number>;
  write(text: string): void;
  closeStdin(): void;
  kill(signal: NodeJS.Signals): void;
}

/** A home with the four XDG folders below it. */
export interface CinchHome extends Disposable {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 100_000;

/** Returns the program under test: `$CINCH_UNDER_TEST`, else the launcher of this clone. */
export function cinchPath(): string {
  return resolve(ROOT, process.env["CINCH_UNDER_TEST"] ?? "cinch");
}

export function cinchHome(): CinchHome {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "cinch-home-")));
  const xdg = { CONFIG: "config", DATA: "data", STATE: "state", CACHE: "cache" };
  const folders = Object.entries(xdg).map(
    ([name, folder]) => [`XDG_${name}_HOME`, join(path, folder)] as const,
  );
  for (const [, folder] of folders) mkdirSync(folder, { recursive: true });
  // Bun keeps compiled sources there. Shared within a run of the tests: a start from source takes a third less.
  const compiled = process.env["CINCH_TEST_COMPILED"];
  if (compiled !== undefined) symlinkSync(compiled, join(path, "cache/bun"));
  return {
    path,
    env: { HOME: path, ...Object.fromEntries(folders) },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Runs cinch to its end. Standard input is empty unless given, never a terminal. */
export async function runCinch(args: readonly string[], options: CinchOptions = {}): Promise<CinchResult> {
  using home = options.home === undefined ? cinchHome() : undefined;
  const child = start(args, { ...options, home: options.home ?? home }, options.stdin ?? "");
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    signalIfRunning(-child.pid, "SIGKILL");
  }, options.timeoutMs ?? TIMEOUT_MS);
  try {
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, stdout, stderr, timedOut };
  } finally {
    clearTimeout(timer);
    // What it left behind must not meet the next test; once its id is another's, it has left nothing.
    if (child.exitCode === null || !isRunning(child.pid)) signalIfRunning(-child.pid, "SIGKILL");
  }
}

/** Starts cinch and hands out its output as it comes; its standard input stays open until closed. */
export function startCinch(args: readonly string[], options: CinchOptions = {}): RunningCinch {
  const home = options.home === undefined ? cinchHome() : undefined;
  const child = start(args, { ...options, home: options.home ?? home }, "pipe");
  if (options.stdin !== undefined) child.stdin.write(options.stdin);
  return {
    pid: child.pid,
    stdout: textOf(child.stdout),
    stderr: new Response(child.stderr).text(),
    exited: child.exited,
    write(text) {
      child.stdin.write(text);
      child.stdin.flush();
    },
    closeStdin: () => void child.stdin.end(),
    kill: (signal) => signalIfRunning(-child.pid, signal),
    async [Symbol.asyncDispose]() {
      signalIfRunning(-child.pid, "SIGKILL");
      await child.exited;
      home?.[Symbol.dispose]();
    },
  };
}

function start<Stdin extends "pipe" | string | Uint8Array>(
  args: readonly string[],
  options: Omit<CinchOptions, "home"> & { readonly home: CinchHome | undefined },
  stdin: Stdin,
) {
  const { PATH = "/usr/bin:/bin", TMPDIR } = process.env;
  const env = { PATH, TMPDIR, LANG: "C.UTF-8", TERM: "dumb", ...options.home?.env, ...options.env };
  return Bun.spawn([cinchPath(), ...args], {
    cwd: options.cwd ?? options.home?.path ?? tmpdir(),
    env,
    detached: true,
    stdin: stdin === "pipe" ? "pipe" : typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin,
    stdout: "pipe",
    stderr: "pipe",
  }) as Bun.Subprocess<"pipe", "pipe", "pipe">; // with bytes as input there is no `stdin` to write to, and nobody does
}

async function* textOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) yield text;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

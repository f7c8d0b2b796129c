import { test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preferProgram, requireProgram } from "../requires.ts";
import { ROOT } from "../source.ts";

/** Runtime for the driver of an SDK: the command before its arguments. */
export interface Runtime {
  readonly name: string;
  /** `test`, where what it needs is there. */
  readonly test: ReturnType<typeof requireProgram>;
  command(wire: "sse" | "websocket"): readonly string[];
  readonly wires: readonly ("sse" | "websocket")[];
}

const DRIVER = join(import.meta.dir, "driver.mjs");
const PYTHON_DRIVER = join(import.meta.dir, "driver.py");

export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Bun",
    test,
    command: () => [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", DRIVER],
    wires: ["sse", "websocket"],
  },
  {
    name: "Node",
    test: requireProgram("node"),
    // Before version 22 the class of sockets is there for the asking.
    command: (wire) => ["node", ...(wire === "websocket" ? ["--experimental-websocket"] : []), DRIVER],
    wires: ["sse", "websocket"],
  },
  {
    name: "Deno",
    test: preferProgram("deno"),
    command: () => ["deno", "run", "--quiet", "--no-config", "--no-remote", "--allow-all", DRIVER],
    wires: ["sse", "websocket"],
  },
  {
    name: "Python",
    test: requireProgram("python3"),
    command: () => ["python3", PYTHON_DRIVER],
    wires: ["sse"],
  },
  {
    name: "Python with asyncio",
    test: requireProgram("python3"),
    command: () => ["python3", PYTHON_DRIVER, "--async"],
    wires: ["sse"],
  },
];

export interface BuiltSdk extends Disposable {
  readonly path: string;
}

/** Builds the TypeScript SDK as it is published and returns the folder of its compiled files. */
export function buildSdk(): BuiltSdk {
  const path = mkdtempSync(join(tmpdir(), "cinch-sdk-"));
  const built = Bun.spawnSync(["sh", "scripts/bun.sh", "scripts/build-sdk.ts", path], { cwd: ROOT });
  if (!built.success) throw new Error(`the SDK cannot be built: ${built.stdout}${built.stderr}`);
  return { path: join(path, "dist"), [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface DriverOptions {
  readonly sdk: string;
  readonly wire: "sse" | "websocket";
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A running driver: each line that it prints is one value. */
export interface Driver extends AsyncDisposable {
  readonly lines: AsyncIterable<Readonly<Record<string, unknown>>>;
  readonly ended: Promise<{ readonly code: number; readonly stderr: string }>;
  /** Halts it, as the lid of a laptop does, and lets it go on. */
  halt(): void;
  goOn(): void;
}

export function startDriver(runtime: Runtime, { sdk, wire, args, env }: DriverOptions): Driver {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const home = mkdtempSync(join(tmpdir(), "cinch-driver-"));
  const child = Bun.spawn([...runtime.command(wire), ...args], {
    cwd: home,
    env: {
      PATH,
      HOME: home,
      LANG: "C.UTF-8",
      CINCH_SDK: sdk,
      CINCH_WIRE: wire,
      DENO_DIR: join(home, "deno"),
      PYTHONPATH: join(ROOT, "sdk/python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const stderr = new Response(child.stderr).text();
  const ended = child.exited.then(async (code) => ({ code, stderr: await stderr }));
  return {
    lines: valuesOf(child.stdout),
    ended,
    halt: () => child.kill("SIGSTOP"),
    goOn: () => child.kill("SIGCONT"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function* valuesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

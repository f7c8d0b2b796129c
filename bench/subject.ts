import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { track } from "./guard.ts";

const FLAGS = ["--no-install", "--no-env-file", "--config=/dev/null"];
const MODEL = "bench-model";

/** A separate folder in which a bench runs, with the programs to compare. */
export interface BenchSetup {
  readonly scratch: string;
  /** Command that starts cinch: the compiled program, or Bun with the sources. */
  readonly cinch: readonly string[];
  /** A copy of Bun that nothing else on the machine runs, or its pages would be shared and count for less. */
  readonly bun: string;
  readonly root: string;
  /** Fewer samples, for a quick look. */
  readonly quick: boolean;
  /** The bare script and the hello, compiled as cinch is. */
  readonly bare: string;
  readonly hello: string;
  /** The full size of the log measures. */
  readonly long: boolean;
  /** A folder that keeps the many sessions of some measures for later runs. Default: each run stores them. */
  readonly stored?: string | undefined;
}

/**
 * Keys of a run: the environment has none; it has one of another provider, which cinch must hide from its commands; or
 * the provider needs one. With a key, cinch is more than one process.
 */
export type Keys = "none" | "present" | "used";

export type Program = readonly string[];

export function versionOf(place: BenchSetup): Program {
  return [...place.cinch, "--version"];
}

export function hello(place: BenchSetup): Program {
  return [place.hello];
}

/** `confining`: see `bench/bare.ts`. */
export function bare(place: BenchSetup, baseUrl: string, confining?: string): Program {
  return [place.bare, baseUrl, MODEL, "go", ...(confining === undefined ? [] : [confining])];
}

export function cinchPrompt(place: BenchSetup, more: readonly string[] = []): Program {
  return [...place.cinch, "-p", "go", "--model", `bench:${MODEL}`, ...more];
}

export function engineWithSessions(place: BenchSetup, sessions: number): Program {
  const flags = [...FLAGS, `--tsconfig-override=${place.root}/tsconfig.json`];
  return [place.bun, ...flags, join(place.root, "bench/engine.ts"), String(sessions)];
}

/** An engine with many sessions that have talked, and one that has talked for long. */
export function engineThatTalks(place: BenchSetup, counts: readonly number[]): Program {
  const flags = [...FLAGS, `--tsconfig-override=${place.root}/tsconfig.json`];
  return [place.bun, ...flags, join(place.root, "bench/many-sessions.ts"), ...counts.map(String)];
}

const KEY_VARIABLES: Readonly<Record<Keys, Readonly<Record<string, string>>>> = {
  none: {},
  present: { ANTHROPIC_API_KEY: "a-key-of-the-bench" },
  used: { BENCH_KEY: "a-key-of-the-bench" },
};

interface HomeOptions {
  readonly keys?: Keys;
  /** Further variables of the programs that run in it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further lines of `config.toml`, before its tables. */
  readonly config?: string;
}

/** A home whose configuration names the server as a provider, and nothing else. */
export interface Home {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  point(baseUrl: string): void;
}

export function makeHome(
  place: BenchSetup,
  { keys = "none", env = {}, config = "" }: HomeOptions = {},
): Home {
  const path = mkdtempSync(join(place.scratch, "home-"));
  const folder = join(path, ".config/cinch");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(path, "project"));
  const key = keys === "used" ? 'api_key_env = "BENCH_KEY"\n' : "";
  return {
    path,
    env: { ...env, ...KEY_VARIABLES[keys] },
    point: (baseUrl) =>
      writeFileSync(
        join(folder, "config.toml"),
        `${config}[providers.bench]\nkind = "anthropic"\nbase_url = "${baseUrl}"\n${key}`,
      ),
  };
}

/** Starts a program in the project folder of a home, with an environment of four variables, and a key if it has one. */
export function start(program: Program, home: Home): Subprocess<"ignore", "pipe", "pipe"> {
  return track(
    Bun.spawn([...program], {
      cwd: join(home.path, "project"),
      env: { HOME: home.path, PATH: "/usr/bin:/bin", LANG: "C.UTF-8", TMPDIR: home.path, ...home.env },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

/**
 * Waits for its end.
 * @throws Error with what it said, unless it ended with 0.
 */
export async function finished(child: Subprocess<"ignore", "pipe", "pipe">): Promise<void> {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code === 0) return;
  throw new Error(`a measured program ended with ${child.signalCode ?? code}: ${stderr || stdout}`);
}

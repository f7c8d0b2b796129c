import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "./cinch.ts";
import { cinchPath, runCinch } from "./cinch.ts";
import { until } from "./until.ts";

/** A running `cinch serve`, and where it listens. Leaving the scope ends it in order. */
export interface ServingCinch extends AsyncDisposable {
  /** `unix:///…`, then `http://127.0.0.1:PORT`. */
  readonly places: readonly [unix: string, port: string];
  /** A person's token that may mint. */
  readonly token: string;
}

const READY_MS_MAX = 60_000;

/** Starts `cinch serve` with a port of this machine beside its socket. */
export async function startServing(home: CinchHome, flags: readonly string[]): Promise<ServingCinch> {
  const { PATH = "/usr/bin:/bin", TMPDIR } = process.env;
  const env = { PATH, TMPDIR, LANG: "C.UTF-8", TERM: "dumb", ...home.env };
  const argv = [cinchPath(), "serve", "--listen", "127.0.0.1:0", ...flags];
  const child = Bun.spawn(argv, { cwd: home.path, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  let told = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) told += text;
  })();
  const end = async () => {
    child.kill("SIGTERM");
    await child.exited;
    await reading;
  };
  try {
    const ready = () => existsSync(join(home.path, "state/cinch/owner.token")) && told.includes("http://127");
    await until("the engine serves", () => child.exitCode !== null || ready(), READY_MS_MAX);
    const [port] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
    if (port === undefined) throw new Error(`cinch serve did not begin: ${told}`);
    const made = await runCinch(["token", "--identity-class", "human", "--can-mint"], { home });
    if (made.code !== 0) throw new Error(made.stderr);
    const unix = `unix://${join(home.path, "data/cinch/control.sock")}`;
    return { places: [unix, port], token: made.stdout.trim(), [Symbol.asyncDispose]: end };
  } catch (thrown) {
    await end();
    throw thrown;
  }
}

import { expect } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { CinchHome, RunningCinch } from "./cinch.ts";
import { cinchHome, runCinch, startCinch } from "./cinch.ts";
import type { MockOptions, MockProvider } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import { portToComeBackTo } from "./ports.ts";
import { until } from "./until.ts";

export interface ServedOptions {
  readonly script: MockOptions["script"];
  /** Behind `serve`; absent: a mock's model. */
  readonly flags?: readonly string[];
  /** By name, in the folder that it works in. */
  readonly files?: Readonly<Record<string, string>>;
  /** At the top of its user's config.toml. */
  readonly config?: string;
  /** True to listen at a port too. */
  readonly listens?: boolean;
}

/** A real `cinch serve` with a home and a model of its own, that may be killed and started again. */
export interface Served extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  /** The Unix socket. */
  readonly socket: string;
  /** `http://127.0.0.1:PORT`, where it listens; the same for every start. */
  readonly url: string;
  readonly provider: MockProvider;
  token(...flags: readonly string[]): Promise<string>;
  /** The session that it began with. */
  session(token: string): Promise<string>;
  ask(path: string, token?: string, body?: unknown): Promise<Response>;
  kill(): Promise<void>;
  /** Sends a signal, and gives the exit code once it has ended. */
  end(signal: NodeJS.Signals): Promise<number>;
  start(): Promise<void>;
  /** Text that it wrote to standard error; there once it has ended. */
  said(): Promise<string>;
}

const START_MS_MAX = 60_000;
const STARTS_MAX = 20;

/** @throws Error with what the engine said, where it does not come up. */
export async function openServed({
  script,
  flags = ["--model", "mock:one"],
  listens = false,
  config: more = "",
  files = {},
}: ServedOptions): Promise<Served> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(cinchHome());
  const provider = opened.use(startMockProvider({ script }));
  const config = join(home.path, "config/cinch");
  mkdirSync(config);
  const local = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
  writeFileSync(join(config, "config.toml"), `${more}${local}`);
  const work = join(home.path, "work");
  mkdirSync(work);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  const socket = join(home.path, "data/cinch/control.sock");
  let engine: RunningCinch | undefined;
  let port: number | undefined;
  opened.defer(async () => await engine?.[Symbol.asyncDispose]());

  /** Starts the engine. If the port is taken, the first start chooses another, a later one waits. */
  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const at = listens ? (port ?? portToComeBackTo()) : undefined;
      const said = await tryStart(at);
      if (said === undefined) {
        port = at;
        return;
      }
      if (!/in use|EADDRINUSE/i.test(said) || attempt === STARTS_MAX) throw new Error(`it ended: ${said}`);
    }
  }

  /** Returns the output of an engine that ended at once. */
  async function tryStart(at: number | undefined): Promise<string | undefined> {
    const listen = at === undefined ? [] : ["--listen", `127.0.0.1:${at}`];
    const running = startCinch(["serve", ...flags, ...listen], { home, cwd: work });
    engine = running;
    let said: string | undefined;
    void running.exited.then(async () => {
      said = await running.stderr;
    });
    await until(
      "the engine serves",
      async () => {
        const health = await fetch("http://localhost/v1/health", { unix: socket }).catch(() => undefined);
        const isServed = health?.status === 200 && existsSync(join(home.path, "state/cinch/owner.token"));
        return isServed || said !== undefined;
      },
      START_MS_MAX,
    );
    return said;
  }

  async function ask(path: string, token?: string, body?: unknown): Promise<Response> {
    return await fetch(`http://localhost${path}`, {
      unix: socket,
      headers: {
        "X-Harness-Version": PROTOCOL_VERSION,
        ...(token === undefined ? {} : { "X-Harness-Token": token }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
  }

  await start();
  const rest = opened.move();
  return {
    home,
    work,
    socket,
    provider,
    url: port === undefined ? "" : `http://127.0.0.1:${port}`,
    async token(...more) {
      const claims = more.length === 0 ? ["--identity-class", "human"] : more;
      const made = await runCinch(["token", ...claims], { home, cwd: work });
      expect(made.stderr).toBe("");
      return made.stdout.trim();
    },
    async session(token) {
      const { sessions } = (await (await ask("/v1/sessions", token)).json()) as {
        readonly sessions: readonly { readonly session: string }[];
      };
      return sessions[0]?.session ?? "";
    },
    ask,
    async kill() {
      engine?.kill("SIGKILL");
      await engine?.exited;
    },
    async end(signal) {
      engine?.kill(signal);
      return (await engine?.exited) ?? -1;
    },
    start,
    said: async () => (await engine?.stderr) ?? "",
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

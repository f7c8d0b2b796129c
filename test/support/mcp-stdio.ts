import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import { readProcess } from "../../src/server/auth/owner/parent-process.ts";
import type { Authority, ClaimsRequest } from "../../src/session/access/authority.ts";
import type { CinchHome, RunningCinch } from "./cinch.ts";
import { cinchHome, cinchPath, startCinch } from "./cinch.ts";
import type { MockProvider } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";

type Script = Parameters<typeof startMockProvider>[0]["script"];

/** A home in which a person has said that this very process may drive cinch, and a model that plays a script. */
export interface McpHome extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  readonly provider: MockProvider;
  readonly authority: Authority;
  /** An agent's token for everything, unless the claims say otherwise. */
  token(claims?: Partial<ClaimsRequest>): string;
  /** One that has expired. */
  oldToken(): Promise<string>;
  /** The official client over the real program. */
  client(options?: ClientOptions): Promise<McpClient>;
  /** The real program, spoken to line by line. */
  start(options?: StartOptions): RawMcp;
}

export interface StartOptions {
  /** Null: none. */
  readonly token?: string | null;
  readonly flags?: readonly string[];
  /** Beside the token. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ClientOptions extends StartOptions {
  readonly era?: "legacy" | "modern";
  readonly name?: string;
}

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Every update of a resource so far, with the fields that the client's own types leave out. */
  readonly updates: McpUpdate[];
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

export interface McpUpdate {
  readonly uri: string;
  readonly contents?: { readonly id: number; readonly kind: string };
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly texts: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

const DAY_MS = 86_400_000;

export async function openMcpPlace(
  script: Script,
  { isAttested = true }: { readonly isAttested?: boolean } = {},
): Promise<McpHome> {
  const home = cinchHome();
  const provider = startMockProvider({ script });
  const config = join(home.path, "config/cinch");
  const work = join(home.path, "work");
  for (const folder of [config, work]) mkdirSync(folder);
  const local = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
  writeFileSync(join(config, "config.toml"), `default_model = "mock:one"\n${local}`);
  const world = hostWorld(SILENT_LOG);
  const state = join(home.path, "state/cinch");
  const authority = await openAuthority({ world, stateDirectory: state, channels: () => [] });
  if (isAttested) {
    const { start: _start, ...parent } = await readProcess(world.files, process.pid);
    const lock = JSON.stringify({ version: 1, parents: [parent] });
    writeFileSync(join(config, "mcp-parents.lock"), lock, { mode: 0o600 });
  }
  const token = (claims: Partial<ClaimsRequest> = {}) =>
    authority.mint({ identityClass: "agent", ...claims }, "engine");
  const words = (flags: readonly string[]) => ["mcp", "--cwd", work, ...flags];
  const tokenIn = (options: StartOptions) => (options.token === undefined ? token() : options.token);

  return {
    home,
    work,
    provider,
    authority,
    token,
    async oldToken() {
      const clock = { ...world.clock, now: () => world.clock.now() - 2 * DAY_MS };
      const past = { ...world, clock };
      await using then = await openAuthority({ world: past, stateDirectory: state, channels: () => [] });
      return then.mint({ identityClass: "agent" }, "engine");
    },
    async client(options = {}) {
      const { flags = ["--no-listen"], era = "legacy", name = "a test" } = options;
      const given = tokenIn(options);
      const { PATH = "/usr/bin:/bin", TMPDIR } = process.env;
      const transport = new StdioClientTransport({
        command: cinchPath(),
        args: words(flags),
        cwd: work,
        env: {
          PATH,
          LANG: "C.UTF-8",
          ...(TMPDIR === undefined ? {} : { TMPDIR }),
          ...home.env,
          ...(given === null ? {} : { CINCH_TOKEN: given }),
        },
        stderr: "ignore",
      });
      return await connected(transport, { era, name });
    },
    start(options = {}) {
      const { flags = ["--no-listen"] } = options;
      const given = tokenIn(options);
      const env = { ...options.env, ...(given === null ? {} : { CINCH_TOKEN: given }) };
      return new RawMcp(startCinch(words(flags), { home, cwd: work, env }));
    },
    async [Symbol.asyncDispose]() {
      await authority[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** Connects the official client over any transport of its own. */
export async function connected(
  transport: Parameters<Client["connect"]>[0],
  { era, name }: { readonly era: "legacy" | "modern"; readonly name: string },
): Promise<McpClient> {
  const negotiation = era === "modern" ? { versionNegotiation: { mode: "auto" as const } } : {};
  const client = new Client({ name, version: "1.0.0" }, negotiation);
  const updates: McpUpdate[] = [];
  // The client's own types know of no contents: they are taken from the wire.
  const wire = transport as { onmessage?: unknown };
  await client.connect(transport);
  const inner = wire.onmessage as (message: object, extra?: object) => void;
  wire.onmessage = (message: { method?: string; params?: McpUpdate }, extra?: object) => {
    if (message.method === "notifications/resources/updated" && message.params !== undefined)
      updates.push(message.params);
    inner(message, extra);
  };
  return {
    client,
    updates,
    async call(name, args = {}) {
      const {
        content,
        isError = false,
        structuredContent,
        _meta,
      } = await client.callTool({ name, arguments: args });
      return {
        isError,
        texts: content.map((block) => (block.type === "text" ? block.text : block.type)),
        facts: (structuredContent ?? {}) as Readonly<Record<string, unknown>>,
        meta: _meta ?? {},
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export interface RpcAnswer {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly reason?: string };
  };
}

/** The program's own bytes, in lines. */
export class RawMcp implements AsyncDisposable {
  readonly cinch: RunningCinch;
  readonly #lines: AsyncIterator<string>;
  readonly seen: RpcAnswer[] = [];

  constructor(cinch: RunningCinch) {
    this.cinch = cinch;
    this.#lines = linesIn(cinch.stdout)[Symbol.asyncIterator]();
  }

  send(message: object): void {
    this.cinch.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Makes the first exchange of the legacy era. */
  async initialize(capabilities: object = {}): Promise<RpcAnswer> {
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo };
    this.send({ id: "init", method: "initialize", params });
    const answer = await this.answerTo("init");
    // Who was refused is gone by then.
    if (answer.error === undefined) this.send({ method: "notifications/initialized" });
    return answer;
  }

  async request(id: string | number, method: string, params: object = {}): Promise<RpcAnswer> {
    this.send({ id, method, params });
    return await this.answerTo(id);
  }

  /** Reads on until there is an answer of this id. */
  async answerTo(id: string | number | null): Promise<RpcAnswer> {
    return await this.until((each) => each.id === id && each.method === undefined);
  }

  /** The first message that fits, of those that came and come; each is given once. */
  async until(fits: (message: RpcAnswer) => boolean): Promise<RpcAnswer> {
    const known = this.seen.findIndex(fits);
    const [found] = known < 0 ? [] : this.seen.splice(known, 1);
    if (found !== undefined) return found;
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`the output has ended; there was ${JSON.stringify(this.seen)}`);
      const message = JSON.parse(value) as RpcAnswer;
      if (fits(message)) return message;
      this.seen.push(message);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.cinch[Symbol.asyncDispose]());
  }
}

async function* linesIn(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

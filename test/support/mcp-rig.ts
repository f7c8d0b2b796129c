import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HarnessError } from "../../src/base/errors.ts";
import type { CallId, ClientId, SessionId } from "../../src/base/ids.ts";
import type { Log } from "../../src/base/log.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { World } from "../../src/base/world.ts";
import { McpPool } from "../../src/features/mcp/server/pool.ts";
import type { ServerDependencies, ServerEvent } from "../../src/features/mcp/server/server-dependencies.ts";
import { ServerRecords } from "../../src/features/mcp/server/server-records.ts";
import { serverSource } from "../../src/features/mcp/server/server-source.ts";
import type { ProgramSpec, ServerSpec } from "../../src/features/mcp/server/server-spec.ts";
import { openHttpTransport } from "../../src/features/mcp/transport/http.ts";
import { hostFetch } from "../../src/platform/sockets/fetch.ts";
import type { AuthorizedFetch } from "../../src/providers/authorized-fetch.ts";
import type { Tool, ToolContext, ToolOutput } from "../../src/tools/tool.ts";
import { scriptServer } from "./mcp-servers.ts";
import { until } from "./until.ts";
import { temporaryDirectory, testWorld } from "./world.ts";

const LONGEST_PAUSE_MS = 4_000;
const CHILD = join(import.meta.dirname, "mcp-server-child.ts");

/** An engine's pool on a world whose clock stands still, and servers that misbehave as they are told. */
export function openMcpRig(parts: Partial<World> = {}) {
  const directory = temporaryDirectory("cinch-mcp-");
  let failures = 0;
  const log: Log = {
    for: () => log,
    write(level, message, fields) {
      if (message === "the server failed") failures += 1;
      parts.log?.write(level, message, fields);
    },
  };
  const world = testWorld({ ...parts, log });
  const records: ServerRecords = new ServerRecords(join(directory.path, "records"), world.random);
  const authorized: AuthorizedFetch = ({ provider }) =>
    Promise.reject(new HarnessError("ProviderKeyMissing", { provider, variable: "none", kept: "" }));
  const ports: ServerDependencies = {
    world,
    version: "0",
    records,
    log: "/state/log/",
    logins: () => Promise.resolve(""),
    openRemote: (spec) =>
      openHttpTransport(spec, { clock: world.clock, fetch: hostFetch(), log, authorized }),
  };
  const pool = new McpPool(ports);
  const journal = join(directory.path, "journal");

  function spec(habits: readonly string[], more: Partial<ProgramSpec> = {}): ProgramSpec {
    const { cmd, args } = scriptServer(CHILD, journal, ...habits);
    const name = more.name ?? "test";
    return {
      name,
      identity: `identity of ${name} ${habits.join(" ")}`,
      declaration: "d".repeat(64),
      eagerToolsMax: 20,
      callMsMax: 120_000,
      declaredIn: "/config.toml",
      transport: "stdio",
      cmd,
      args,
      cwd: directory.path,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      ...more,
    };
  }

  return {
    world,
    pool,
    directory: directory.path,
    /** The script of the servers, and where they write what they are told. */
    child: CHILD,
    journalPath: journal,
    spec,
    context: (signal: AbortSignal) => contextOf(world, signal),
    /** Holds a server as a session does. */
    session(declared: ServerSpec) {
      const lease = pool.lease(declared);
      const events: ServerEvent[] = [];
      const leave = lease.server.watch((event) => events.push(event));
      const tell = (event: ServerEvent) => void events.push(event);
      const source = serverSource(lease.server, { clock: world.clock, ask: () => undefined, onEvent: tell });
      return {
        server: lease.server,
        source,
        events,
        tool(name: string): Tool {
          const found = source.tools().find((tool) => tool.name === name);
          if (found === undefined) throw new Error(`there is no tool ${name}`);
          return found;
        },
        async call(name: string, input: unknown, signal = new AbortController().signal): Promise<string> {
          const tool = this.tool(name);
          const context = contextOf(world, signal);
          return textOf(await tool.run(await tool.plan(input, context), context));
        },
        async [Symbol.asyncDispose]() {
          leave();
          await lease[Symbol.asyncDispose]();
        },
      };
    },
    /** Returns the messages to the servers so far, and their process ids. */
    journal() {
      const lines = existsSync(journal) ? readFileSync(journal, "utf8").split("\n").slice(0, -1) : [];
      const entries = lines.map((line) => JSON.parse(line) as Journaled);
      return {
        starts: entries.filter(({ pid }) => pid !== undefined),
        pids: entries.flatMap(({ pid }) => pid ?? []),
        messages: entries.filter(({ method }) => method !== undefined),
      };
    },
    /** Passes over the pauses between restarts, and over nothing else, until it is told how they ended. */
    async throughRestarts({ events }: { readonly events: readonly ServerEvent[] }): Promise<void> {
      const endings = () => events.filter(({ kind }) => kind === "down" || kind === "refused").length;
      const before = endings();
      let seen = 0;
      while (endings() === before) {
        await until("a failure", () => failures > seen || endings() > before);
        seen = failures; // one more may come while the clock is moved
        await world.clock.advance(LONGEST_PAUSE_MS);
      }
    },
    /** Moves the clock on, in small steps, until something holds. */
    async whileTimePasses(what: string, holds: () => boolean, stepMs = 100): Promise<void> {
      await until(what, async () => {
        await world.clock.advance(stepMs);
        return holds();
      });
    },
    async [Symbol.asyncDispose]() {
      const closing = pool[Symbol.asyncDispose]();
      let isClosed = false;
      void closing.finally(() => {
        isClosed = true;
      });
      await this.whileTimePasses("the end of the servers", () => isClosed, 1_000);
      await closing;
      await directory[Symbol.asyncDispose]();
    },
  };
}

export interface Journaled {
  readonly pid?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly params?: unknown;
}

function contextOf(world: ReturnType<typeof testWorld>, signal: AbortSignal): ToolContext {
  return {
    world: { ...world, log: SILENT_LOG },
    signal,
    session: "sess_1" as SessionId,
    callId: "call_1" as CallId,
    originator: "cli_1" as ClientId,
    turn: 1,
    workspace: { root: "/", cwd: "/", seen: new Map(), env: {}, scratch: "/nowhere" },
    progress: () => undefined,
    emit: () => undefined,
  };
}

function textOf({ content, isError }: ToolOutput): string {
  const text = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("");
  return isError === true ? `error: ${text}` : text;
}

import { join } from "node:path";
import { connect } from "../../sdk/typescript/src/index.ts";
import { resultOf } from "../../src/app/library/prompt-result.ts";
import { serveControl } from "../../src/app/serving/control-plane.ts";
import { Cancelled, HarnessError } from "../../src/base/errors.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { OutputFormat } from "../../src/cli/commands/prompt/flags.ts";
import { answerIn } from "../../src/cli/commands/prompt/prompt.ts";
import type { ProcessContext } from "../../src/cli/process-context.ts";
import { connectRemote } from "../../src/client/remote/connect-remote.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { UsageInfo } from "../../src/protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { serveAcp } from "../../src/server/acp/serve-acp.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import { RUN_TOOL } from "../../src/server/mcp/mcp-names.ts";
import { NO_COST, priceOf, tokenUsage } from "../../src/view/costs/cost.ts";
import { followSession, openSubscription } from "../../src/view/follow.ts";
import { followTurn } from "../../src/view/follow-turn.ts";
import type { TurnResult } from "../../src/view/turn-result.ts";
import { foldTurn, NEW_TURN, turnResult } from "../../src/view/turn-result.ts";
import { acpEditor } from "./acp-editor.ts";
import { mcpClient } from "./mcp-http.ts";
import { replayEngine } from "./replay-engine.ts";
import { ROOT } from "./source.ts";
import { temporaryDirectory } from "./world.ts";
import { remoteParts } from "./ws-rig.ts";

/** The result of a turn in one shape; what a client does not say is absent. */
export interface ToldTurn {
  readonly text?: string;
  readonly reason?: string;
  readonly rounds?: number;
  readonly costUsd?: number | null;
  readonly tools?: readonly string[];
  readonly error?: { readonly reason: string; readonly message: string } | null;
  readonly refused?: number;
  /** In its wire form. */
  readonly usage?: UsageInfo;
}

/** Gives the result of each named turn as one client tells it. */
export type TurnClient = (names: readonly string[]) => Promise<readonly ToldTurn[]>;

export interface TurnClients extends AsyncDisposable {
  readonly clients: Readonly<Record<string, TurnClient>>;
}

/** Every client and wire on an engine that plays recorded turns. */
export async function openTurnClients(turns: ReadonlyMap<string, readonly Envelope[]>): Promise<TurnClients> {
  await using held = new AsyncDisposableStack();
  const directory = held.use(temporaryDirectory());
  const world = hostWorld(SILENT_LOG);
  const engine = replayEngine(world, turns);
  const { session } = engine;
  const authority = held.use(
    await openAuthority({ world, stateDirectory: join(directory.path, "state"), channels: () => [] }),
  );
  const targets = [{ kind: "loopback", hostname: "127.0.0.1", port: 0 }] as const;
  const server = held.use(await serveControl({ world, engine, authority, targets, minimal: () => session }));
  const url = server.addresses[0] ?? "";
  const mint = (identityClass: "human" | "agent") => authority.mint({ identityClass }, "engine");
  const token = mint("human");
  const headers = { "x-harness-token": token, "x-harness-version": PROTOCOL_VERSION };
  const rig = { url, mint: () => mint("agent") } as unknown as Parameters<typeof mcpClient>[0];

  async function attached() {
    const connection = engine.attach({ identityClass: "human", label: "test" });
    await connection.handshake(PROTOCOL_VERSION);
    return connection;
  }

  async function printed(name: string, format: OutputFormat): Promise<string> {
    let stdout = "";
    const stop = new AbortController();
    const output = {
      isTerminal: false,
      async write(text: string) {
        stdout += text;
      },
    };
    const stderr = { isTerminal: false, write: async () => undefined };
    const at = { world, stdout: output, stderr, stop: { signal: stop.signal } } as unknown as ProcessContext;
    const settings = {} as Parameters<typeof answerIn>[0]["settings"];
    const content = [{ type: "text", text: name }] as const;
    await answerIn({ format, settings }, { connection: await attached(), session }, content, at);
    return stdout;
  }

  const clients: Record<string, TurnClient> = {
    "-p as text": eachOf(async (name) => ({ text: (await printed(name, "text")).replace(/\n$/, "") })),
    "-p as JSON": eachOf(async (name) => {
      const told = JSON.parse(await printed(name, "json"));
      const { result: text, stop_reason: reason, turns: rounds, cost_usd: costUsd, tools_used: tools } = told;
      const { usage, refused } = told;
      return { text, reason, rounds, costUsd, usage, tools, refused, error: told.error ?? null };
    }),
    "-p as stream-json": eachOf(async (name) => {
      const lines = (await printed(name, "stream-json")).trim().split("\n");
      return toldBy(turnResult(lines.map((line) => JSON.parse(line)).reduce(foldTurn, NEW_TURN)));
    }),
    WebSocket: async (names) => {
      const stop = new AbortController();
      const remote = await connectRemote({ ...remoteParts(url), token: () => token }, stop.signal);
      await remote.handshake(PROTOCOL_VERSION);
      const told = await eachOf(async (name) => {
        const events = openSubscription(followSession(remote, session, { signal: stop.signal }));
        await remote.send({ kind: "SendInput", sessionId: session, content: [{ type: "text", text: name }] });
        const result = await followTurn(events, { by: remote.clientId });
        return result === "withdrawn" ? {} : toldBy(result);
      })(names);
      await remote[Symbol.asyncDispose]();
      return told;
    },
    REST: eachOf(async (name) => {
      const answer = await fetch(`${url}/v1/sessions/${session}/input?wait=turn`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ content: [{ type: "text", text: name }] }),
      });
      const {
        text,
        reason,
        turns: rounds,
        cost_usd: costUsd,
        tools_used: tools,
        usage,
        refused,
        error = null,
      } = await answer.json();
      return { text, reason, rounds, costUsd, usage, tools, refused, error };
    }),
    MCP: async (names) => {
      const { call, client } = await mcpClient(rig);
      const told = await eachOf(async (name) => {
        const { facts } = await call(RUN_TOOL, { prompt: name, sessionId: session });
        const {
          text,
          reason,
          turns: rounds,
          cost: costUsd,
          tools_used: tools,
          usage,
          refused,
          error = null,
        } = facts as never;
        return { text, reason, rounds, costUsd, usage, tools, refused, error };
      })(names);
      await client.close();
      return told;
    },
    ACP: async (names) => {
      const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
      const writer = there.writable.getWriter();
      const fresh = async (workingDir: string) =>
        ({ kind: "CreateSession", profile: "test", workingDir }) as const;
      const stop = new AbortController();
      const served = serveAcp({
        world,
        version: "0.0.0",
        engine: async () => ({ fresh, port: engine, remove: () => Promise.resolve() }),
        input: there.readable,
        output: back.writable,
        signal: stop.signal,
      });
      const output = new WritableStream<Uint8Array>({ write: (bytes) => writer.write(bytes) });
      const editor = acpEditor(output, back.readable);
      const id = await editor.begin("/");
      const told = await eachOf(async (name) => {
        try {
          const { _meta } = (await editor.prompt(id, name)) as never;
          const {
            reason,
            cost_usd: costUsd,
            turns: rounds,
            tools_used: tools,
            text,
            usage,
            refused,
            error = null,
          } = (_meta as never)["cinch"];
          return { text, reason, costUsd, usage, rounds, tools, refused, error };
        } catch (thrown) {
          const { message, data } = thrown as { message: string; data: { reason: string } };
          return { error: { reason: data.reason, message } };
        }
      })(names);
      stop.abort();
      await served;
      return told;
    },
    library: eachOf(async (name) => {
      const connection = await attached();
      const stop = new AbortController();
      const events = connection.subscribe(session, { signal: stop.signal });
      const watcher = { onUser: () => undefined, onUsage: () => undefined, onRetry: () => undefined };
      const content = [{ type: "text", text: name }] as const;
      await connection.send({ kind: "SendInput", sessionId: session, content: [...content] });
      try {
        const result = await resultOf(events, connection.clientId, { watcher, signal: stop.signal });
        const { text, reason, turns: rounds, usage, error = null } = result;
        return { text, reason, rounds, costUsd: usage.costUsd, error };
      } catch (thrown) {
        if (thrown instanceof Cancelled) return { reason: "cancelled", error: null };
        if (!(thrown instanceof HarnessError)) throw thrown;
        return { reason: "error", error: { reason: thrown.reason, message: thrown.message } };
      } finally {
        stop.abort();
      }
    }),
    "TypeScript SDK": async (names) => {
      const client = await connect({ url, token });
      const over = client.session(session);
      const told = await eachOf(async (name) => {
        const { error = null, usage, ...result } = await over.runTurn(name);
        return { ...result, error, usage: tokenUsage({ ...NO_COST, ...usage }) };
      })(names);
      await client.close();
      return told;
    },
    "Python SDK": async (names) => {
      const child = Bun.spawn(["python3", join(import.meta.dir, "sdk/turns.py"), session, ...names], {
        env: {
          PATH: process.env["PATH"] ?? "/usr/bin:/bin",
          PYTHONPATH: join(ROOT, "sdk/python/src"),
          PYTHONDONTWRITEBYTECODE: "1",
          CINCH_URL: url,
          CINCH_TOKEN: token,
        },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      if ((await child.exited) !== 0) throw new Error(stderr);
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
  };
  const rest = held.move();
  return { clients, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}

/** Says a folded turn in the common shape. */
export function toldBy({ text, reason, rounds, cost, tools, error, refused }: TurnResult): ToldTurn {
  const ended = reason === undefined ? {} : { reason };
  const failed = error === undefined ? null : { reason: error.reason, message: error.message };
  const spent = { costUsd: priceOf(cost), usage: tokenUsage(cost) };
  return { text, ...ended, rounds, ...spent, tools, error: failed, refused };
}

/** One turn after the other: a session has one at a time. */
function eachOf(one: (name: string) => Promise<ToldTurn>): TurnClient {
  return async (names) => {
    const told: ToldTurn[] = [];
    for (const name of names) told.push(await one(name));
    return told;
  };
}

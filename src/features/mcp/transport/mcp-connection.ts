import type {
  CallToolResult,
  Client,
  ClientCapabilities,
  JsonSchemaValidatorResult,
  ProgressCallback,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { defined } from "../../../base/defined.ts";
import { messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import { numberAt } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Clock } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { TOOLS_MAX } from "../tools/definition.ts";
import { boundLists } from "./bounded-lists.ts";

/** The longest time for a handshake. A server may have to be downloaded first. */
export const CONNECT_MS_MAX = 60_000;
/** The longest time for a server to list its tools. */
export const LIST_MS_MAX = 30_000;
/** A server that does not answer in this time is taken for one that does not know the newer handshake. */
const PROBE_MS_MAX = 5_000;
/** Errors of one connection written to the operational log. A server can cause any number of them. */
const LOGGED_ERRORS_MAX = 200;
const LOGGED_CHARACTERS_MAX = 500;
/** A current server's code for a call whose headers do not match its arguments: it has declared the tool again. */
const HEADER_MISMATCH = -32_020;
/** Disables the library's own timers, which the injected clock cannot move. The signal ends a request. */
const NEVER_MS = 2_147_483_647;

export interface McpConnectionDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** The version of cinch, as sent to the server. */
  readonly version: string;
  /** The requests that this client answers. */
  readonly capabilities?: ClientCapabilities;
  readonly prepare?: (client: Client) => void;
  /** Called each time the server announces that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Called each time the server announces that its prompts have changed. */
  readonly onPromptsChanged?: () => void;
}

export type Era = "auto" | "legacy";

/** A connection to a server after its handshake. */
export interface McpConnection {
  readonly client: Client;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>;
  /** @throws the signal's reason; an Error in words for people. */
  tools(signal: AbortSignal): Promise<readonly Tool[]>;
  /** @throws the signal's reason, after cancelling the call at the server; an Error in words for people. */
  call(tool: string, input: JsonObject, options: CallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ProgressCallback;
}

/**
 * Does the handshake with a server, in the newest protocol version that both know (MCP-01).
 *
 * If it fails, the transport is closed.
 * @throws the signal's reason; an Error in words for people.
 */
export async function connectMcp(
  transport: Transport,
  era: Era,
  dependencies: McpConnectionDependencies,
  signal: AbortSignal,
): Promise<McpConnection> {
  // The largest chunk of the program: loaded only when a server is connected.
  const { Client } = await import("@modelcontextprotocol/client");
  signal.throwIfAborted();
  const client = new Client(
    { name: "cinch", version: dependencies.version },
    {
      capabilities: dependencies.capabilities ?? {},
      versionNegotiation: { mode: era, probe: { timeoutMs: PROBE_MS_MAX } },
      listMaxPages: 0, // `boundLists` cuts a list where the library would discard it
      // Results are not checked against the output schema that a server declares.
      jsonSchemaValidator: { getValidator: () => acceptAny },
      listChanged: {
        tools: { autoRefresh: false, onChanged: dependencies.onToolsChanged },
        prompts: { autoRefresh: false, onChanged: () => dependencies.onPromptsChanged?.() },
      },
    },
  );
  const { promise: closed, resolve: tellClosed } = Promise.withResolvers<void>();
  client.onclose = tellClosed;
  client.onerror = errorLog(dependencies.log);
  boundLists(client, (method) => dependencies.log.write("warn", "a list is longer than is read", { method }));
  dependencies.prepare?.(client);
  using limit = deadline(dependencies.clock, CONNECT_MS_MAX, signal);
  try {
    await whileAlive(client.connect(transport, { signal: limit.signal, timeout: NEVER_MS }), limit.signal);
  } catch (thrown) {
    await transport.close();
    if (limit.reached)
      throw new Error(`it did not complete the handshake within ${CONNECT_MS_MAX / 1_000} s`, {
        cause: thrown,
      });
    throw thrown;
  }
  const definitions = new Map<string, Tool>();
  return {
    client,
    closed,
    async tools(stop) {
      using listing = deadline(dependencies.clock, LIST_MS_MAX, stop);
      try {
        const options = { signal: listing.signal, timeout: NEVER_MS, cacheMode: "refresh" } as const;
        const { tools } = await whileAlive(client.listTools(undefined, options), listing.signal);
        definitions.clear();
        for (const { name, inputSchema } of tools.slice(0, TOOLS_MAX))
          definitions.set(name, { name, inputSchema });
        return tools;
      } catch (thrown) {
        if (!listing.reached) throw thrown;
        throw new Error(`it did not list its tools within ${LIST_MS_MAX / 1_000} s`, { cause: thrown });
      }
    },
    async call(tool, input, { signal: stop, onProgress }) {
      const options = {
        signal: stop,
        timeout: NEVER_MS,
        // Without a definition, the library lists the tools again after a refusal and repeats the call.
        toolDefinition: definitions.get(tool) ?? { name: tool, inputSchema: { type: "object" } },
        ...defined({ onprogress: onProgress }),
      } as const;
      try {
        return await whileAlive(client.callTool({ name: tool, arguments: { ...input } }, options), stop);
      } catch (thrown) {
        if (numberAt(thrown, "code") === HEADER_MISMATCH) dependencies.onToolsChanged();
        throw thrown;
      }
    },
    async close() {
      await transport.close();
      await client.close();
    },
  };
}

function errorLog(log: Log): (error: Error) => void {
  let written = 0;
  return (error) => {
    written += 1;
    if (written > LOGGED_ERRORS_MAX) return;
    const text = shortened(
      visibleLine(messageOf(error).slice(0, LOGGED_CHARACTERS_MAX * 2)),
      LOGGED_CHARACTERS_MAX,
    );
    log.write("debug", "the connection reported an error", { error: text });
    if (written === LOGGED_ERRORS_MAX) log.write("debug", "further errors are not logged");
  };
}

function acceptAny<T>(input: unknown): JsonSchemaValidatorResult<T> {
  return { valid: true, data: input as T, errorMessage: undefined };
}

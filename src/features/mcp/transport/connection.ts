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
import { messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import { numberAt } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Clock } from "../../../base/world.ts";
import { visible } from "../../../safety/hidden.ts";
import { TOOLS_MAX } from "../tools/definition.ts";
import { boundLists } from "./bounded-lists.ts";

/** How long a server may take to greet: one that is fetched first takes its time. */
export const CONNECT_MS_MAX = 60_000;
/** How long a server may take to list its tools. */
export const LIST_MS_MAX = 30_000;
/** After this without an answer a server is taken for one that does not know the newer greeting. */
const PROBE_MS_MAX = 5_000;
/** Errors of one wire that are kept in the operational log: a server can bring about as many as it likes. */
const LOGGED_ERRORS_MAX = 200;
const LOGGED_CHARACTERS_MAX = 500;
/** A server of today refuses a call so whose headers do not say what its arguments do: it has declared the tool anew. */
const HEADER_MISMATCH = -32_020;
/** The library's own timers are not ours to move: what ends a request is its signal. */
const NEVER_MS = 2_147_483_647;

export interface ConnectionParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Of cinch, as a server is told it. */
  readonly version: string;
  /** What this client can be asked for, and by what it answers: set up before it greets. */
  readonly capabilities?: ClientCapabilities;
  readonly prepare?: (client: Client) => void;
  /** Told each time the server says that its tools are others now. */
  readonly onToolsChanged: () => void;
  /** Told each time the server says that its prompts are others now. Absent: nobody keeps any. */
  readonly onPromptsChanged?: () => void;
}

export type Era = "auto" | "legacy";

/** A server that has greeted. */
export interface Connection {
  readonly client: Client;
  /** Resolves with the end of it, whoever brought that about. */
  readonly closed: Promise<void>;
  /** @throws the signal's reason; an Error in words for people. */
  tools(signal: AbortSignal): Promise<readonly Tool[]>;
  /** @throws the signal's reason, once the server was told; an Error in words for people. */
  call(tool: string, input: JsonObject, options: CallOptions): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ProgressCallback;
}

/**
 * Greets the server at the other end of a wire, in the newest version of the protocol that both know (MCP-01).
 *
 * Where it cannot, the wire is closed, and nothing of it stays.
 * @throws the signal's reason; an Error in words for people.
 */
export async function connect(
  transport: Transport,
  era: Era,
  parts: ConnectionParts,
  signal: AbortSignal,
): Promise<Connection> {
  // One chunk, and the largest: loaded where a session has a server, and it is needed.
  const { Client } = await import("@modelcontextprotocol/client");
  signal.throwIfAborted();
  const client = new Client(
    { name: "cinch", version: parts.version },
    {
      capabilities: parts.capabilities ?? {},
      versionNegotiation: { mode: era, probe: { timeoutMs: PROBE_MS_MAX } },
      listMaxPages: 0, // `boundLists` ends a list where the library would throw it away
      // What a server says that its results look like is nothing that they are held to.
      jsonSchemaValidator: { getValidator: () => passed },
      listChanged: {
        tools: { autoRefresh: false, onChanged: parts.onToolsChanged },
        prompts: { autoRefresh: false, onChanged: () => parts.onPromptsChanged?.() },
      },
    },
  );
  const { promise: closed, resolve: tellClosed } = Promise.withResolvers<void>();
  client.onclose = tellClosed;
  client.onerror = errorLog(parts.log);
  boundLists(client, (method) => parts.log.write("warn", "a list is longer than is read", { method }));
  parts.prepare?.(client);
  using limit = deadline(parts.clock, CONNECT_MS_MAX, signal);
  try {
    await whileAlive(client.connect(transport, { signal: limit.signal, timeout: NEVER_MS }), limit.signal);
  } catch (thrown) {
    await transport.close();
    if (limit.reached)
      throw new Error(`it did not greet within ${CONNECT_MS_MAX / 1_000} s`, { cause: thrown });
    throw thrown;
  }
  const definitions = new Map<string, Tool>();
  return {
    client,
    closed,
    async tools(stop) {
      using listing = deadline(parts.clock, LIST_MS_MAX, stop);
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
        // Where it is not given one, the library lists the tools again after a refusal, and makes the call a second time.
        toolDefinition: definitions.get(tool) ?? { name: tool, inputSchema: { type: "object" } },
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      } as const;
      try {
        return await whileAlive(client.callTool({ name: tool, arguments: { ...input } }, options), stop);
      } catch (thrown) {
        if (numberAt(thrown, "code") === HEADER_MISMATCH) parts.onToolsChanged();
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
      visible(messageOf(error).slice(0, LOGGED_CHARACTERS_MAX * 2)),
      LOGGED_CHARACTERS_MAX,
    );
    log.write("debug", "the wire tells of an error", { error: text });
    if (written === LOGGED_ERRORS_MAX) log.write("debug", "what else it tells is not kept");
  };
}

function passed<T>(input: unknown): JsonSchemaValidatorResult<T> {
  return { valid: true, data: input as T, errorMessage: undefined };
}

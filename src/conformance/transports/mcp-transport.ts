import type { McpSubscription, Transport } from "@modelcontextprotocol/client";
import { Client as McpLibrary, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, objectAt, parseJson, stringAt } from "../../base/json.ts";
import { RESOURCE_URI_SCHEME } from "../../protocol/version.ts";
import { Mismatch, Skipped } from "../mismatch.ts";
import type { AttachOptions, Client, CommandAnswer, SuiteTransport } from "./transport.ts";
import { EventStream, MCP_REVISION, Refused, refusedAnswer } from "./transport.ts";

/** Opens a connection to an MCP server: an address, or a separate process. */
export type OpenTransport = (token: string, signal: AbortSignal) => Promise<Transport>;

/** Revisions up to 2025-11-25 ("legacy"), or the next one ("modern"), without sessions and `initialize`. */
export type McpEra = "legacy" | "modern";

/**
 * Returns the transport MCP (docs/mcp-server.md) through the official client. Its clients are agents.
 * @param isAlone true if each client is a process with one session.
 */
export function mcpTransport(open: OpenTransport, era: McpEra, { isAlone = false } = {}): SuiteTransport {
  return {
    name: era === "legacy" ? "mcp" : `mcp-${MCP_REVISION}`,
    ...(isAlone ? { isAlone } : {}),
    attach: (token, options) => McpClient.open(open, token, { ...options, era }),
  };
}

interface McpOptions extends AttachOptions {
  readonly era: McpEra;
}

/** The streams of one resource, which share one subscription. */
interface Followed {
  readonly streams: Set<EventStream>;
  /** Ends the subscription at the server. */
  leave(): Promise<void>;
}

/** A resource that was read. */
export interface ReadResource {
  readonly text: string;
  readonly mimeType: string;
}

/** One client of an MCP server. */
export class McpClient implements Client {
  readonly id = undefined;
  readonly #library: McpLibrary;
  readonly #transport: Transport;
  readonly #options: McpOptions;
  readonly #followed = new Map<string, Followed>();

  private constructor(library: McpLibrary, transport: Transport, options: McpOptions) {
    this.#library = library;
    this.#transport = transport;
    this.#options = options;
  }

  /** Connects. @throws Refused if the server refuses the client; Skipped if it does not speak this era. */
  static async open(openTransport: OpenTransport, token: string, options: McpOptions): Promise<McpClient> {
    const { version, signal, era } = options;
    const capabilities = { experimental: { [RESOURCE_URI_SCHEME]: { protocol_version: version } } };
    const mode = era === "legacy" ? "legacy" : { pin: MCP_REVISION };
    const library = new McpLibrary(
      { name: "conformance", version },
      { capabilities, versionNegotiation: { mode } },
    );
    const transport = await openTransport(token, signal);
    const client = new McpClient(library, transport, options);
    try {
      await library.connect(transport, client.#limits);
    } catch (thrown) {
      const refused = refusalIn(thrown);
      await transport.close();
      if (thrown instanceof SdkError && thrown.code === SdkErrorCode.EraNegotiationFailed)
        throw new Skipped(`the server does not speak the revision ${MCP_REVISION} of MCP: ${thrown.message}`);
      if (refused === undefined) throw thrown;
      throw new Refused(era === "legacy" ? "initialize" : "server/discover", refused);
    }
    client.#listen();
    return client;
  }

  /** The server's instructions, in its answer to `initialize` or `server/discover`. */
  get instructions(): string {
    return this.#library.getInstructions() ?? "";
  }

  /**
   * Returns the handshake, which extends `initialize` ([A] § Handshake) or `server/discover`. Both sides' versions were
   * exchanged there.
   */
  async handshake(): Promise<CommandAnswer> {
    const { experimental } = this.#library.getServerCapabilities() ?? {};
    const body = objectAt(experimental, RESOURCE_URI_SCHEME);
    if (body === undefined)
      throw new Mismatch(
        "the capabilities of the server",
        `the handshake, as experimental["${RESOURCE_URI_SCHEME}"]`,
        JSON.stringify(experimental ?? {}),
      );
    return { kind: "accepted", body };
  }

  async send(command: JsonObject): Promise<CommandAnswer> {
    const { kind, sessionId, content, ...fields } = command;
    const tool = TOOLS[String(kind)];
    if (tool === undefined)
      return refusedAnswer({ reason: "InvalidCommand", message: `MCP has no tool for ${kind}` });
    const session = kind === "CreateSession" ? {} : { sessionId };
    const prompt = kind === "SendInput" ? { prompt: promptOf(content), wait: "none" } : {};
    const answer = await this.call(tool, { ...session, ...prompt, ...fields });
    const run =
      answer.kind === "accepted" && kind === "AttachSession" ? stringAt(answer.body, "session") : undefined;
    return answer.kind === "accepted" && run !== undefined
      ? { kind: "accepted", body: { ...answer.body, sessionId: run } }
      : answer;
  }

  /** Calls a tool; the body is its structured result. */
  async call(name: string, args: JsonObject): Promise<CommandAnswer> {
    return (await this.callForText(name, args)).answer;
  }

  /** Calls a tool; `text` is the first text of its result. */
  async callForText(
    name: string,
    args: JsonObject,
  ): Promise<{ readonly answer: CommandAnswer; readonly text: string }> {
    try {
      const result: unknown = await this.#library.callTool({ name, arguments: { ...args } }, this.#limits);
      const text = textOf(result);
      if (isObject(result) && result["isError"] === true)
        return { text, answer: refusedAnswer({ message: text, ...objectAt(result, "_meta") }) };
      const facts = objectAt(result, "structuredContent") ?? parseJson(text)?.value;
      return { text, answer: { kind: "accepted", body: isObject(facts) ? facts : {} } };
    } catch (thrown) {
      return { text: "", answer: refusalOr(thrown) };
    }
  }

  /** Lists the names of the tools that it may call. */
  async tools(): Promise<readonly string[]> {
    const { tools } = await this.#library.listTools(undefined, this.#limits);
    return tools.map(({ name }) => name);
  }

  /** Lists the URIs of all resources. */
  async resources(): Promise<readonly string[]> {
    const { resources } = await this.#library.listResources(undefined, this.#limits);
    return resources.map(({ uri }) => uri);
  }

  /** Reads a resource by its path. @throws Refused. */
  async read(path: string): Promise<ReadResource> {
    const uri = uriOf(path);
    try {
      const { contents } = await this.#library.readResource({ uri }, this.#limits);
      const [first] = contents;
      return { text: stringAt(first, "text") ?? "", mimeType: stringAt(first, "mimeType") ?? "" };
    } catch (thrown) {
      const refused = refusalIn(thrown);
      if (refused === undefined) throw thrown;
      throw new Refused(`reading ${uri}`, refused);
    }
  }

  async follow(session: string, since?: number): Promise<EventStream> {
    const { signal, patience } = this.#options;
    const uri = uriOf(`session/${session}/events${since === undefined ? "" : `?since=${since}`}`);
    const followed = this.#followed.get(uri) ?? { streams: new Set(), leave: async () => undefined };
    this.#followed.set(uri, followed);
    const { streams } = followed;
    const stream = new EventStream(signal, async () => await this.#leave(uri, stream), patience);
    streams.add(stream);
    try {
      // The modern era sends an event once for each subscription.
      if (streams.size === 1) followed.leave = await this.#subscribe(uri, streams);
    } catch (thrown) {
      streams.delete(stream);
      const refused = refusalIn(thrown);
      if (refused === undefined) throw thrown;
      throw new Refused("the event stream", refused);
    }
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A server limits the sessions of a token and drops one whose client has left.
    if ("terminateSession" in this.#transport && typeof this.#transport.terminateSession === "function")
      await Promise.resolve(this.#transport.terminateSession()).catch(() => undefined); // it is gone already
    await this.#library.close();
    this.#endAll();
  }

  /** Limits of one request: the library ends it if its answer does not come in time. */
  get #limits() {
    const { signal, patience } = this.#options;
    return patience === undefined ? { signal } : { signal, timeout: patience.ms };
  }

  /** Subscribes as the era requires; returns the function that ends the subscription. */
  async #subscribe(uri: string, streams: Followed["streams"]): Promise<Followed["leave"]> {
    if (this.#options.era === "legacy") {
      await this.#library.subscribeResource({ uri }, this.#limits);
      return async () => void (await this.#library.unsubscribeResource({ uri }, this.#limits));
    }
    const subscription: McpSubscription = await this.#library.listen(
      { resourceSubscriptions: [uri] },
      this.#limits,
    );
    void subscription.closed.then(() => endAll(streams));
    return () => subscription.close();
  }

  async #leave(uri: string, stream: EventStream): Promise<void> {
    const { streams, leave } = this.#followed.get(uri) ?? {};
    if (streams?.delete(stream) !== true || streams.size > 0) return;
    // The session or the connection has ended, so there is nothing to unsubscribe from.
    await leave?.().catch(() => undefined);
  }

  #endAll(): void {
    for (const { streams } of this.#followed.values()) endAll(streams);
  }

  /** Reads the contents of an update from the raw message, because the library's types lack them. */
  #listen(): void {
    const inner = this.#transport.onmessage;
    this.#transport.onmessage = (message, extra) => {
      const value: unknown = message;
      if (stringAt(value, "method") === "notifications/resources/updated") {
        const params = objectAt(value, "params");
        const event = objectAt(params, "contents");
        const uri = stringAt(params, "uri") ?? "";
        const streams = this.#followed.get(uri)?.streams ?? new Set();
        if (event !== undefined) for (const stream of streams) stream.push(event);
        // The log of a resumed session has the ends of its earlier runs too.
        const isOwn = uri.includes(`/${stringAt(event, "session")}/`);
        if (isOwn && stringAt(event, "kind") === "SessionEnded") endAll(streams);
      }
      inner?.(message, extra);
    };
    this.#library.onclose = () => this.#endAll();
  }
}

/** Ends streams that get no more events; reading the same resource again needs a new subscription. */
function endAll(streams: Set<EventStream>): void {
  for (const stream of streams) stream.end();
  streams.clear();
}

/** Returns a resource's URI in a form that URI libraries can parse. */
function uriOf(path: string): string {
  return `${RESOURCE_URI_SCHEME.replace("/", "-")}://${path}`;
}

/** The tools of [A] § MCP-server surface, by the command that each stands for. */
const TOOLS: Readonly<Record<string, string>> = {
  CreateSession: "harness.create_session",
  AttachSession: "harness.attach_session",
  DetachSession: "harness.detach_session",
  SendInput: "harness.run_agent_with_shell_access",
  CancelTurn: "harness.cancel_turn",
  AnswerPermission: "harness.answer_permission",
  SetModel: "harness.set_model",
  EnterPlanMode: "harness.enter_plan_mode",
  ExitPlanMode: "harness.exit_plan_mode",
  EndSession: "harness.end_session",
};

function promptOf(content: unknown): string {
  return (Array.isArray(content) ? content : []).map((block) => stringAt(block, "text") ?? "").join("");
}

function textOf(result: unknown): string {
  const [first] = arrayAt(result, "content");
  return stringAt(first, "text") ?? "";
}

/** Reads a JSON-RPC error as a refusal, whose reason is in its data. */
function refusalIn(thrown: unknown) {
  const isRpc = isObject(thrown) && typeof thrown["code"] === "number";
  if (!(thrown instanceof Error) || !isRpc) return undefined;
  const data = objectAt(thrown, "data");
  return refusedAnswer({ message: thrown.message, ...data });
}

function refusalOr(thrown: unknown): CommandAnswer {
  const refused = refusalIn(thrown);
  if (refused === undefined) throw thrown;
  return refused;
}

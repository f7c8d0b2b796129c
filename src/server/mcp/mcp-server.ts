import type { ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, Server } from "@modelcontextprotocol/server";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { stringAt } from "../../base/json.ts";
import { plain } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { answerHandshake } from "../../session/access/handshake.ts";
import type { AgentClient, Introduction } from "./agent-client.ts";
import { BANNER, OWN_KEY, SERVER_NAME } from "./mcp-names.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import {
  INVALID_PARAMS,
  isInvalidParams,
  logFailure,
  RpcRefusal,
  rpcRefusal,
  toolRefusal,
} from "./refusals.ts";
import type { ResourceSubscriptions, SendUpdate } from "./resource-subscriptions.ts";
import { listResources, readResource, TEMPLATES } from "./resources.ts";
import { callMcpTool, listTools } from "./tools.ts";

/** Characters of a wrong name that its refusal shows. */
const TOOL_NAME_CHARS_MAX = 100;

export interface McpServerDependencies {
  readonly world: Pick<World, "clock" | "log">;
  readonly client: AgentClient;
  /** The version of this program. */
  readonly version: string;
  /** "legacy": the revisions up to 2025-11-25, which begin with `initialize`; "modern": those after. */
  readonly era: "legacy" | "modern";
  /** Feature that this transport adds to the handshake. */
  readonly feature: string;
  /** Subscriptions of a client of the legacy era; the modern era has its own way, outside of this. */
  readonly following?: ResourceSubscriptions;
  /** Sends an update once there is room for it. */
  readonly send?: SendUpdate;
}

/**
 * Returns the server of every MCP transport: tools, resources and prompts of one client of the engine (CTL-08, CTL-09).
 */
export function mcpServer(parts: McpServerDependencies): Server {
  const { client, version, feature } = parts;
  const { served } = client.engine;
  const features = [...new Set([...served.features, feature])];
  const handshake = answerHandshake(PROTOCOL_VERSION, { ...served, features });
  const server = new Server(
    { name: SERVER_NAME, title: "cinch, an agent harness", version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        experimental: { [OWN_KEY]: { ...handshake, query_kinds: handshake.query_kinds ?? [] } },
      },
      instructions: BANNER,
    },
  );
  const requests = new McpRequests(server, parts);
  serveTools(requests);
  serveResources(requests);
  servePrompts(requests);
  serveSubscriptions(requests);
  return server;
}

/** Requests of one client to its server. Each introduces the client before it is answered. */
class McpRequests {
  readonly server: Server;
  readonly parts: McpServerDependencies;

  constructor(server: Server, parts: McpServerDependencies) {
    this.server = server;
    this.parts = parts;
  }

  /** @throws HarnessError HandshakeRequired. */
  introduce({ mcpReq }: ServerContext): void {
    const { era, client } = this.parts;
    const introduction = era === "legacy" ? initialized(this.server) : enveloped(mcpReq.envelope);
    if (introduction === undefined) throw new HarnessError("HandshakeRequired", {});
    client.introduce(introduction);
  }

  /** Answers a request that is no tool call: a refusal is JSON-RPC's error. */
  async answer<Result>(context: ServerContext, work: () => Promise<Result>, uri?: string): Promise<Result> {
    try {
      this.introduce(context);
      return await work();
    } catch (thrown) {
      logFailure(this.parts.world.log, thrown);
      throw rpcRefusal(thrown, uri);
    }
  }
}

/** Serves the tools. The refusal of a call is its result, so that the model sees it. */
function serveTools(requests: McpRequests): void {
  const { server } = requests;
  const { client, world } = requests.parts;
  server.setRequestHandler("tools/list", (_request, context) =>
    requests.answer(context, async () => ({ tools: listTools(client) })),
  );
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    try {
      requests.introduce(context);
      const { signal } = context.mcpReq;
      const progress = progressSender(context);
      const result = await callMcpTool(params.name, params.arguments, {
        client,
        clock: world.clock,
        signal,
        isTakenBack: () => signal.aborted && !isConnectionClosed(signal.reason),
        ...defined({ progress }),
      });
      if (result !== undefined) return result;
    } catch (thrown) {
      logFailure(world.log, thrown);
      if (isInvalidParams(thrown)) throw rpcRefusal(thrown);
      return toolRefusal(thrown);
    }
    const name = plain(params.name, TOOL_NAME_CHARS_MAX);
    throw new RpcRefusal(INVALID_PARAMS, `There is no tool '${name}'. tools/list lists the tools.`);
  });
}

/** Returns a function that reports the progress of a call; undefined if the client did not ask for it. */
function progressSender({ mcpReq }: ServerContext): ((message: string) => Promise<void>) | undefined {
  const { _meta, notify } = mcpReq;
  const token = _meta?.progressToken;
  if (token === undefined) return undefined;
  let progress = 0;
  return async (message) => {
    progress += 1;
    const params = { progressToken: token, progress, message };
    await notify({ method: "notifications/progress", params });
  };
}

function serveResources(requests: McpRequests): void {
  const { server } = requests;
  const { client } = requests.parts;
  server.setRequestHandler("resources/list", (_request, context) =>
    requests.answer(context, async () => ({ resources: await listResources(client, context.mcpReq.signal) })),
  );
  server.setRequestHandler("resources/templates/list", (_request, context) =>
    requests.answer(context, async () => ({ resourceTemplates: [...TEMPLATES] })),
  );
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    requests.answer(context, async () => await readResource(uri, client, context.mcpReq.signal), uri),
  );
}

function servePrompts(requests: McpRequests): void {
  const { server } = requests;
  const { client } = requests.parts;
  server.setRequestHandler("prompts/list", (_request, context) =>
    requests.answer(context, async () => ({ prompts: await listPrompts(client, context.mcpReq.signal) })),
  );
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    requests.answer(context, async () => await getPrompt(params.name, client, context.mcpReq.signal)),
  );
}

/** Serves subscriptions to resources, in the legacy era only: the modern era has its own way, outside of this. */
function serveSubscriptions(requests: McpRequests): void {
  const { server } = requests;
  const { era, following, send } = requests.parts;
  if (era !== "legacy" || following === undefined || send === undefined) return;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }, context) =>
    requests.answer(
      context,
      async () => {
        const followed = await following.start(uri, [uri], send);
        followed.begin();
        return {};
      },
      uri,
    ),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }, context) =>
    requests.answer(context, async () => {
      following.stop(uri);
      return {};
    }),
  );
}

/** Returns the client that `initialize` introduced; undefined before it. */
function initialized(server: Server): Introduction | undefined {
  const info = server.getClientVersion();
  return info === undefined ? undefined : { name: info.name, capabilities: server.getClientCapabilities() };
}

/** Returns the client that this very request names: the modern era has no first message. */
function enveloped(envelope: Readonly<Record<string, unknown>> | undefined): Introduction {
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  return {
    name: stringAt(envelope?.[CLIENT_INFO_META_KEY], "name"),
    ...(typeof capabilities === "object" && capabilities !== null ? { capabilities } : {}),
  };
}

function isConnectionClosed(reason: unknown): boolean {
  return stringAt(reason, "code") === "CONNECTION_CLOSED";
}

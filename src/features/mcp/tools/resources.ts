import { whileAlive } from "../../../base/async/deadline.ts";
import { messageOf } from "../../../base/errors.ts";
import { stringAt } from "../../../base/json.ts";
import { hintFor } from "../../../base/text/near.ts";
import { shortened } from "../../../base/text/text.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { SharedServer } from "../server/shared-server.ts";
import { LIST_RESOURCES_FACTS, READ_RESOURCE_FACTS } from "../tools.ts";
import { convertResource } from "./results.ts";

/** Listed resources and templates of one server. The rest is counted. */
const LISTED_MAX = 200;
const PARTS_MAX = 256;
const LINE_CHARACTERS_MAX = 400;
const URI_CHARACTERS_MAX = 2_000;
/** Disables the library's own timer, which the injected clock cannot move. The signal ends a request. */
const NEVER_MS = 2_147_483_647;

/** A server, as far as its resources need it. */
export type ResourceServer = Pick<SharedServer, "connected"> & {
  readonly spec: Pick<SharedServer["spec"], "name">;
};

/**
 * Returns the tools with which the model lists and reads the resources of servers (MCP-06). They are rarely used, so
 * ToolSearch finds them.
 *
 * Names and contents of resources are untrusted and fenced like any tool's result. Both tools are asked for, because
 * they contact a server. Listing needs only the level ReadOnly. Reading needs more, because the model chooses the
 * address and sends it to the server, like the arguments of a call.
 */
export function resourceTools(servers: () => readonly ResourceServer[]): readonly Tool[] {
  return [listTool(servers), readTool(servers)] as readonly Tool[];
}

interface ListPlan extends CallPlan {
  readonly server: string | undefined;
}

function listTool(servers: () => readonly ResourceServer[]): Tool<ListPlan> {
  return {
    ...LIST_RESOURCES_FACTS,
    description:
      "Lists the resources that the MCP servers of this session offer: documents, records, files. Read one with ReadMcpResource.",
    inputSchema: {
      type: "object",
      properties: { server: { type: "string", description: "Only of this server." } },
    },
    lazy: true,
    plan(input) {
      const { name } = LIST_RESOURCES_FACTS;
      const server = stringAt(input, "server");
      const summary = server === undefined ? name : `${name}:${server}`;
      return Promise.resolve({ summary, target: { kind: "none" }, server });
    },
    async run({ server }, context) {
      const chosen = server === undefined ? servers() : [findServer(server, servers())];
      if (chosen.length === 0) throw new ToolFailure("This session has no MCP servers.");
      const parts = await Promise.all(chosen.map((each) => listResources(each, context)));
      return textOutput(parts.join("\n\n"));
    },
  };
}

/** Lists the resources of one server, or says why they are unknown. A failing server does not affect the others. */
async function listResources(server: ResourceServer, { signal }: ToolContext): Promise<string> {
  const { name } = server.spec;
  try {
    const { client } = await server.connected(signal);
    if (client.getServerCapabilities()?.resources === undefined) return `${name} offers no resources.`;
    // Always asks again: the server may have announced a change.
    const options = { signal, timeout: NEVER_MS, cacheMode: "refresh" } as const;
    const { resources } = await whileAlive(client.listResources(undefined, options), signal);
    const templates = await whileAlive(
      client.listResourceTemplates(undefined, options).then((all) => all.resourceTemplates),
      signal,
    );
    const lines = [
      ...resources.map((each) => line(each.uri, each)),
      ...templates.map((each) => line(`${each.uriTemplate} (fill in what is in braces)`, each)),
    ];
    const more = lines.length > LISTED_MAX ? [`(${lines.length - LISTED_MAX} more)`] : [];
    return [`${name}:`, ...lines.slice(0, LISTED_MAX), ...more].join("\n");
  } catch (thrown) {
    signal.throwIfAborted();
    return `${name} cannot be asked: ${shortened(visibleLine(messageOf(thrown)), LINE_CHARACTERS_MAX)}`;
  }
}

function line(
  uri: string,
  {
    name,
    title = name,
    description,
    mimeType,
  }: {
    readonly name: string;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly mimeType?: string | undefined;
  },
): string {
  const facts = [title, mimeType, description].filter((each) => each !== undefined && each !== "").join(", ");
  return shortened(`- ${visibleLine(uri)}: ${visibleLine(facts)}`, LINE_CHARACTERS_MAX);
}

interface ReadPlan extends CallPlan {
  readonly server: string;
  readonly uri: string;
}

function readTool(servers: () => readonly ResourceServer[]): Tool<ReadPlan> {
  return {
    ...READ_RESOURCE_FACTS,
    description:
      "Reads one resource of an MCP server of this session, by its address (see ListMcpResources).",
    inputSchema: {
      type: "object",
      properties: {
        server: { type: "string", description: "The server that has it." },
        uri: { type: "string", description: "The address of the resource." },
      },
      required: ["server", "uri"],
    },
    lazy: true,
    plan(input) {
      const [server, uri] = [stringAt(input, "server") ?? "", stringAt(input, "uri") ?? ""];
      findServer(server, servers());
      if (uri.length > URI_CHARACTERS_MAX)
        throw new ToolFailure(`An address has at most ${URI_CHARACTERS_MAX} characters.`);
      const summary = `${READ_RESOURCE_FACTS.name}:${server}:${visibleLine(uri)}`;
      return Promise.resolve({ summary, target: { kind: "none" }, server, uri });
    },
    async run({ server, uri }, { signal }) {
      const found = findServer(server, servers());
      try {
        const { client } = await found.connected(signal);
        const options = { signal, timeout: NEVER_MS, cacheMode: "bypass" } as const;
        const { contents } = await whileAlive(client.readResource({ uri }, options), signal);
        if (contents.length === 0) return textOutput("(the resource is empty)");
        return { content: contents.slice(0, PARTS_MAX).map(convertResource) };
      } catch (thrown) {
        signal.throwIfAborted();
        throw new ToolFailure(
          `${server}: ${shortened(visibleLine(messageOf(thrown)), LINE_CHARACTERS_MAX)}`,
          {
            cause: thrown,
          },
        );
      }
    },
  };
}

/** @throws ToolFailure that names the session's servers. */
function findServer(name: string, servers: readonly ResourceServer[]): ResourceServer {
  const found = servers.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  const names = servers.map(({ spec }) => spec.name);
  throw new ToolFailure(
    `There is no MCP server ${JSON.stringify(name.slice(0, 80))} in this session. ${hintFor(name, names)}`,
  );
}

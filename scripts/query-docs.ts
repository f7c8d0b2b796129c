import * as z from "zod";
import type { JsonObject } from "../src/base/json.ts";
import { QUERY_KINDS } from "../src/protocol/kinds.ts";
import { queryDefinition } from "../src/protocol/queries/queries.ts";
import * as resources from "../src/protocol/resources.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { QueryType } from "./sdk-types.ts";

/** The JSON Schemas of every query: its fields and its answer, by kind. */
export function queriesSchema(): JsonObject {
  const of = (schema: z.ZodType) => {
    const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return rest;
  };
  const queries = QUERY_KINDS.map((kind) => {
    const { params, result } = queryDefinition(kind);
    return [kind, { params: of(params), result: of(result) }];
  });
  return { title: "Queries", "x-protocol-version": PROTOCOL_VERSION, queries: Object.fromEntries(queries) };
}

/** The queries for the types of the SDKs: an answer that is a resource has the name of that resource. */
export function queryTypes(schemas: Readonly<Record<string, unknown>>): readonly QueryType[] {
  return QUERY_KINDS.map((kind) => {
    const { rest, result } = queryDefinition(kind);
    const resource = Object.entries(resources).find(([, schema]) => schema === result)?.[0];
    const { fields: _fields, ...route } = rest;
    const named = resource ?? `${kind}Result`;
    if (!(named in schemas)) throw new Error(`the OpenAPI document has no schema ${named}`);
    return { kind, params: `${kind}Query`, result: named, route: { ...route } };
  });
}

const READS = {
  public: "anyone, without a token",
  engine: "any token",
  sessions: "any token, of its sessions",
  session: "a token of the session",
  user: "a token of every session",
} as const;

/** The table of queries for the documentation. */
export function queriesText(): string {
  const rows = QUERY_KINDS.map((kind) => {
    const { about, reads, who, rest, mcp } = queryDefinition(kind);
    const paths = [rest.path, ...(rest.ofSession === undefined ? [] : [rest.ofSession])];
    const addresses = paths.map((path) => `\`${rest.method ?? "GET"} ${path}\``).join(", ");
    const asker = `${READS[reads]}${who === "person" ? "; people only" : ""}`;
    const resource = mcp === undefined ? "" : `\`${mcp.uri}\``;
    return `| \`${kind}\` | ${about.replaceAll("|", "\\|")} | ${asker} | ${addresses} | ${resource} |`;
  });
  return [
    "# Queries",
    "",
    "A query asks an engine for something and changes nothing; what changes something is a command. Each is asked over REST at",
    'its address, over a WebSocket as `{"frame": "query", "id": 1, "body": {"kind": …}}`, which `{"frame": "result"}` answers,',
    "in-process and in the SDKs as `query`, and over MCP as a resource where it has an address there. The fields and answers are",
    "in [queries.schema.json](queries.schema.json).",
    "",
    "| query | what it answers | who may ask | REST | MCP resource |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

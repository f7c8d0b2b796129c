import * as z from "zod";
import type { JsonObject } from "../src/base/json.ts";
import type { QueryKind } from "../src/protocol/kinds.ts";
import { QUERY_KINDS } from "../src/protocol/kinds.ts";
import { queryDefinition } from "../src/protocol/queries/queries.ts";
import * as resources from "../src/protocol/resources.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { Meaning } from "../src/server/rest/described.ts";
import { describeSchema } from "../src/server/rest/described.ts";
import { querySections, referredSections } from "./protocol-pages.ts";
import type { QueryType } from "./sdk-types.ts";

/** The JSON Schemas of every query: its fields and its answer, by kind. */
export function queriesSchema(meaning: ReadonlyMap<string, Meaning>): JsonObject {
  const of = (schema: z.ZodType, described: Meaning = {}) => {
    const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return describeSchema(rest, described);
  };
  const queries = QUERY_KINDS.map((kind) => {
    const { params, result } = queryDefinition(kind);
    const described = (part: string) => meaning.get(`${kind}${part}`);
    return [kind, { params: of(params, described("Query")), result: of(result, described("Result")) }];
  });
  return { title: "Queries", "x-protocol-version": PROTOCOL_VERSION, queries: Object.fromEntries(queries) };
}

/** The queries for the types of the SDKs: an answer that is a resource has the name of that resource. */
export function queryTypes(schemas: Readonly<Record<string, unknown>>): readonly QueryType[] {
  return QUERY_KINDS.map((kind) => {
    const { fields: _fields, ...route } = queryDefinition(kind).rest;
    const named = resultName(kind);
    if (!(named in schemas)) throw new Error(`the OpenAPI document has no schema ${named}`);
    return { kind, params: `${kind}Query`, result: named, route: { ...route } };
  });
}

function resultName(kind: QueryKind): string {
  const { result } = queryDefinition(kind);
  return Object.entries(resources).find(([, schema]) => schema === result)?.[0] ?? `${kind}Result`;
}

const READS = {
  public: "anyone, without a token",
  engine: "any token",
  sessions: "any token, of its sessions",
  session: "a token of the session",
  user: "a token of every session",
} as const;

/** The page of queries: a table, then the fields and the answer of each. */
export function queriesText(all: JsonObject): string {
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
    "in-process and in the SDKs as `query`, and over MCP as a resource where it has an address there. Fields marked with `?` may",
    "be left out. Unknown parameters are ignored. The exact schemas are in [queries.schema.json](queries.schema.json).",
    "",
    "| query | what it answers | who may ask | REST | MCP resource |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...QUERY_KINDS.flatMap((kind) => [
      `## ${kind}`,
      "",
      queryDefinition(kind).about,
      "",
      ...querySections(kind, resultName(kind), all),
    ]),
    ...referredSections(QUERY_KINDS.map(resultName), all),
  ]
    .join("\n")
    .replace(/\n+$/, "\n");
}

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { SHIPPED_COMMANDS } from "../src/app/slash/slash-commands.ts";
import type { JsonObject, JsonSchema } from "../src/base/json.ts";
import { isObject, objectAt } from "../src/base/json.ts";
import { TEXTS } from "../src/base/reason-texts.ts";
import type { Reason } from "../src/base/reasons.ts";
import type { World } from "../src/base/world.ts";
import { Accepted, Command } from "../src/protocol/commands/commands.ts";
import { COMMAND_RESULTS } from "../src/protocol/commands/results.ts";
import { EnvelopeSchema } from "../src/protocol/events/envelope.ts";
import { NewsItem } from "../src/protocol/events/news.ts";
import { Handshake } from "../src/protocol/handshake.ts";
import { COMMAND_KINDS } from "../src/protocol/kinds.ts";
import { Message } from "../src/protocol/message.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { HttpRoute } from "../src/server/http/route.ts";
import { httpStatusOf } from "../src/server/http/statuses.ts";
import { minimalRoutes } from "../src/server/minimal/minimal.ts";
import type { Descriptions, Meaning } from "../src/server/rest/described.ts";
import { describeSchema, usedPart } from "../src/server/rest/described.ts";
import { openApiDocument } from "../src/server/rest/openapi.ts";
import { restRoutes } from "../src/server/rest/rest.ts";
import type { Authority } from "../src/session/access/authority.ts";
import type { EnginePort } from "../src/session/engine-port.ts";
import { commandLinePage } from "./command-line.ts";
import { configPages } from "./config-pages.ts";
import { commandRows, ownCommandsText } from "./own-commands.ts";
import { protocolMeaning } from "./protocol-meaning.ts";
import { commandsPage, eventsPage } from "./protocol-pages.ts";
import { queriesSchema, queriesText, queryTypes } from "./query-docs.ts";
import { questionTable } from "./question-docs.ts";
import type { WireTypes } from "./sdk-types.ts";
import { pythonTypes, typescriptTypes } from "./sdk-types.ts";
import { terminalActionRows, terminalSettingRows } from "./terminal-docs.ts";

type Meanings = ReadonlyMap<string, Meaning>;

const ROOT = resolve(import.meta.dir, "..");

/** The published form of the protocol: path below the root, and the text that must stand there. */
export function publishedFiles(): ReadonlyMap<string, string> {
  const meaning = protocolMeaning();
  const descriptions = usedDescriptions(meaning);
  const openApi = openApiDocument(publishedRoutes(), descriptions);
  const components = objectAt(objectAt(openApi, "components"), "schemas") ?? {};
  const types = wireTypes(openApi);
  return new Map([
    ["docs/protocol/commands.schema.json", schemaText("Command", Command, commandsMeaning(meaning))],
    ["docs/protocol/accepted.schema.json", schemaText("Accepted", Accepted, meaning.get("Accepted"))],
    ["docs/protocol/command-results.schema.json", jsonText(resultsSchema(meaning))],
    ["docs/protocol/events.schema.json", schemaText("Envelope", EnvelopeSchema, eventsMeaning(meaning))],
    ["docs/protocol/news.schema.json", schemaText("NewsItem", NewsItem, meaning.get("NewsItem"))],
    ["docs/protocol/handshake.schema.json", schemaText("Handshake", Handshake, meaning.get("Handshake"))],
    ["docs/protocol/message.schema.json", schemaText("Message", Message, meaning.get("Message"))],
    ["docs/protocol/reasons.json", jsonText(TEXTS)],
    ["docs/protocol/openapi.json", jsonText(openApi)],
    ["docs/protocol/errors.md", errorsText()],
    ["docs/command-line.md", commandLinePage()],
    ["docs/commands.md", withTable("docs/commands.md", commandRows(SHIPPED_COMMANDS))],
    ["docs/terminal.md", terminalPage()],
    ["docs/guide/first-session.md", withTable("docs/guide/first-session.md", questionTable())],
    ["docs/protocol/queries.md", queriesText(components)],
    ["docs/protocol/commands.md", commandsPage(components)],
    ["docs/protocol/events.md", eventsPage(components)],
    ["docs/protocol/queries.schema.json", jsonText(queriesSchema(meaning))],
    ["src/server/rest/descriptions.ts", descriptionsText(descriptions)],
    ["src/protocol/commands/own-commands.ts", ownCommandsText(SHIPPED_COMMANDS)],
    ...configPages(),
    ["sdk/typescript/src/protocol.ts", typescriptTypes(types)],
    ["sdk/python/src/cinch_client/protocol.py", pythonTypes(types)],
  ]);
}

/** Returns the page of the terminal client with its two tables. */
function terminalPage(): string {
  const path = "docs/terminal.md";
  return tableIn(withTable(path, terminalSettingRows()), path, terminalActionRows());
}

/** Returns a page in which the table with the head of the given one is replaced. */
function withTable(path: string, table: string): string {
  return tableIn(readFileSync(resolve(ROOT, path), "utf8"), path, table);
}

function tableIn(page: string, path: string, table: string): string {
  const [head = ""] = table.split("\n");
  const from = page.indexOf(`\n${head}\n`) + 1;
  if (from === 0) throw new Error(`${path} has no table that begins with ${head}`);
  const to = page.indexOf("\n\n", from) + 1;
  return page.slice(0, from) + table + page.slice(to);
}

/** JSON Schema, draft 2020-12, of what a reader must accept: fields it does not know are allowed and ignored. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function schemaText(title: string, schema: z.ZodType, meaning: Meaning = {}): string {
  const { $schema, ...described } = describeSchema(schemaOf(schema), meaning);
  return jsonText({ title, "x-protocol-version": PROTOCOL_VERSION, $schema, ...described });
}

function commandsMeaning(meaning: Meanings): Meaning {
  const options = COMMAND_KINDS.map((kind) => meaning.get(`${kind}Command`) ?? {});
  return { ...meaning.get("Command"), options };
}

function eventsMeaning(meaning: Meanings): Meaning {
  const kinds = EnvelopeSchema.options.map((option) => option.shape.kind.value);
  return { ...meaning.get("Envelope"), options: kinds.map((kind) => meaning.get(`${kind}Event`) ?? {}) };
}

/** Returns the descriptions that the OpenAPI document has places for: the engine serves it with them. */
function usedDescriptions(meaning: Meanings): Descriptions {
  const bare = objectAt(objectAt(openApiDocument(publishedRoutes(), {}), "components"), "schemas") ?? {};
  const used = Object.entries(bare).flatMap(([name, schema]) => {
    const part = usedPart(schema, meaning.get(name) ?? {});
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(used);
}

function descriptionsText(descriptions: Descriptions): string {
  return [
    "// Made from the doc comments in src/protocol by `npm run generate`. Changes here are lost.",
    'import type { Descriptions } from "./described.ts";',
    "",
    `export const DESCRIPTIONS: Descriptions = ${JSON.stringify(descriptions, null, 1)};`,
    "",
  ].join("\n");
}

/** The `result` of the answer to each command that has one. */
function resultsSchema(meaning: Meanings): object {
  const results = Object.entries(COMMAND_RESULTS).map(([kind, schema]) => {
    const { $schema: _schema, ...rest } = schemaOf(schema);
    return [kind, describeSchema(rest, meaning.get(`${kind}Result`) ?? {})] as const;
  });
  return {
    title: "CommandResults",
    "x-protocol-version": PROTOCOL_VERSION,
    results: Object.fromEntries(results),
  };
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The routes that an engine serves over HTTP, as they describe themselves: none of them is called here. */
function publishedRoutes(): readonly HttpRoute[] {
  const world = {} as Pick<World, "clock">;
  const session = () => {
    throw new Error("no route is called here");
  };
  const engine = {} as EnginePort;
  const others = minimalRoutes({ world, engine, session });
  return restRoutes({ engine, authority: {} as Authority, world, others });
}

function wireTypes(openApi: JsonObject): WireTypes {
  const found = objectAt(objectAt(openApi, "components"), "schemas") ?? {};
  const schemas = Object.entries(found).map(
    ([name, schema]) => [name, isObject(schema) ? schema : {}] as const,
  );
  return {
    version: PROTOCOL_VERSION,
    schemas: Object.fromEntries(schemas),
    reasons: Object.keys(TEXTS),
    results: Object.keys(COMMAND_RESULTS),
    queries: queryTypes(Object.fromEntries(schemas)),
  };
}

/** Every reason with its HTTP status, the statuses in order. */
function errorsText(): string {
  const reasons = Object.keys(TEXTS) as Reason[];
  const rows = reasons
    .map((reason) => ({ status: httpStatusOf(reason), reason }))
    .sort((a, b) => a.status - b.status || (a.reason < b.reason ? -1 : 1))
    .map(({ status, reason }) => `| ${status} | \`${reason}\` | ${cell(TEXTS[reason])} |`);
  return [
    "# Refusals",
    "",
    'Every refusal is `{"reason", "message", "details"}`: the reason is for programs, the message for people, the',
    "details are what the message was filled with. Over HTTP it comes with a status. What never answers a request by itself",
    "stands under 500; some of these are notices, such as `ProviderSilent`, which end nothing. A body of more than 64 MiB, headers of more than 16 KB and bytes that are no HTTP are refused by the",
    "runtime, with 413, 431 and 400 and no body.",
    "",
    "| status | reason | message |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Escapes markup in a table cell. */
function cell(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|").replaceAll("<", "\\<");
}

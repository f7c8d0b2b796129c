import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { isObject, stringAt } from "../../base/json.ts";
import type { Reason } from "../../base/reasons.ts";
import { Accepted, Command } from "../../protocol/commands/commands.ts";
import { COMMAND_RESULTS } from "../../protocol/commands/results.ts";
import { AttachmentInfo } from "../../protocol/content.ts";
import { EnvelopeSchema } from "../../protocol/events/envelope.ts";
import { NewsItem } from "../../protocol/events/news.ts";
import { Handshake } from "../../protocol/handshake.ts";
import { QUERY_KINDS } from "../../protocol/kinds.ts";
import { queryDefinition } from "../../protocol/queries/queries.ts";
import * as resources from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute, RouteDoc } from "../http/route.ts";
import { httpStatusOf } from "../http/statuses.ts";
import type { Descriptions } from "./described.ts";
import { describeSchema } from "./described.ts";

/** Returns the route that serves the document of a whole table, itself included. */
export function openApiRoute(routes: () => readonly HttpRoute[]): HttpRoute {
  let document: JsonObject | undefined;
  return {
    method: "GET",
    path: "/v1/openapi.json",
    access: "token",
    doc: { summary: "This document.", answers: { 200: { about: "OpenAPI 3.1", schema: z.unknown() } } },
    async handle() {
      document ??= openApiDocument(routes(), (await import("./descriptions.ts")).DESCRIPTIONS);
      return jsonAnswer(200, document);
    },
  };
}

/** Returns the OpenAPI 3.1 document of a table of routes: it has no others (CTL-06). */
export function openApiDocument(routes: readonly HttpRoute[], descriptions: Descriptions): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.doc === undefined) continue;
    const methods = paths[route.path] ?? {};
    methods[route.method.toLowerCase()] = operation(route, route.doc);
    paths[route.path] = methods;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "cinch control plane",
      version: PROTOCOL_VERSION,
      description:
        "One engine, any client. Every refusal has a reason for programs and a message for people; errors.md lists them with " +
        "their statuses. Fields that are not known are ignored, in both directions.",
    },
    paths,
    components: {
      schemas: components(descriptions),
      parameters: HEADERS,
      securitySchemes: {
        token: { type: "apiKey", in: "header", name: "X-Harness-Token" },
        bearer: { type: "http", scheme: "bearer" },
      },
    },
  };
}

const HEADERS: JsonObject = {
  Client: {
    name: "X-Harness-Client",
    in: "header",
    required: false,
    description: "The client that this request acts as; absent: the token's own.",
    schema: { type: "string" },
  },
  Version: {
    name: "X-Harness-Version",
    in: "header",
    required: false,
    description: "The protocol version of the client: makes its handshake with this very request.",
    schema: { type: "string" },
  },
};

function operation(route: HttpRoute, doc: RouteDoc): JsonObject {
  const { params = {}, query = {}, body, answers, bytesBody, summary, refusals = [] } = doc;
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const security = [route.carrier === "bearer" ? { bearer: [] } : { token: [] }];
  return {
    operationId: operationId(route),
    summary,
    security: route.access === "token" ? security : [{}, ...security],
    parameters: [
      ...names.map((name) => ({
        name,
        in: "path",
        required: true,
        schema: schemaOf(params[name] ?? z.string()),
      })),
      ...Object.entries(query).map(([name, { about, schema }]) => ({
        name,
        in: "query",
        required: false,
        description: about,
        schema: schemaOf(schema),
      })),
      { $ref: "#/components/parameters/Client" },
      { $ref: "#/components/parameters/Version" },
    ],
    ...(bytesBody === true
      ? { requestBody: { required: true, content: { "application/octet-stream": { schema: {} } } } }
      : body === undefined
        ? {}
        : { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } } }),
    responses: { ...answered(answers), ...refused([...refusals, ...sharedRefusals(route)]) },
  };
}

function answered(answers: RouteDoc["answers"]): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { about, schema, type = "application/json" }]) => [
      status,
      {
        description: about,
        ...(schema === undefined ? {} : { content: { [type]: { schema: schemaOf(schema) } } }),
      },
    ]),
  );
}

function refused(reasons: readonly Reason[]): JsonObject {
  const byStatus = Map.groupBy([...new Set(reasons)].sort(), httpStatusOf);
  const error = { content: { "application/json": { schema: { $ref: `${COMPONENTS}ErrorBody` } } } };
  return Object.fromEntries(
    [...byStatus].map(([status, each]) => [`${status}`, { description: each.join(", "), ...error }]),
  );
}

/** Returns the refusals that any request can get. */
function sharedRefusals({ access, method }: HttpRoute): readonly Reason[] {
  return [
    "InvalidHost",
    "InvalidOrigin",
    "InvalidPath",
    "InternalError",
    "EngineStopping",
    ...(access === "public" ? [] : (["TokenMissing"] as const)),
    "TokenInvalid",
    "TokenExpired",
    "TokenRevoked",
    "TokenNotHere",
    ...(method === "POST" ? (["UnsupportedMediaType", "BodyTooLarge", "BodyTooSlow"] as const) : []),
  ];
}

function operationId({ method, path }: HttpRoute): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "v1");
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    "",
  );
}

const COMPONENTS = "#/components/schemas/";

/** Schemas with a name: others refer to them. */
const NAMED: ReadonlyMap<z.ZodType, string> = named();

function named(): ReadonlyMap<z.ZodType, string> {
  const all = new Map<z.ZodType, string>([
    [Command, "Command"],
    [Accepted, "Accepted"],
    [AttachmentInfo, "AttachmentInfo"],
    [EnvelopeSchema, "Envelope"],
    [NewsItem, "NewsItem"],
    [Handshake, "Handshake"],
  ]);
  for (const [name, schema] of Object.entries(resources)) all.set(schema, name);
  for (const kind of QUERY_KINDS) {
    const { params, result } = queryDefinition(kind);
    all.set(params, `${kind}Query`);
    if (!all.has(result)) all.set(result, `${kind}Result`);
  }
  for (const [kind, result] of Object.entries(COMMAND_RESULTS)) all.set(result, `${kind}Result`);
  for (const option of Command.options) all.set(option, `${option.shape.kind.value}Command`);
  for (const option of EnvelopeSchema.options) all.set(option, `${option.shape.kind.value}Event`);
  for (const option of NewsItem.options) all.set(option, `${option.shape.kind.value}News`);
  return all;
}

function components(descriptions: Descriptions): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of NAMED) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `${COMPONENTS}${id}`,
    io: "input",
    unrepresentable: "any",
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { $schema: _schema, $id: _id, ...rest } = schema as JsonObject;
      return [id, withDiscriminator(describeSchema(rest, descriptions[id] ?? {}), schemas)];
    }),
  );
}

/** Names the field that distinguishes the members of a union, which the generator of schemas leaves out. */
function withDiscriminator(schema: JsonObject, all: JsonObject): JsonObject {
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return schema;
  const mapping = oneOf.flatMap((each): [string, string][] => {
    const ref = stringAt(each, "$ref");
    const kind = ref === undefined ? undefined : constOf(all[ref.slice(COMPONENTS.length)]);
    return ref === undefined || kind === undefined ? [] : [[kind, ref]];
  });
  if (mapping.length !== oneOf.length) return schema;
  return { ...schema, discriminator: { propertyName: "kind", mapping: Object.fromEntries(mapping) } };
}

function constOf(schema: unknown): string | undefined {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return stringAt(isObject(properties) ? properties["kind"] : undefined, "const");
}

/** Returns a schema in its place: by its name if it has one, members of lists and objects too. */
function schemaOf(schema: z.ZodType): JsonObject {
  const name = NAMED.get(schema);
  if (name !== undefined) return { $ref: `${COMPONENTS}${name}` };
  if (schema instanceof z.ZodArray) return { type: "array", items: schemaOf(schema.element as z.ZodType) };
  if (schema instanceof z.ZodObject && Object.values(schema.shape).some(holdsNamed)) {
    const entries = Object.entries(schema.shape).map(([key, value]) => [key, schemaOf(value as z.ZodType)]);
    return { type: "object", properties: Object.fromEntries(entries), required: Object.keys(schema.shape) };
  }
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

/** Returns true if a member refers to a named schema: objects like that hold required fields alone. */
function holdsNamed(schema: unknown): boolean {
  if (!(schema instanceof z.ZodType)) return false;
  return NAMED.has(schema) || (schema instanceof z.ZodArray && NAMED.has(schema.element as z.ZodType));
}

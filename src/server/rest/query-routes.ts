import * as z from "zod";
import { HarnessError } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import { reasonsOfQuery } from "../../base/reasons.ts";
import { firstIssue } from "../../protocol/first-issue.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import { QUERY_KINDS } from "../../protocol/kinds.ts";
import type { Query } from "../../protocol/queries/queries.ts";
import { queryDefinition } from "../../protocol/queries/queries.ts";
import type { QueryDefinition, QueryScope } from "../../protocol/queries/query.ts";
import { pathFields } from "../../protocol/queries/rest-request.ts";
import type { QueryContext } from "../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute, QueryDoc, RouteDoc, RouteRequest } from "../http/route.ts";
import { sessionIdIn } from "../hub/follow-request.ts";
import { grantOfCall, objectOf, singleParameter } from "./parameters.ts";

/** Returns a route for each query, at its address in the table of queries (CTL-06, CTL-15). */
export function queryRoutes(engine: EnginePort): readonly HttpRoute[] {
  return QUERY_KINDS.flatMap((kind) => {
    const { path, ofSession } = queryDefinition(kind).rest;
    const addresses = ofSession === undefined ? [path] : [path, ofSession];
    return addresses.map((address) => queryRoute(engine, kind, address));
  });
}

function queryRoute(engine: EnginePort, kind: QueryKind, path: string): HttpRoute {
  const definition = queryDefinition(kind);
  const { rest, reads } = definition;
  return {
    method: rest.method ?? "GET",
    path,
    access: reads === "public" ? "public" : "token",
    doc: docOf(kind, path, definition),
    async handle(call) {
      const fields = {
        ...(await sentFields(call, path, definition)),
        ...fieldsInPath(call, path, definition),
      };
      const parsed = definition.params.safeParse(fields);
      if (!parsed.success) {
        const why = firstIssue(parsed.error);
        throw rest.method === "POST"
          ? new HarnessError("InvalidBody", { why })
          : new HarnessError("InvalidPath", { why });
      }
      const query = { ...parsed.data, kind } as Query; // the schema is that of the kind
      const answer = await engine.query(query, askingOf(call, reads));
      return jsonAnswer(isStarting(kind, answer) ? 503 : 200, answer);
    },
  };
}

function askingOf(call: RouteRequest, reads: QueryScope): QueryContext {
  const { signal, grant } = call;
  if (reads === "public" && grant === undefined)
    return { identityClass: "agent", scope: { sessions: [], commands: [] }, signal };
  const { identityClass, scope } = grantOfCall(call);
  return { identityClass, scope, signal };
}

function fieldsInPath(
  call: RouteRequest,
  path: string,
  { rest, params }: QueryDefinition,
): Record<string, unknown> {
  const values = pathFields(path, rest).map(({ name, field }) => {
    const text = call.params[name] ?? "";
    if (field === "sessionId") return [field, sessionIdIn(text)];
    return [field, parseValue(text, field, required(params.shape[field] as z.ZodType))];
  });
  return Object.fromEntries(values);
}

/** Returns the fields of the body, or of the query string. */
async function sentFields(
  call: RouteRequest,
  path: string,
  definition: QueryDefinition,
): Promise<Readonly<Record<string, unknown>>> {
  if (definition.rest.method === "POST") return await objectOf(call);
  const values = parametersOf(path, definition).flatMap(([field, schema]) => {
    const text = valueIn(call.query, field, schema);
    return text === undefined ? [] : [[field, text]];
  });
  return Object.fromEntries(values);
}

function valueIn(query: URLSearchParams, field: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodArray) return query.has(field) ? query.getAll(field) : undefined;
  const text = singleParameter(query, field);
  return text === undefined ? undefined : parseValue(text, field, schema);
}

/** @throws HarnessError InvalidPath for a value of the wrong kind. */
function parseValue(text: string, field: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodBoolean) {
    if (text === "true" || text === "false") return text === "true";
    throw new HarnessError("InvalidPath", { why: `${field}: it takes true or false` });
  }
  if (schema instanceof z.ZodNumber) {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new HarnessError("InvalidPath", { why: `${field}: it takes a whole number` });
  }
  return text;
}

/** Returns the fields that are no part of the path, each with its schema without optionality. */
function parametersOf(
  path: string,
  { params, rest }: QueryDefinition,
): readonly (readonly [string, z.ZodType])[] {
  const inPath = new Set(pathFields(path, rest).map(({ field }) => field));
  return Object.entries(params.shape)
    .filter(([field]) => !inPath.has(field))
    .map(([field, schema]) => [field, required(schema as z.ZodType)] as const);
}

function required(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}

function docOf(kind: QueryKind, path: string, definition: QueryDefinition): RouteDoc {
  const { about, params, rest, result, reads, refusals = [] } = definition;
  const inPath = pathFields(path, rest).map(({ name, field }) => [name, params.shape[field]] as const);
  const parameters = rest.method === "POST" ? [] : parametersOf(path, definition);
  const query = parameters.map(([field, schema]): [string, QueryDoc] => [
    field,
    {
      about: rest.fields?.[field] ?? FIELDS[field] ?? "",
      schema: schema instanceof z.ZodBoolean ? z.enum(["true", "false"]) : schema,
    },
  ]);
  const answer = { about: "The answer", schema: result };
  return {
    summary: about,
    params: Object.fromEntries(inPath.map(([name, schema]) => [name, required(schema as z.ZodType)])),
    query: Object.fromEntries(query),
    ...(rest.method === "POST" ? { body: params } : {}),
    answers: kind === "GetHealth" ? { 200: answer, 503: answer } : { 200: answer },
    refusals: [...new Set([...REFUSALS[reads](path), ...reasonsOfQuery(kind), ...refusals])],
  };
}

/** Descriptions of fields that several queries have. */
const FIELDS: Readonly<Record<string, string>> = {
  sessionId: "One session. Default: what every session has in common, and what the running ones add.",
};

const OF_SESSION: readonly Reason[] = ["InvalidSessionID", "Forbidden", "UnknownSession"];

/** Refusals by what a query reads and, if it names a session, by its address. */
const REFUSALS: Readonly<Record<QueryScope, (path: string) => readonly Reason[]>> = {
  public: () => [],
  engine: () => [],
  sessions: (path) => (path.includes("{id}") ? OF_SESSION : []),
  session: () => OF_SESSION,
  user: () => ["Forbidden"],
};

function isStarting(kind: QueryKind, answer: object): boolean {
  return kind === "GetHealth" && "status" in answer && answer.status === "starting";
}

import type { QueryKind } from "../kinds.ts";
import { queryDefinition } from "./queries.ts";
import type { RestAddress } from "./query.ts";

/** A query as a request of REST. */
export interface RestRequest {
  readonly method: "GET" | "POST";
  /** With its query string. */
  readonly path: string;
  /** The JSON body of a POST. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Returns the REST request of a query. */
export function buildRestRequest({ kind, ...fields }: { readonly kind: QueryKind }): RestRequest {
  const values: Readonly<Record<string, unknown>> = fields;
  const { rest } = queryDefinition(kind);
  const isOfSession = rest.ofSession !== undefined && values["sessionId"] !== undefined;
  const template = isOfSession ? (rest.ofSession ?? "") : rest.path;
  const inPath = new Set(pathFields(template, rest).map(({ field }) => field));
  const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(values[fieldOf(name, rest)])),
  );
  const remaining = Object.entries(values).filter(
    ([field, value]) => !inPath.has(field) && value !== undefined,
  );
  if (rest.method === "POST") return { method: "POST", path, body: Object.fromEntries(remaining) };
  const words = remaining.flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [field, String(each)]),
  );
  const query = new URLSearchParams(words).toString();
  return { method: "GET", path: query === "" ? path : `${path}?${query}` };
}

/** Returns the names in braces of a path, each with its field of the query. */
export function pathFields(
  template: string,
  rest: Pick<RestAddress, "name">,
): readonly { readonly name: string; readonly field: string }[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({ name, field: fieldOf(name, rest) }));
}

function fieldOf(name: string, rest: Pick<RestAddress, "name">): string {
  if (name === "id") return "sessionId";
  return name === "name" ? (rest.name ?? "name") : name;
}

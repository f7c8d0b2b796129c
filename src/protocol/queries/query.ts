import type * as z from "zod";
import type { Reason } from "../../base/reasons.ts";

/**
 * One query: what a client may ask of an engine without changing anything.
 *
 * Every transport, both SDKs, the OpenAPI document and the list of MCP resources are generated from it.
 */
export interface QueryDefinition<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
> {
  /** A sentence for the OpenAPI document and for MCP clients. */
  readonly about: string;
  /** The fields beside `kind`. Unknown fields are dropped. */
  readonly params: Params;
  readonly result: Result;
  readonly reads: QueryScope;
  /** Default: every client that `reads` allows. `person`: clients of class human only. */
  readonly who?: "person";
  readonly rest: RestAddress;
  /** Absent: it is no MCP resource. */
  readonly mcp?: McpResourceAddress;
  /** Refusals beside the common ones. */
  readonly refusals?: readonly Reason[];
}

/**
 * Scope that a token needs (AUTH-07).
 *
 * `public`: none, not even a token. `engine`: any token. `sessions`: any token; the answer contains its sessions
 * only, and a session that the query names must be one of them. `session`: the session that the query names. `user`:
 * every session.
 */
export type QueryScope = "public" | "engine" | "sessions" | "session" | "user";

export interface RestAddress {
  /** Default: GET, with the fields that are not in the path as query parameters. POST takes them in a JSON body. */
  readonly method?: "POST";
  /** `{id}` is `sessionId`, any other name a field of that name. */
  readonly path: string;
  /** A second address, for the query about one session. */
  readonly ofSession?: string;
  /** Field for `{name}` in the path. Default: `name`. */
  readonly name?: string;
  /** Descriptions of the query parameters, by field. */
  readonly fields?: Readonly<Record<string, string>>;
}

export interface McpResourceAddress {
  /** URI after the scheme: `session/{id}`. */
  readonly uri: string;
  readonly title: string;
  /** Default: `about` of the query. */
  readonly about?: string;
  /** The field of the result that the resource contains. Default: the whole result. */
  readonly field?: string;
  /** Default: JSON. With `field` a text. */
  readonly mimeType?: "text/markdown";
  /** Fields that an MCP client cannot choose. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** Keeps the literal types of one definition. */
export function defineQuery<Params extends z.ZodObject, Result extends z.ZodObject>(
  definition: QueryDefinition<Params, Result>,
): QueryDefinition<Params, Result> {
  return definition;
}

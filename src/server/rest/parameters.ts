import * as z from "zod";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { firstIssue } from "../../protocol/first-issue.ts";
import type { TokenGrant } from "../../session/access/authority.ts";
import type { RouteRequest } from "../http/route.ts";
import { eventSeqIn, sessionIdIn } from "../hub/follow-request.ts";

/** Reads the session in the address. @throws HarnessError InvalidSessionID. */
export function sessionOf({ params }: RouteRequest): SessionId {
  return sessionIdIn(params["id"] ?? "");
}

/** Returns the grant of a call that is never made without one. */
export function grantOfCall({ grant }: RouteRequest): TokenGrant {
  if (grant === undefined) throw new HarnessError("TokenMissing", {});
  return grant;
}

/**
 * Reads the last event that a reader has: Last-Event-ID, which comes with every new attempt, else `?since=`. Absent: it
 * wants only new events.
 * @throws HarnessError InvalidHeader, InvalidPath.
 */
export function sinceOf({ request, query }: RouteRequest): EventSeq | undefined {
  const header = request.headers.get("last-event-id");
  const why = "it takes the id of an event, a whole number";
  if (header !== null) {
    const seq = eventSeqIn(header);
    if (seq !== undefined) return seq;
    throw new HarnessError("InvalidHeader", { header: "Last-Event-ID", why });
  }
  const parameter = singleParameter(query, "since");
  if (parameter === undefined) return undefined;
  const seq = eventSeqIn(parameter);
  if (seq !== undefined) return seq;
  throw new HarnessError("InvalidPath", { why: `since: ${why}` });
}

/** @throws HarnessError InvalidPath for a word that is none of these. */
export function readWord<Word extends string>(
  { query }: RouteRequest,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = singleParameter(query, name);
  const found = words.find((each) => each === value);
  if (value === undefined || found !== undefined) return found;
  throw new HarnessError("InvalidPath", { why: `${name}: it takes ${words.join(" or ")}` });
}

/** @throws HarnessError InvalidPath for a parameter that stands there twice, which would be ambiguous. */
export function singleParameter(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name);
  if (second !== undefined) throw new HarnessError("InvalidPath", { why: `${name} is there twice` });
  return value;
}

/** Reads the body as an object. @throws HarnessError InvalidBody. */
export async function objectOf(call: RouteRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = await call.json();
  if (isObject(body)) return body;
  throw new HarnessError("InvalidBody", { why: "it has to be a JSON object" });
}

/** Reads the body by a schema; unknown fields are ignored. @throws HarnessError InvalidBody. */
export async function bodyOf<Schema extends z.ZodType>(
  call: RouteRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await objectOf(call));
  if (parsed.success) return parsed.data;
  throw new HarnessError("InvalidBody", { why: firstIssue(parsed.error) });
}

export const SinceSchema = z.int().min(0);

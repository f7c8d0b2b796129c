import { HarnessError } from "../../base/errors.ts";
import { isObject, stringAt } from "../../base/json.ts";
import { wellFormed } from "../../base/text/text.ts";
import { firstIssue } from "../first-issue.ts";
import type { QueryKind } from "../kinds.ts";
import { QUERY_KINDS } from "../kinds.ts";
import type { Query, ResultOf } from "./queries.ts";
import { queryDefinition } from "./queries.ts";

/** Longer than any kind. */
const KIND_CHARS_MAX = 64;

/**
 * Parses a query of untrusted bytes; unknown fields are dropped. @throws HarnessError InvalidQuery, naming the field.
 */
export function readQuery(value: unknown): Query {
  const receivedKind = stringAt(value, "kind");
  if (receivedKind === undefined || !isObject(value))
    throw invalid("(none)", "a query is a JSON object with a kind");
  const kind = QUERY_KINDS.find((known) => known === receivedKind);
  if (kind === undefined) {
    const shown = wellFormed(receivedKind.slice(0, KIND_CHARS_MAX));
    throw invalid(/^[\w:.()-]+$/.test(shown) ? shown : "(not a name)", "there is no query of this kind");
  }
  const parsed = queryDefinition(kind).params.safeParse(value);
  if (!parsed.success) throw invalid(kind, firstIssue(parsed.error));
  return { ...parsed.data, kind } as Query; // the schema is that of the kind
}

/**
 * Parses the answer to a query of untrusted bytes; unknown fields are dropped.
 * @throws HarnessError InvalidQuery, naming the field.
 */
export function readResult<Kind extends QueryKind>(kind: Kind, value: unknown): ResultOf<Kind> {
  const parsed = queryDefinition(kind).result.safeParse(value);
  if (!parsed.success) throw invalid(kind, `the engine's answer does not fit: ${firstIssue(parsed.error)}`);
  return parsed.data as ResultOf<Kind>; // the schema is that of the kind
}

function invalid(kind: string, why: string): HarnessError<"InvalidQuery"> {
  return new HarnessError("InvalidQuery", { kind, why });
}

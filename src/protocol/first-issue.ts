import type * as z from "zod";
import { shortened } from "../base/text/text.ts";

type Issue = z.core.$ZodIssue;

/** Longest list of allowed values in a text. */
const VALUES_CHARACTERS_MAX = 200;

/** Names the first field of a value that does not fit its schema, and why: `to: expected a string, found nothing`. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "it does not fit the schema";
  const field = issue.path.reduce<string>(
    (path, key) =>
      typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`,
    "",
  );
  const why = issueText(issue);
  return field === "" ? why : `${field}: ${why}`;
}

/** Messages of the library itself; other ones are those of a schema of cinch. */
const OF_LIBRARY = /^(?:Invalid|Too|Unrecognized)\b/;

function issueText(issue: Issue): string {
  if (!OF_LIBRARY.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type": {
      const found = / received (\w+)$/.exec(issue.message)?.[1];
      const expected = issue.expected === "int" ? "whole number" : issue.expected;
      const article = /^[aeio]/.test(expected) ? "an" : "a";
      return `expected ${article} ${expected}${found === undefined ? "" : `, found ${found === "undefined" ? "nothing" : found}`}`;
    }
    case "invalid_value": {
      const values = issue.values.map(String).join(", ");
      return `expected ${issue.values.length > 1 ? "one of " : ""}${shortened(values, VALUES_CHARACTERS_MAX)}`;
    }
    case "too_big":
      return beyond(issue.origin, "more than", `${issue.maximum}`);
    case "too_small":
      return issue.minimum === 1 && UNITS.has(issue.origin)
        ? "it is empty"
        : beyond(issue.origin, "less than", `${issue.minimum}`);
    case "unrecognized_keys":
      return `there is no field ${shortened(issue.keys.join(", "), VALUES_CHARACTERS_MAX)}`;
    default:
      return "it does not have one of the allowed forms";
  }
}

const UNITS: ReadonlyMap<string, string> = new Map([
  ["string", "characters"],
  ["array", "entries"],
]);

function beyond(origin: string, relation: "more than" | "less than", limit: string): string {
  const unit = UNITS.get(origin);
  return unit === undefined ? `it is ${relation} ${limit}` : `it has ${relation} ${limit} ${unit}`;
}

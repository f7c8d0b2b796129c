import type { JsonObject } from "../../base/json.ts";
import { stringAt } from "../../base/json.ts";

/** Statuses of error types and codes that replace a number, in errors of an answer with the status 200. */
const STATUS_OF_WORD: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  too_many_requests: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  // Z.AI uses numbers of its own
  "1000": 401,
  "1001": 401,
  "1002": 401,
  "1003": 401,
  "1301": 403,
  "1302": 429,
  "1303": 429,
  "1305": 429,
};

/** Returns the status that an error object names by its code, type or status; undefined if it names none. */
export function namedStatus(error: JsonObject): number | undefined {
  for (const key of ["code", "type", "status"]) {
    const word = stringAt(error, key) ?? "";
    if (isErrorStatus(Number(word))) return Number(word);
    if (Object.hasOwn(STATUS_OF_WORD, word)) return STATUS_OF_WORD[word];
  }
  return undefined;
}

/** Returns true for the status of a failed answer. */
export function isErrorStatus(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status < 600;
}

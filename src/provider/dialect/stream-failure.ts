import type { JsonObject } from "../../base/json.ts";
import { isObject, numberAt, objectAt, stringAt } from "../../base/json.ts";
import { ProviderError } from "../error.ts";
import { presentable } from "../http-error.ts";
import { readRefusal } from "../refusal.ts";
import type { DialectDress } from "./dialect.ts";

/** Statuses that an error names by its type or code instead of a number; these come in streams after a 200. */
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
  // Z.AI numbers its own
  "1000": 401,
  "1001": 401,
  "1002": 401,
  "1003": 401,
  "1301": 403,
  "1302": 429,
  "1303": 429,
  "1305": 429,
};

const POLICY_WORDS = new Set(["content_filter", "content_policy_violation", "cyber_policy", "1301"]);

/**
 * The failure that an error object inside a stream stands for, in any of the three dialects (PROV-02, PROV-03).
 *
 * Read in the same way as the body of a failed answer. What the caller has to mend is final; overload, rate limits
 * and everything unknown are transient, since the request itself had been accepted.
 */
export function streamFailure(error: unknown, dress: DialectDress): ProviderError {
  const { provider, model } = dress;
  const { message, code, status } = complaint(error);
  const detail = presentable(message);
  const traits = { status };
  const refusal = status === 402 ? "quota" : readRefusal(message, code);
  if (refusal === "overflow" || status === 413) {
    return new ProviderError("ContextOverflow", { model, detail }, traits);
  }
  if (refusal === "quota") return new ProviderError("ProviderQuotaExceeded", { provider, detail }, traits);
  if (POLICY_WORDS.has(code) || (refusal === "policy" && status === 403)) {
    return new ProviderError("ResponseRefused", { model, detail }, traits);
  }
  if (status === 401 || status === 403) {
    const source = "the configuration";
    return new ProviderError("ProviderKeyRefused", { provider, source, detail }, traits);
  }
  if (refusal === "unknown-model")
    return new ProviderError("UnknownModel", { provider, model, detail }, traits);
  const named = String(status ?? (code === "" ? "no code" : code));
  const isFinal = status !== undefined && status < 500 && status !== 408 && status !== 409 && status !== 429;
  return isFinal
    ? new ProviderError("ProviderRefused", { provider, status: named, detail }, traits)
    : new ProviderError(
        "ProviderFailed",
        { provider, status: named, detail },
        { ...traits, transient: true },
      );
}

/** The answer broke off: what had arrived is kept, and the same request may be sent again. */
export function interrupted(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamInterrupted", { provider: dress.provider, detail }, { transient: true });
}

/** What came is not the protocol; another attempt may bring what is. */
export function malformed(dress: DialectDress, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider: dress.provider, detail }, { transient: true });
}

interface Complaint {
  readonly message: string;
  readonly code: string;
  readonly status: number | undefined;
}

function complaint(error: unknown): Complaint {
  // Never String(): what a server sent may have a `toString` of its own.
  const plain = typeof error === "string" ? error : JSON.stringify(error);
  if (!isObject(error)) return { message: plain, code: "", status: undefined };
  const number = numberAt(error, "code") ?? numberAt(error, "status");
  const words = [stringAt(error, "code"), stringAt(error, "type")].filter((word) => word !== undefined);
  const raw = stringAt(objectAt(error, "metadata"), "raw");
  const said = stringAt(error, "message") ?? stringAt(error, "detail") ?? plain;
  return {
    // OpenRouter passes on what the provider behind it said.
    message: raw === undefined ? said : `${said} (${raw})`,
    code: words[0] ?? (number === undefined ? "" : String(number)),
    status: isErrorStatus(number) ? number : statusOf(words, error),
  };
}

function statusOf(words: readonly string[], error: JsonObject): number | undefined {
  for (const word of [...words, stringAt(error, "status") ?? ""]) {
    if (isErrorStatus(Number(word))) return Number(word);
    if (Object.hasOwn(STATUS_OF_WORD, word)) return STATUS_OF_WORD[word];
  }
  return undefined;
}

function isErrorStatus(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 600;
}

import type { JsonObject } from "../../base/json.ts";
import { isObject, numberAt, stringAt } from "../../base/json.ts";
import { head, wellFormed } from "../../base/text.ts";
import { ProviderError } from "../error.ts";
import type { DialectDress } from "./dialect.ts";

const DETAIL_UNITS_MAX = 500;

/** What an error object says, wherever the dialect had it. */
interface Complaint {
  /** Error type, code and status in one lower-case text: vendors put the same word in any of them. */
  readonly words: string;
  readonly status: number | undefined;
  readonly detail: string;
}

/**
 * The failure that an error object inside a stream stands for, in any of the three dialects.
 *
 * Errors that say the caller is at fault are final; overload, rate limits and everything unknown are transient.
 */
export function streamFailure(error: unknown, dress: DialectDress): ProviderError {
  const { words, status, detail } = complaint(error);
  const provider = dress.provider;
  const traits = { status };
  if (/context_length|context_window|too_large|1261|prompt is too long|maximum context/.test(words)) {
    return new ProviderError("ContextOverflow", { model: dress.model, detail }, traits);
  }
  if (/insufficient_quota|billing|insufficient_credits|\b402\b|\b1113\b|\b13(04|08|10)\b/.test(words)) {
    return new ProviderError("ProviderQuotaExceeded", { provider, detail }, traits);
  }
  if (/rate_limit|too_many_requests|\b429\b|\b130[235]\b/.test(words)) {
    // The stream does not say how long to wait; whoever retries decides.
    const fields = { name: provider, "retry-after": "a few " };
    return new ProviderError("RateLimited", fields, { ...traits, transient: true });
  }
  if (/authentication|invalid_api_key|\b401\b|\b100[0-4]\b/.test(words)) {
    return new ProviderError("ProviderKeyRefused", { provider, source: "this request", detail }, traits);
  }
  if (/model_not_found|\b1211\b/.test(words)) {
    return new ProviderError("UnknownModel", { provider, model: dress.model, detail }, traits);
  }
  if (/content_filter|content_policy|moderation|cyber_policy|\b1301\b/.test(words)) {
    return new ProviderError("ResponseRefused", { model: dress.model, detail }, traits);
  }
  const named = String(status ?? (firstWord(words) || "error"));
  if (/invalid_request|invalid_prompt|permission|not_found|\b40[0345]\b|\b422\b/.test(words)) {
    return new ProviderError("ProviderRefused", { provider, status: named, detail }, traits);
  }
  return new ProviderError(
    "ProviderFailed",
    { provider, status: named, detail },
    { ...traits, transient: true },
  );
}

function complaint(error: unknown): Complaint {
  if (!isObject(error)) return { words: "", status: undefined, detail: readable(String(error)) };
  const status = statusOf(error);
  const message = stringAt(error, "message") ?? stringAt(error, "detail") ?? JSON.stringify(error);
  const named = [error["type"], error["code"], error["status"]].filter((word) => word !== undefined);
  // Of the message only the one complaint counts that has no code of its own everywhere: the overflow.
  const overflow = /prompt is too long|maximum context/i.exec(message)?.[0] ?? "";
  const words = [...named, status ?? "", overflow].map(String).join(" ").toLowerCase();
  return { words, status, detail: readable(message) };
}

const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

function statusOf(error: JsonObject): number | undefined {
  const code = numberAt(error, "code") ?? numberAt(error, "status") ?? Number(stringAt(error, "code"));
  if (code >= 400 && code < 600) return code;
  const type = stringAt(error, "type") ?? "";
  return Object.hasOwn(STATUS_BY_TYPE, type) ? STATUS_BY_TYPE[type] : undefined;
}

function firstWord(words: string): string {
  return words.trim().split(" ")[0] ?? "";
}

function readable(text: string): string {
  return head(wellFormed(text), DETAIL_UNITS_MAX);
}

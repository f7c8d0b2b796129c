import { isObject, numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";
import { decode, head } from "../../base/text/text.ts";
import { ProviderError } from "../error.ts";
import { isErrorStatus, namedStatus } from "./error-words.ts";
import type { RefusalKind } from "./refusal.ts";
import { classifyRefusal } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";

export const ERROR_BODY_BYTES_MAX = 65_536;
const DETAIL_UNITS_MAX = 600;

/**
 * Set where keys are inserted, so that the error for a refused key can name its source. Never sent over the network.
 */
export const KEY_SOURCE_HEADER = "x-cinch-key-source";

/** Provider, model and time of a request, for error texts. */
export interface RequestInfo {
  readonly provider: string;
  readonly model: string;
  readonly nowMs: number;
}

/** A failed answer that is no stream, as far as it was read. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Converts a failed answer to an error: the reason, whether it is transient, and how long to wait.
 *
 * Refusals that need a person or a smaller request are not transient, whatever their status: an exceeded quota comes
 * as 402, 403 or 429, a full context window as 400, 413, 429 or 500.
 */
export function providerErrorFrom(answer: FailedAnswer, asked: RequestInfo): ProviderError {
  const { provider, model } = asked;
  const { message, code, status } = readErrorBody(answer);
  const detail = presentableMessage(message);
  const traits = { status, retryAfterMs: retryAfterMs(answer.headers, asked.nowMs) };
  const refusal: RefusalKind = status === 402 ? "quota" : classifyRefusal(message, code);

  if (refusal === "overflow") return new ProviderError("ContextOverflow", { model, detail }, traits);
  if (refusal === "quota") return new ProviderError("ProviderQuotaExceeded", { provider, detail }, traits);
  if (isAuthStatus(status) && refusal !== "policy") {
    const source = answer.headers.get(KEY_SOURCE_HEADER) ?? "the configuration";
    return new ProviderError("ProviderKeyRefused", { provider, source, detail }, traits);
  }
  if (refusal === "unknown-model" && status < 500) {
    return new ProviderError("UnknownModel", { provider, model, detail }, traits);
  }
  const fields = { provider, status: String(status), detail };
  return isTransient(status, answer.headers)
    ? new ProviderError("ProviderFailed", fields, { ...traits, transient: true })
    : new ProviderError("ProviderRefused", fields, traits);
}

/** Makes a provider's message safe to show: one line, no control characters, no tokens, at most 600 characters. */
export function presentableMessage(message: string): string {
  const line = message
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .replaceAll(/\bBearer\s+\S+/gi, "Bearer «redacted:token»")
    .replaceAll(/\b(?:sk|pk|key|rk)-[\w-]{16,}/g, "«redacted:api-key»")
    .trim();
  return line === "" ? "no message" : head(line, DETAIL_UNITS_MAX);
}

/** Returns true if a JSON document is an error, since some providers send theirs with status 200. */
export function isErrorBody(body: string): boolean {
  const parsed = parseJson(body)?.value;
  if (!isObject(parsed)) return false;
  if (isObject(parsed["error"]) || typeof parsed["error"] === "string") return true;
  return "code" in parsed && ("msg" in parsed || "message" in parsed);
}

/** Reads a body up to a limit and discards the rest. `whole` is true if that was all of it. */
export async function readUpTo(
  response: Response,
  bytesMax: number,
): Promise<{ readonly text: string; readonly whole: boolean }> {
  if (response.body === null) return { text: "", whole: true };
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let whole = false;
  while (size < bytesMax && !whole) {
    const { done, value } = await reader.read();
    if (done) whole = true;
    else {
      chunks.push(value.subarray(0, bytesMax - size));
      size += value.length;
    }
  }
  if (!whole) await reader.cancel();
  return { text: decode(joined(chunks)), whole };
}

/**
 * Returns true for statuses after which the same request may succeed. A provider's `x-should-retry` takes precedence.
 */
function isTransient(status: number, headers: Headers): boolean {
  const shouldRetry = headers.get("x-should-retry");
  if (shouldRetry === "true" || shouldRetry === "false") return shouldRetry === "true";
  if (status === 501 || status === 505) return false;
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

function isAuthStatus(status: number): boolean {
  return status === 401 || status === 403;
}

interface ReadError {
  readonly message: string;
  readonly code: string;
  readonly status: number;
}

/** Reads the providers' variants of `{error: …}`; a body that is not JSON becomes the message. */
function readErrorBody({ status, headers, body }: FailedAnswer): ReadError {
  const redirect = status >= 300 && status < 400;
  if (redirect) return { message: redirected(headers.get("location")), code: "", status };
  const parsed = parseJson(body)?.value;
  const outer = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(outer)) return { message: plain(body, headers), code: "", status };
  const error = isObject(outer["error"]) ? outer["error"] : outer;
  const message =
    stringAt(error, "message") ??
    stringAt(outer, "error") ??
    stringAt(error, "msg") ??
    stringAt(error, "detail") ??
    head(body, DETAIL_UNITS_MAX);
  return { message: withUpstream(message, error), code: codeIn(error), status: statusIn(error, status) };
}

/** OpenRouter puts the upstream provider's message into `metadata.raw`. */
function withUpstream(message: string, error: unknown): string {
  const metadata = objectAt(error, "metadata");
  const raw = stringAt(metadata, "raw");
  if (raw === undefined) return message;
  const upstream = stringAt(metadata, "provider_name") ?? "upstream";
  return `${message} (${upstream}: ${head(raw, DETAIL_UNITS_MAX)})`;
}

function codeIn(error: unknown): string {
  const code = stringAt(error, "code") ?? numberAt(error, "code")?.toString();
  const type = stringAt(error, "type");
  return code === undefined || /^[1-5]\d\d$/.test(code) ? (type ?? "") : code;
}

/** An error with status 200 contains its status as a number or a word; one without any counts as 502. */
function statusIn(error: unknown, status: number): number {
  const inside = numberAt(error, "code") ?? numberAt(error, "status");
  if (status !== 200) return status;
  return isErrorStatus(inside) ? inside : ((isObject(error) ? namedStatus(error) : undefined) ?? 502);
}

function redirected(location: string | null): string {
  const target = location === null ? "another address" : head(location, DETAIL_UNITS_MAX);
  return `it redirects to ${target}. Redirects are not followed, since the key would go there too; set base_url to the right address`;
}

function plain(body: string, headers: Headers): string {
  if (!(headers.get("content-type") ?? "").includes("html") && !isWebPage(body)) return body;
  const title = pageTitle(body);
  return title === undefined ? "it answered with a web page" : `it answered with a web page: ${title}`;
}

/** Returns true if a body begins like a web page. */
export function isWebPage(body: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(body);
}

export function pageTitle(body: string): string | undefined {
  return /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

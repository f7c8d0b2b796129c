import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson, stringAt } from "../../base/json.ts";
import type { Fetch, FetchInit } from "../../base/world.ts";
import { describeNetworkError } from "../../providers/http/connection-error.ts";
import { presentableMessage, readUpTo } from "../../providers/http/http-error.ts";
import type { ExchangeRefused } from "./token-source.ts";

/** Limit of a token endpoint's answer, which has some kilobytes. */
export const TOKEN_ANSWER_BYTES_MAX = 65_536;

export type TokenReply =
  | { readonly kind: "read"; readonly status: number; readonly value: JsonObject; readonly headers: Headers }
  | ExchangeRefused;

/**
 * Sends a request to a token endpoint and reads its answer as JSON. Redirects are not followed, since they would
 * forward the credentials.
 *
 * Returns a refusal with a text for people after a network failure, a redirect, or an answer that is too long or no
 * JSON object. The text repeats nothing that was sent or received. The caller interprets the status.
 */
export async function requestToken(fetch: Fetch, url: string, init: FetchInit): Promise<TokenReply> {
  const place = addressWithoutQuery(url);
  let response: Response;
  let body: { readonly text: string; readonly whole: boolean };
  try {
    response = await fetch(url, init);
    body = await readUpTo(response, TOKEN_ANSWER_BYTES_MAX);
  } catch (thrown) {
    init.signal.throwIfAborted();
    return {
      kind: "refused",
      status: 503,
      detail: `${place} cannot be reached: ${describeNetworkError(thrown)}`,
    };
  }
  const { status, headers } = response;
  const retryAfter = headers.get("retry-after");
  const more = retryAfter === null ? {} : { retryAfter };
  if (status >= 300 && status < 400) {
    const detail = `${place} answered with a redirect, which is not followed, since the credentials would go along`;
    return { kind: "refused", status: 502, detail, isFinal: true };
  }
  if (!body.whole) {
    const detail = `${place} answered with more than ${TOKEN_ANSWER_BYTES_MAX} bytes`;
    return { kind: "refused", status: status === 200 ? 502 : status, detail, isFinal: true };
  }
  const value = parseJson(body.text)?.value;
  if (isObject(value)) return { kind: "read", status, value, headers };
  if (status !== 200) return { kind: "refused", status, detail: `${place} answered ${status}`, ...more };
  const detail = `${place} answered with something that is not a JSON object`;
  return { kind: "refused", status: 502, detail, isFinal: true };
}

/** Reads an endpoint's refusal in the formats of OAuth, Google and GitHub. */
export function tokenRefusal(place: string, reply: Extract<TokenReply, { kind: "read" }>): ExchangeRefused {
  const { status, value, headers } = reply;
  const details = isObject(value["error_details"]) ? value["error_details"] : undefined;
  const nested = isObject(value["error"]) ? value["error"] : undefined;
  const detail =
    stringAt(details, "message") ??
    stringAt(value, "error_description") ??
    stringAt(nested, "message") ??
    stringAt(value, "message") ??
    stringAt(value, "error");
  const words = detail === undefined ? `answered ${status}` : `refused: ${presentableMessage(detail)}`;
  const retryAfter = headers.get("retry-after");
  return {
    kind: "refused",
    status: status >= 400 ? status : 502,
    detail: `${addressWithoutQuery(place)} ${words}`,
    ...(status >= 400 ? {} : { isFinal: true as const }),
    ...(retryAfter === null ? {} : { retryAfter }),
  };
}

/** Returns an address without its query, which could be secret. */
export function addressWithoutQuery(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "the token endpoint" : `${parsed.origin}${parsed.pathname}`;
}

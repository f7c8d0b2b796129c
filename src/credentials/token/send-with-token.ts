import type { Fetch, FetchInit } from "../../base/world.ts";
import { KEY_SOURCE_HEADER } from "../../providers/http/http-error.ts";
import type { AccessToken, ExchangeRefused, TokenSource } from "./token-source.ts";
import { isRefused } from "./token-source.ts";

export interface TokenRequest {
  readonly url: string;
  /** Without any credential. */
  readonly init: FetchInit;
  readonly credential: { readonly header: string; readonly prefix: string };
}

/** An answer and the token that was sent for it, if any. */
export interface TokenAnswer {
  readonly response: Response;
  readonly token?: AccessToken;
}

/**
 * Sends a request with a valid token. After a refusal (401) it exchanges a new token and repeats the request once.
 * The token may have been revoked, or have ended while the machine slept.
 *
 * If no token is available, the refusal is returned in the form of a provider's answer, so that it is reported and
 * retried in the same way.
 */
export async function sendWithToken(
  request: TokenRequest,
  tokens: TokenSource,
  fetch: Fetch,
): Promise<TokenAnswer> {
  const { signal } = request.init;
  const first = await tokens.current(signal);
  if (isRefused(first)) return { response: refusalOf(first, tokens.source) };
  const response = await send(request, first, tokens, fetch);
  if (response.status !== 401) return { response, token: first };
  tokens.drop(first);
  await response.body?.cancel();
  const second = await tokens.current(signal);
  if (isRefused(second)) return { response: refusalOf(second, tokens.source) };
  return { response: await send(request, second, tokens, fetch), token: second };
}

async function send(
  { url, init, credential }: TokenRequest,
  { value, baseUrl, headers }: AccessToken,
  tokens: TokenSource,
  fetch: Fetch,
): Promise<Response> {
  init.signal.throwIfAborted();
  const isBelow = baseUrl !== undefined && url.startsWith(tokens.baseUrl);
  const target = isBelow ? baseUrl + url.slice(tokens.baseUrl.length) : url;
  const all = { ...init.headers, ...headers, [credential.header]: credential.prefix + value.reveal() };
  return await fetch(target, { ...init, headers: all });
}

function refusalOf({ status, detail, retryAfter, isFinal }: ExchangeRefused, source: string): Response {
  const headers = new Headers({ "content-type": "application/json", [KEY_SOURCE_HEADER]: source });
  if (retryAfter !== undefined) headers.set("retry-after", retryAfter);
  if (isFinal) headers.set("x-should-retry", "false");
  return new Response(JSON.stringify({ error: { message: detail } }), { status, headers });
}

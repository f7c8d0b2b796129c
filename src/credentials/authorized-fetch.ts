import { defined } from "../base/defined.ts";
import { HarnessError } from "../base/errors.ts";
import type { Fetch, FetchInit } from "../base/world.ts";
import type { AuthorizedFetch, AuthorizedRequest, KeyRing } from "../providers/authorized-fetch.ts";
import { ERROR_BODY_BYTES_MAX, KEY_SOURCE_HEADER, readUpTo } from "../providers/http/http-error.ts";
import type { KeyNeeds } from "../providers/vendors.ts";
import { KNOWN_CHARACTERS_MIN } from "../safety/secrets/known-secret.ts";
import { removeKey } from "./remove-key.ts";
import type { TokenSourceOf } from "./token/token-sources.ts";

/** Headers that carry a credential. A caller's own are dropped, so that only this file sends one. */
export const CREDENTIAL_HEADERS = new Set([
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "cookie",
]);

/**
 * Headers that route a request. A caller's own are dropped too: with another name in `Host`, an edge that serves many
 * hosts would pass the key to another customer's.
 */
const ROUTE =
  /^(?:host|connection|keep-alive|proxy-[a-z-]+|te|trailer|transfer-encoding|content-length|upgrade|expect|forwarded|x-forwarded-[a-z-]+|x-original-[a-z-]+|x-rewrite-url|x-http-method(?:-override)?|x-method-override)$/;

/** Headers that no longer apply to a decoded body. */
const BODY_HEADERS = ["content-encoding", "content-length", "transfer-encoding"];
const BODYLESS = new Set([204, 205, 304]);

export interface AuthorizedFetchDependencies {
  readonly fetch: Fetch;
  readonly keys: KeyRing;
  /** Returns the variable that would hold a missing key. */
  readonly needsOf: (provider: string) => KeyNeeds | undefined;
  /** Token sources of providers whose key is exchanged for a short-lived one. Absent: there are none. */
  readonly tokens?: TokenSourceOf;
}

/**
 * Returns a fetch that inserts a provider's key into its request at the last moment (CRED-03).
 *
 * The key is removed from the answer, unless it is too short to be a secret: local servers get a word such as
 * `none`, which also occurs in answers. A failed answer also gets the name of the key's source, so that a refused
 * key can be found.
 * @throws HarnessError ProviderKeyMissing, naming the variable; ProviderKeyRefused for a value that cannot be a key.
 */
export function authorizedFetch(parts: AuthorizedFetchDependencies): AuthorizedFetch {
  const { keys, needsOf } = parts;
  return async (request) => {
    const { credential, provider } = request;
    const clean = stripCredentials(request);
    if (credential.kind === "none") return await parts.fetch(request.url, clean);
    const source = await parts.tokens?.(provider);
    if (source !== undefined) {
      const { sendWithToken } = await import("./token/send-with-token.ts");
      const asked = { url: request.url, init: clean, credential };
      const { response, token } = await sendWithToken(asked, source, parts.fetch);
      return await withoutKey(response, token?.value.reveal() ?? "", source.source);
    }
    const found = await keys.keyFor(provider);
    if (found === undefined) {
      if (credential.optional === true) return await parts.fetch(request.url, clean);
      const needs = needsOf(provider) ?? { variable: `the key of ${provider}`, kept: "" };
      throw new HarnessError("ProviderKeyMissing", { provider, ...needs });
    }
    const value = found.key.reveal();
    if (!/^[\x21-\x7e]+$/.test(value)) {
      const detail = "it holds white space or characters that no key has";
      throw new HarnessError("ProviderKeyRefused", { provider, source: found.source, detail });
    }
    request.signal.throwIfAborted();
    const headers = { ...clean.headers, [credential.header]: credential.prefix + value };
    const response = await parts.fetch(request.url, { ...clean, headers });
    return await withoutKey(response, value, found.source);
  };
}

/** Returns the answer with the key removed. */
async function withoutKey(response: Response, value: string, source: string): Promise<Response> {
  const secret = value.length < KNOWN_CHARACTERS_MIN ? undefined : value;
  if (!response.ok) return await refusal(response, secret, source);
  return secret === undefined ? response : removeKey(response, secret);
}

/** Returns the caller's request without credential and routing headers. */
export function stripCredentials({ method, body, signal, headers = {} }: AuthorizedRequest): FetchInit {
  const safeHeaders = Object.entries(headers).filter(([header]) => {
    const name = header.toLowerCase();
    return !CREDENTIAL_HEADERS.has(name) && !ROUTE.test(name);
  });
  return {
    signal,
    headers: Object.fromEntries(safeHeaders),
    ...defined({ method, body }),
  };
}

async function refusal(response: Response, key: string | undefined, source: string): Promise<Response> {
  const { text } = await readUpTo(response, ERROR_BODY_BYTES_MAX);
  const headers = new Headers(response.headers);
  for (const name of BODY_HEADERS) headers.delete(name);
  headers.set(KEY_SOURCE_HEADER, source);
  const { status } = response;
  const body = key === undefined ? text : text.replaceAll(key, "«redacted:api-key»");
  return new Response(BODYLESS.has(status) ? null : body, { status, headers });
}

import { Secret } from "../../base/brand.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { AuthorizedFetch } from "../../providers/authorized-fetch.ts";
import { stripCredentials } from "../authorized-fetch.ts";
import { isUrlBelow } from "../helper/is-url-below.ts";
import { removeKey } from "../remove-key.ts";
import { cachedToken } from "../token/cached-token.ts";
import { sendWithToken } from "../token/send-with-token.ts";
import type { ExchangeResult, TokenSource } from "../token/token-source.ts";
import type { McpGrant } from "./grant.ts";
import { renewGrant } from "./renew.ts";

/** Login data of MCP servers, by store name: `mcp:NAME`. */
export interface GrantStore {
  read(name: string): Promise<McpGrant | undefined>;
  /** Replaces `before`, unless another process changed it. */
  replace(name: string, before: McpGrant, after: McpGrant): Promise<void>;
}

export interface GrantFetchDependencies {
  readonly store: GrantStore;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** Renewal this long before the end of a token. */
const EARLY_MS = 60_000;
/** A token without an end is read again after this time, so that a new login takes effect. */
const LOOK_MS = 300_000;
/** Maximum of the library's timers; a longer token life is checked earlier. */
const LIFE_MS_MAX = 2_147_483_647;

/**
 * Returns a fetch that sends requests to MCP servers with the token of the user's login (MCP-01, CRED-03).
 *
 * The token is sent to the address of the login and below it, and nowhere else. It is renewed before it ends, and
 * once if the server refuses it. A renewed token is stored at once, since the old one may be invalid by then. A new
 * login takes effect with the next request that needs one. The token is removed from the server's answers.
 * @throws HarnessError ProviderKeyMissing if nobody has logged in there.
 */
export function grantFetch({ store, fetch, clock }: GrantFetchDependencies): AuthorizedFetch {
  const sources = new Map<string, TokenSource>();
  return async (request) => {
    const { provider, credential, url } = request;
    const grant = await store.read(provider);
    if (grant === undefined || credential.kind === "none" || !isUrlBelow(grant.below ?? grant.url, url)) {
      const variable = `a login: cinch creds login ${provider}`;
      throw new HarnessError("ProviderKeyMissing", { provider, variable, kept: "" });
    }
    const source = sources.get(provider) ?? grantSource(provider, { store, fetch, clock });
    sources.set(provider, source);
    const asked = { url, init: stripCredentials(request), credential };
    const { response, token } = await sendWithToken(asked, source, fetch);
    return token === undefined ? response : removeKey(response, token.value.reveal());
  };
}

function grantSource(name: string, { store, fetch, clock }: GrantFetchDependencies): TokenSource {
  let refused: string | undefined;
  const cached = cachedToken({
    source: "creds.enc",
    baseUrl: "",
    clock,
    async exchange(signal): Promise<ExchangeResult> {
      const grant = await store.read(name);
      if (grant === undefined) return refusal("there is no login any more");
      const isGood = grant.accessToken !== refused && !endsSoon(grant, clock.now());
      if (isGood) return exchanged(grant, clock.now());
      if (grant.renewal === undefined) return refusal("the login has ended");
      const renewed = await renewGrant(grant, grant.renewal, { fetch, clock }, signal);
      if (renewed.kind === "renewed") {
        await store.replace(name, grant, renewed.grant);
        return exchanged(renewed.grant, clock.now());
      }
      // Another process may have renewed it: then its token replaces the one known here.
      const now = await store.read(name);
      const isNew = now !== undefined && now.accessToken !== grant.accessToken;
      return isNew ? exchanged(now, clock.now()) : renewed;
    },
  });
  return {
    source: cached.source,
    baseUrl: cached.baseUrl,
    current: (signal) => cached.current(signal),
    drop(token) {
      refused = token.value.reveal();
      cached.drop(token);
    },
  };
}

function endsSoon({ endsAtMs }: McpGrant, nowMs: number): boolean {
  return endsAtMs !== undefined && endsAtMs - EARLY_MS <= nowMs;
}

function exchanged({ accessToken, endsAtMs }: McpGrant, nowMs: number): ExchangeResult {
  const leftMs = Math.min(Math.max((endsAtMs ?? nowMs + LIFE_MS_MAX) - nowMs, 1), LIFE_MS_MAX);
  return {
    kind: "token",
    token: { value: new Secret("api-key", accessToken) },
    renewAfterMs: Math.min(Math.max(leftMs - EARLY_MS, 1), LOOK_MS),
    endsAfterMs: leftMs,
  };
}

function refusal(detail: string): ExchangeResult {
  return { kind: "refused", status: 401, detail };
}

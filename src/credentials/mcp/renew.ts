import { defined } from "../../base/defined.ts";
import { numberAt, stringAt } from "../../base/json.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import { isSafeUrl } from "../../safety/safe-url.ts";
import { requestToken, tokenRefusal } from "../token/request-token.ts";
import type { ExchangeRefused } from "../token/token-source.ts";
import type { McpGrant, Renewal } from "./grant.ts";

const TOKEN_UNITS_MAX = 16_384;

export type RenewResult = { readonly kind: "renewed"; readonly grant: McpGrant } | ExchangeRefused;

/**
 * Exchanges a refresh token for a new access token at the endpoint that the login found (RFC 6749 § 6, RFC 8707).
 *
 * The new token stays bound to the same server. A refused refresh token counts as 401: only a login helps. Any other
 * failure is returned unchanged and tried again later.
 */
export async function renewGrant(
  grant: McpGrant,
  renewal: Renewal,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
  signal: AbortSignal,
): Promise<RenewResult> {
  const endpoint = URL.parse(renewal.tokenEndpoint);
  if (endpoint === null || !isSafeUrl(endpoint))
    return { kind: "refused", status: 401, detail: "the address that renews it is not https" };
  const { headers, body } = requestOf(renewal);
  const reply = await requestToken(fetch, endpoint.href, { method: "POST", headers, body, signal });
  if (reply.kind === "refused") return reply;
  if (reply.status !== 200) {
    const refused = tokenRefusal(endpoint.href, reply);
    const isOver = /^(?:invalid_grant|invalid_client|unauthorized_client)$/.test(
      stringAt(reply.value, "error") ?? "",
    );
    return isOver ? { ...refused, status: 401 } : { ...refused, status: refused.status === 401 ? 401 : 503 };
  }
  const accessToken = stringAt(reply.value, "access_token") ?? "";
  const type = stringAt(reply.value, "token_type") ?? "";
  if (!isToken(accessToken) || type.toLowerCase() !== "bearer")
    return { kind: "refused", status: 502, detail: "what came in exchange is not a Bearer token" };
  const refreshToken = stringAt(reply.value, "refresh_token") ?? renewal.refreshToken;
  const seconds = numberAt(reply.value, "expires_in");
  const scope = stringAt(reply.value, "scope") ?? grant.scope;
  return {
    kind: "renewed",
    grant: {
      url: grant.url,
      ...defined({ below: grant.below }),
      accessToken,
      ...(seconds === undefined || !(seconds > 0) ? {} : { endsAtMs: clock.now() + seconds * 1_000 }),
      ...defined({ scope }),
      renewal: { ...renewal, refreshToken: isToken(refreshToken) ? refreshToken : renewal.refreshToken },
    },
  };
}

function requestOf(renewal: Renewal): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const { clientId, clientSecret = "", refreshToken, authentication, resource } = renewal;
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  if (resource !== undefined) form.set("resource", resource);
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  if (authentication === "client_secret_basic") {
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`;
  } else {
    form.set("client_id", clientId);
    if (authentication === "client_secret_post") form.set("client_secret", clientSecret);
  }
  return { headers, body: form.toString() };
}

function isToken(text: string): boolean {
  return text.length <= TOKEN_UNITS_MAX && /^[\x21-\x7e]+$/.test(text);
}

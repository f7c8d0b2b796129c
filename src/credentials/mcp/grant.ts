import { defined } from "../../base/defined.ts";
import { numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";

/**
 * Login data for one MCP server, as the credential store keeps it. It is bound to the server's address and sent
 * nowhere else, whatever a configuration says later.
 */
export interface McpGrant {
  /** The server's address at the login. */
  readonly url: string;
  /** The token is sent only to this address and below. Default: `url`. */
  readonly below?: string;
  readonly accessToken: string;
  /** End of the token in milliseconds since 1970; absent: unknown. */
  readonly endsAtMs?: number;
  readonly scope?: string;
  /** Data to get a new token without a person; absent: only a login renews it. */
  readonly renewal?: Renewal;
}

export interface Renewal {
  readonly refreshToken: string;
  readonly tokenEndpoint: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authentication: ClientAuthentication;
  /** Resource of the token (RFC 8707). */
  readonly resource?: string;
}

/** Client authentication methods at the token endpoint. */
export const CLIENT_AUTHENTICATIONS = ["none", "client_secret_basic", "client_secret_post"] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

const FORMAT = "cinch mcp grant";

export function renderGrant(grant: McpGrant): string {
  return JSON.stringify({ format: FORMAT, version: 1, ...grant });
}

/** Parses the output of `renderGrant`; undefined for anything else, including a plain key. */
export function parseGrant(text: string): McpGrant | undefined {
  const value = parseJson(text)?.value;
  if (stringAt(value, "format") !== FORMAT || numberAt(value, "version") !== 1) return undefined;
  const [url, accessToken, scope] = ["url", "accessToken", "scope"].map((key) => stringAt(value, key));
  const below = stringAt(value, "below");
  const endsAtMs = numberAt(value, "endsAtMs");
  if (url === undefined || accessToken === undefined || !URL.canParse(url)) return undefined;
  const renewal = renewalFrom(objectAt(value, "renewal"));
  return {
    url,
    ...defined({ below }),
    accessToken,
    ...defined({ endsAtMs, scope, renewal }),
  };
}

function renewalFrom(value: unknown): Renewal | undefined {
  const keys = ["refreshToken", "tokenEndpoint", "issuer", "clientId"] as const;
  const [refreshToken, tokenEndpoint, issuer, clientId] = keys.map((key) => stringAt(value, key));
  const authentication = CLIENT_AUTHENTICATIONS.find((each) => each === stringAt(value, "authentication"));
  if (refreshToken === undefined || tokenEndpoint === undefined || issuer === undefined) return undefined;
  if (clientId === undefined || authentication === undefined) return undefined;
  const [clientSecret, resource] = [stringAt(value, "clientSecret"), stringAt(value, "resource")];
  return {
    refreshToken,
    tokenEndpoint,
    issuer,
    clientId,
    authentication,
    ...defined({ clientSecret, resource }),
  };
}

/**
 * Returns the address below which a server's token may be sent. The older transport streams from one address and
 * takes messages at another: there it is their common folder.
 */
export function belowAddress(url: string, transport: "http" | "sse"): { readonly below?: string } {
  return transport === "sse" ? { below: new URL(".", url).href } : {};
}

/** Joins the scopes of several texts without duplicates, in order. */
export function joinScopes(...texts: readonly (string | undefined)[]): string | undefined {
  const all = new Set(texts.flatMap((text) => (text ?? "").split(/\s+/).filter((each) => each !== "")));
  return all.size === 0 ? undefined : [...all].join(" ");
}

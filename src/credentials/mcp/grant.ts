import { numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";

/**
 * What lets cinch into one MCP server, as the credential store keeps it. It is bound to the server's address: whoever holds
 * it sends it there and nowhere else, whatever a configuration says later.
 */
export interface Grant {
  /** The server's address at the login. */
  readonly url: string;
  /** Only what lies at or below this address gets the token; absent: at or below `url`. */
  readonly below?: string;
  readonly accessToken: string;
  /** Milliseconds since 1970 at which the token ends; absent: it does not say. */
  readonly endsAtMs?: number;
  readonly scope?: string;
  /** How a new token is had without a person; absent: only by a login. */
  readonly renewal?: Renewal;
}

export interface Renewal {
  readonly refreshToken: string;
  readonly tokenEndpoint: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authentication: ClientAuthentication;
  /** What the token is for (RFC 8707). */
  readonly resource?: string;
}

/** How a client shows who it is at the token endpoint. */
export const CLIENT_AUTHENTICATIONS = ["none", "client_secret_basic", "client_secret_post"] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

const FORMAT = "cinch mcp grant";

export function renderGrant(grant: Grant): string {
  return JSON.stringify({ format: FORMAT, version: 1, ...grant });
}

/** Reads what `renderGrant` wrote; undefined for anything else, a plain key among it. */
export function parseGrant(text: string): Grant | undefined {
  const value = parseJson(text)?.value;
  if (stringAt(value, "format") !== FORMAT || numberAt(value, "version") !== 1) return undefined;
  const [url, accessToken, scope] = ["url", "accessToken", "scope"].map((key) => stringAt(value, key));
  const below = stringAt(value, "below");
  const endsAtMs = numberAt(value, "endsAtMs");
  if (url === undefined || accessToken === undefined || !URL.canParse(url)) return undefined;
  const renewal = renewalFrom(objectAt(value, "renewal"));
  return {
    url,
    ...(below === undefined ? {} : { below }),
    accessToken,
    ...(endsAtMs === undefined ? {} : { endsAtMs }),
    ...(scope === undefined ? {} : { scope }),
    ...(renewal === undefined ? {} : { renewal }),
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
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(resource === undefined ? {} : { resource }),
  };
}

/**
 * Below what the token of a server goes. The older transport takes messages at another address than it streams from: there
 * it is the folder that both lie in.
 */
export function belowOf(url: string, transport: "http" | "sse"): { readonly below?: string } {
  return transport === "sse" ? { below: new URL(".", url).href } : {};
}

/** The scopes of several texts, each once, in the order in which they came. */
export function scopeUnion(...texts: readonly (string | undefined)[]): string | undefined {
  const all = new Set(texts.flatMap((text) => (text ?? "").split(/\s+/).filter((each) => each !== "")));
  return all.size === 0 ? undefined : [...all].join(" ");
}

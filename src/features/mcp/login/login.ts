import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import {
  auth,
  OAuthError,
  selectClientAuthMethod,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { Clock, Listen, Random } from "../../../base/world.ts";
import type { McpGrant, Renewal } from "../../../credentials/mcp/grant.ts";
import { belowAddress, CLIENT_AUTHENTICATIONS, joinScopes } from "../../../credentials/mcp/grant.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import { trimPunctuation } from "../tools/foreign-text.ts";
import type { RemoteFetch } from "../transport/remote-fetch.ts";
import type { Challenge } from "./challenge.ts";
import { parseChallenge } from "./challenge.ts";
import type { LoginNetwork } from "./login-fetch.ts";
import { loginFetch } from "./login-fetch.ts";
import { listenForRedirect } from "./redirect-listener.ts";

const STATE_BYTES = 32;
const WORDS_UNITS_MAX = 300;
const TOKEN_UNITS_MAX = 16_384;

export interface LoginRequest {
  readonly name: string;
  readonly url: string;
  /** Default: streamable HTTP. */
  readonly transport?: "http" | "sse";
  /**
   * The client id of cinch at the server. An https URL names a document that describes cinch. Omitted: cinch
   * registers itself.
   */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Scopes requested in addition to those that the server names. */
  readonly scopes: readonly string[];
  /** The earlier grant, whose scopes are requested again. */
  readonly before?: McpGrant;
}

export interface LoginDependencies extends LoginNetwork {
  readonly clock: Clock;
  readonly random: Random;
  readonly listen: Listen;
  /** Shows the person the page to open. Must not open it. */
  readonly show: (page: URL) => Promise<void>;
}

/**
 * Logs a person in at an MCP server, as the protocol defines it (MCP-01).
 *
 * The server's metadata names the authorization server, and the person agrees in a browser. The returned code is
 * exchanged for a token of that server alone. PKCE with S256 is always used; a current server that does not announce
 * it is rejected. The state has 256 bits, the issuer is compared in the metadata and in the answer, and every request
 * names the resource. The page is shown but never opened, because its address comes from the server.
 * @throws HarnessError McpLoginFailed with the reason; the signal's reason.
 */
export async function logIn(
  request: LoginRequest,
  dependencies: LoginDependencies,
  signal: AbortSignal,
): Promise<McpGrant> {
  const { name } = request;
  let provider: LoginProvider | undefined;
  try {
    const url = new URL(request.url);
    if (!isSafeUrl(url)) throw new Error("its address is not https");
    const fetch = loginFetch(url, dependencies, signal);
    const challenge = await challengeOf(url, fetch);
    const state = Buffer.from(dependencies.random.bytes(STATE_BYTES)).toString("base64url");
    await using listener = await listenForRedirect(dependencies.listen, dependencies.clock, state);
    provider = new LoginProvider(request, listener.redirectUrl, state);
    const metadata = metadataUrl(challenge);
    const options = {
      serverUrl: url,
      fetchFn: fetch,
      forceReauthorization: true,
      ...defined({ resourceMetadataUrl: metadata }),
      ...optionalScope(joinScopes(request.before?.scope, challenge.scope, ...request.scopes)),
    };
    await auth(provider, options);
    const page = provider.page;
    if (page === undefined) throw new Error("the authorization server has no page to open");
    await dependencies.show(page);
    const answer = await listener.answered(signal);
    const code = codeFrom(answer, provider);
    const iss = answer.get("iss");
    await auth(provider, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) });
    return provider.grant(dependencies.clock.now());
  } catch (thrown) {
    signal.throwIfAborted();
    const words = provider?.hasNoLogin === true ? NO_LOGIN : trimPunctuation(messageOf(thrown));
    const why = visibleLine(words).slice(0, WORDS_UNITS_MAX);
    throw new HarnessError("McpLoginFailed", { name, why }, { cause: thrown });
  }
}

const NO_LOGIN =
  "the server describes no login. If it needs a token anyway, get one there and store it with cinch creds add mcp:NAME";

/** Sends a request without a token and returns the challenge in the answer. */
async function challengeOf(url: URL, reach: RemoteFetch): Promise<Challenge> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await reach(url, { method: "POST", headers, body });
  await response.body?.cancel();
  return parseChallenge(response.headers.get("www-authenticate") ?? "");
}

function metadataUrl({ resourceMetadata }: Challenge): URL | undefined {
  return resourceMetadata === undefined ? undefined : (URL.parse(resourceMetadata) ?? undefined);
}

function optionalScope(scope: string | undefined): { readonly scope?: string } {
  return defined({ scope });
}

/** Returns the code in an answer. An error is reported only if the answer comes from the issuer that was asked. */
function codeFrom(answer: URLSearchParams, { discovered }: LoginProvider): string {
  const code = answer.get("code");
  if (code !== null && code !== "") return code;
  const metadata = discovered?.authorizationServerMetadata;
  validateAuthorizationResponseIssuer({
    iss: answer.get("iss") ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const error = answer.get("error") ?? "no code";
  throw new OAuthError(error, answer.get("error_description") ?? error);
}

/** Holds in memory what one login needs between its steps. */
class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  page: URL | undefined;
  discovered: OAuthDiscoveryState | undefined;
  readonly #request: LoginRequest;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  /** 256 random bits that only the genuine answer contains. */
  readonly #state: string;
  #verifier = "";
  #resource: string | undefined;

  constructor(request: LoginRequest, redirectUrl: string, state: string) {
    const { clientId, clientSecret } = request;
    this.#request = request;
    this.redirectUrl = redirectUrl;
    this.#state = state;
    if (clientId?.startsWith("https://") === true) this.clientMetadataUrl = clientId;
    else if (clientId !== undefined)
      this.#client = {
        client_id: clientId,
        ...defined({ client_secret: clientSecret }),
      };
  }

  get clientMetadata() {
    return {
      client_name: "cinch",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    };
  }

  state(): string {
    return this.#state;
  }

  /** A client that the user has configured is valid for this server, whichever issuer authorizes. */
  clientInformation(of?: { readonly issuer: string }): StoredOAuthClientInformation | undefined {
    const client = this.#client;
    return client === undefined || of === undefined
      ? client
      : { ...client, issuer: client.issuer ?? of.issuer };
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(page: URL): void {
    if (!isSafeUrl(page)) throw new Error(`its page is ${page.protocol}, not https`);
    this.page = page;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveResourceUrl(resource: string): void {
    this.#resource = resource;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    const methods = state.authorizationServerMetadata?.code_challenge_methods_supported;
    // The first revision with a login (2025-03-26) required neither this announcement nor metadata of the resource.
    if (state.resourceMetadata !== undefined && methods?.includes("S256") !== true)
      throw new Error("its authorization server does not have PKCE with S256");
    this.discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered;
  }

  /** True if nothing describes a login at the server, including the addresses used before there was metadata. */
  get hasNoLogin(): boolean {
    const { resourceMetadata, authorizationServerMetadata } = this.discovered ?? {};
    const isUndescribed = resourceMetadata === undefined && authorizationServerMetadata === undefined;
    return this.discovered !== undefined && isUndescribed && this.#client === undefined;
  }

  grant(nowMs: number): McpGrant {
    const tokens = this.#tokens;
    if (tokens === undefined) throw new Error("the authorization server gave no token");
    const { access_token: accessToken, token_type: type, expires_in: seconds } = tokens;
    if (type.toLowerCase() !== "bearer") throw new Error("the token is of another kind than Bearer");
    if (!isToken(accessToken)) throw new Error("the token has invalid characters or is too long");
    const scope = tokens.scope ?? this.page?.searchParams.get("scope") ?? undefined;
    const renewal = this.#renewal(tokens);
    return {
      url: this.#request.url,
      ...belowAddress(this.#request.url, this.#request.transport ?? "http"),
      accessToken,
      ...(seconds === undefined || seconds <= 0 ? {} : { endsAtMs: nowMs + seconds * 1_000 }),
      ...optionalScope(scope),
      ...defined({ renewal }),
    };
  }

  #renewal({ refresh_token: refreshToken, issuer }: StoredOAuthTokens): Renewal | undefined {
    const [client, state] = [this.#client, this.discovered];
    if (refreshToken === undefined || !isToken(refreshToken)) return undefined;
    if (client === undefined || state === undefined) return undefined;
    const metadata = state.authorizationServerMetadata;
    const chosen = selectClientAuthMethod(client, metadata?.token_endpoint_auth_methods_supported ?? []);
    const authentication = CLIENT_AUTHENTICATIONS.find((each) => each === chosen) ?? "none";
    const { client_secret: clientSecret } = client;
    return {
      refreshToken,
      tokenEndpoint: metadata?.token_endpoint ?? new URL("/token", state.authorizationServerUrl).href,
      issuer: issuer ?? metadata?.issuer ?? state.authorizationServerUrl,
      clientId: client.client_id,
      authentication,
      ...defined({ clientSecret, resource: this.#resource }),
    };
  }
}

/** Returns true if a text may stand in a header and is no longer than a token may be. */
function isToken(text: string): boolean {
  return text.length <= TOKEN_UNITS_MAX && /^[\x21-\x7e]+$/.test(text);
}

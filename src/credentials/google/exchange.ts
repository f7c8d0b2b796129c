import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { Secret } from "../../base/brand.ts";
import { defined } from "../../base/defined.ts";
import { numberAt, parseJson, stringAt } from "../../base/json.ts";
import { decode } from "../../base/text/text.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { TokenReply } from "../token/request-token.ts";
import {
  addressWithoutQuery,
  requestToken,
  TOKEN_ANSWER_BYTES_MAX,
  tokenRefusal,
} from "../token/request-token.ts";
import type { ExchangeRefused, ExchangeResult } from "../token/token-source.ts";
import { serviceAccountAssertion } from "./assertion.ts";
import { credentialsUnusable, readCredentialBytes } from "./credential-file.ts";
import type { GoogleCredential, GoogleSource, SubjectSource } from "./default-credentials.ts";
import { readCredential } from "./default-credentials.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const FORM = "application/x-www-form-urlencoded";
/** Renewal this long before the end of a token; for a shorter one, after three quarters of its life. */
const RENEW_BEFORE_MS = 300_000;
const LIFE_SECONDS_DEFAULT = 3_600;
const LIFE_SECONDS_MAX = 86_400;
/** It is on the same machine: without an immediate answer there is none. */
export const METADATA_MS_MAX = 5_000;
/** Google accepts an assertion whose times differ by this much from its own. */
const SKEW_MS_MAX = 60_000;

export interface GoogleExchangeOptions {
  readonly origin: GoogleSource;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** The user's token URL, instead of Google's. */
  readonly tokenUrl?: string;
}

/**
 * Exchanges Application Default Credentials for an access token (PROV-14). Files are read again each time, so that a
 * new login takes effect.
 *
 * Credentials are sent only to Google's hosts and to the token URL of the user's configuration, whatever a file says.
 * @throws HarnessError GoogleCredentialsUnusable; signal.reason.
 */
export async function exchangeGoogleToken(
  parts: GoogleExchangeOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const { origin: place } = parts;
  if (place.kind === "metadata") return await fromMetadata(parts, place.host, signal);
  const credential = await readCredential(place.path, place.source);
  switch (credential.kind) {
    case "service-account":
      return await fromServiceAccount(credential, parts, signal);
    case "user":
      return await fromUser(credential, parts, signal);
    case "external":
      return await fromExternal(credential, parts, signal);
  }
}

type Of<Kind extends GoogleCredential["kind"]> = Extract<GoogleCredential, { readonly kind: Kind }>;

/** Google's refusal contains its time, so a machine with a wrong clock retries once. */
async function fromServiceAccount(
  credential: Of<"service-account">,
  parts: GoogleExchangeOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const { clock, origin: place } = parts;
  const url = tokenUrlOf(credential.tokenUrl ?? TOKEN_URL, parts);
  const ask = (nowMs: number) => {
    const { email, keyId, privateKey } = credential;
    const claims = { email, audience: credential.tokenUrl ?? TOKEN_URL, scope: SCOPE };
    const nowSeconds = Math.floor(nowMs / 1_000);
    let assertion: string;
    try {
      const key = keyId === undefined ? {} : { keyId };
      assertion = serviceAccountAssertion(privateKey, { ...claims, ...key, nowSeconds });
    } catch {
      throw credentialsUnusable(place.source, "its private_key is not a readable RSA key");
    }
    const form = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
    return post(parts, url, form, signal);
  };
  const reply = await ask(clock.now());
  const answered = reply.kind === "read" ? Date.parse(reply.headers.get("date") ?? "") : Number.NaN;
  const isSkewed = Math.abs(answered - clock.now()) > SKEW_MS_MAX; // false without a date
  if (reply.kind === "read" && reply.status === 400 && isSkewed) return tokenFrom(await ask(answered), url);
  return tokenFrom(reply, url);
}

async function fromUser(
  { clientId, clientSecret, refreshToken, quotaProject }: Of<"user">,
  parts: GoogleExchangeOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const url = tokenUrlOf(TOKEN_URL, parts);
  const form = {
    grant_type: "refresh_token",
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  return tokenFrom(await post(parts, url, form, signal), url, quotaProject);
}

async function fromExternal(
  credential: Of<"external">,
  parts: GoogleExchangeOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const { audience, subjectTokenType, subject, impersonationUrl, quotaProject } = credential;
  const url = tokenUrlOf(credential.tokenUrl, parts);
  const token = await subjectToken(subject, parts, signal);
  if (typeof token !== "string") return token;
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience,
    scope: SCOPE,
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: token,
    subject_token_type: subjectTokenType,
  };
  const federated = tokenFrom(await post(parts, url, form, signal), url, quotaProject);
  if (impersonationUrl === undefined || federated.kind === "refused") return federated;
  return await impersonated(impersonationUrl, federated, parts, signal);
}

/** Exchanges a federated token for that of the service account that it may impersonate. */
async function impersonated(
  named: string,
  federated: Extract<ExchangeResult, { readonly kind: "token" }>,
  parts: GoogleExchangeOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const url = googles(named, parts);
  const reply = await requestToken(parts.fetch, url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${federated.token.value.reveal()}`,
    },
    body: JSON.stringify({ scope: [SCOPE], lifetime: `${LIFE_SECONDS_DEFAULT}s` }),
    signal,
  });
  if (reply.kind === "refused") return reply;
  const token = stringAt(reply.value, "accessToken");
  if (reply.status !== 200 || token === undefined) return refusal(url, reply);
  const endsMs = Date.parse(stringAt(reply.value, "expireTime") ?? "");
  const seconds = Number.isNaN(endsMs) ? undefined : (endsMs - parts.clock.now()) / 1_000;
  return usable(url, token, seconds, federated.token.headers);
}

/** Reads the other cloud's token from the source that the credentials name. */
async function subjectToken(
  subject: SubjectSource,
  { fetch, origin: place }: GoogleExchangeOptions,
  signal: AbortSignal,
): Promise<string | ExchangeRefused> {
  const { source } = place;
  const { field } = subject;
  if (subject.kind === "file") {
    const text = decode(await readCredentialBytes(subject.path, source)).trim();
    const token = field === undefined ? text : stringAt(parseJson(text)?.value, field);
    if (token !== undefined && token !== "") return token;
    throw credentialsUnusable(
      source,
      `${subject.path} holds no token${field === undefined ? "" : ` under ${field}`}`,
    );
  }
  if (!/^https?:\/\//i.test(subject.url))
    throw credentialsUnusable(source, "the url of its credential_source is not a URL");
  if (field === undefined) return await plainToken(fetch, subject, signal);
  const reply = await requestToken(fetch, subject.url, { headers: subject.headers, signal });
  if (reply.kind === "refused") return reply;
  const token = stringAt(reply.value, field);
  return reply.status === 200 && token !== undefined && token !== "" ? token : refusal(subject.url, reply);
}

async function plainToken(
  fetch: Fetch,
  { url, headers }: Extract<SubjectSource, { readonly kind: "url" }>,
  signal: AbortSignal,
): Promise<string | ExchangeRefused> {
  const { readUpTo } = await import("../../providers/http/http-error.ts");
  const place = addressWithoutQuery(url);
  try {
    const response = await fetch(url, { headers, signal });
    const { text, whole } = await readUpTo(response, TOKEN_ANSWER_BYTES_MAX);
    if (response.status === 200 && whole && text.trim() !== "") return text.trim();
    return { kind: "refused", status: 502, detail: `${place} answered ${response.status} and no token` };
  } catch {
    signal.throwIfAborted();
    return { kind: "refused", status: 503, detail: `${place} cannot be reached` };
  }
}

/**
 * Returns the token of the service account of this Google machine. On other machines there is no answer, or
 * another program's.
 */
async function fromMetadata(
  { fetch, origin: place, clock }: GoogleExchangeOptions,
  host: string,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  if (!/^[A-Za-z0-9.-]+(?::\d{1,5})?$/.test(host))
    throw credentialsUnusable(place.source, "GCE_METADATA_HOST is not a host");
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  using limit = deadline(clock, METADATA_MS_MAX, signal);
  const ask = requestToken(fetch, url, { headers: { "metadata-flavor": "Google" }, signal: limit.signal });
  const reply = await whileAlive(ask, limit.signal).catch((thrown: unknown): TokenReply => {
    if (!limit.reached) throw thrown;
    return { kind: "refused", status: 503, detail: `${addressWithoutQuery(url)} did not answer` };
  });
  if (reply.kind === "refused" && reply.status === 503) {
    const problem = `there is none on this machine, and there is no file of credentials either: name one with GOOGLE_APPLICATION_CREDENTIALS (${reply.detail})`;
    throw credentialsUnusable(place.source, problem);
  }
  return tokenFrom(reply, url);
}

function post(
  { fetch }: GoogleExchangeOptions,
  url: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<TokenReply> {
  const body = new URLSearchParams(form).toString();
  return requestToken(fetch, url, { method: "POST", headers: { "content-type": FORM }, body, signal });
}

function tokenFrom(reply: TokenReply, url: string, quotaProject?: string): ExchangeResult {
  if (reply.kind === "refused") return keyRefused(reply);
  const token = stringAt(reply.value, "access_token");
  if (reply.status !== 200 || token === undefined) return refusal(url, reply);
  const headers = quotaProject === undefined ? undefined : { "x-goog-user-project": quotaProject };
  return usable(url, token, numberAt(reply.value, "expires_in"), headers);
}

function usable(
  url: string,
  token: string,
  seconds: number | undefined,
  headers: Readonly<Record<string, string>> | undefined,
): ExchangeResult {
  // Longer tokens of the metadata server are padded with dots.
  if (!/^[\x21-\x7e]+$/.test(token) || !(seconds === undefined || seconds > 0)) {
    return {
      kind: "refused",
      status: 502,
      detail: `${addressWithoutQuery(url)} answered with something that is not an access token`,
      isFinal: true,
    };
  }
  const endsAfterMs = Math.min(seconds ?? LIFE_SECONDS_DEFAULT, LIFE_SECONDS_MAX) * 1_000;
  return {
    kind: "token",
    token: { value: new Secret("api-key", token), ...defined({ headers }) },
    renewAfterMs: Math.max(endsAfterMs - RENEW_BEFORE_MS, endsAfterMs * 0.75),
    endsAfterMs,
  };
}

function refusal(url: string, reply: Extract<TokenReply, { kind: "read" }>): ExchangeRefused {
  return keyRefused(tokenRefusal(url, reply));
}

/** OAuth refuses credentials with 400, which counts as a refused key (401). */
function keyRefused(refused: ExchangeRefused): ExchangeRefused {
  return refused.status === 400 ? { ...refused, status: 401 } : refused;
}

/** Returns the user's token URL, else that of the file if it is Google's. */
function tokenUrlOf(named: string, parts: GoogleExchangeOptions): string {
  return parts.tokenUrl ?? googles(named, parts);
}

function googles(named: string, { origin: place, tokenUrl }: GoogleExchangeOptions): string {
  const url = URL.parse(named);
  const isGoogles =
    url?.protocol === "https:" && /(?:^|\.)googleapis\.com$|^accounts\.google\.com$/.test(url.host);
  const isOwn = tokenUrl !== undefined && url !== null && url.origin === new URL(tokenUrl).origin;
  if (url !== null && (isGoogles || isOwn) && url.username === "") return url.href;
  throw credentialsUnusable(
    place.source,
    `it sends its tokens to ${url?.host ?? "something that is not an address"}, which is not Google's; if that is intended, name it as token_url in [vertex] of config.toml`,
  );
}

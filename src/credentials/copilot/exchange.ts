import { Secret } from "../../base/brand.ts";
import { defined } from "../../base/defined.ts";
import { numberAt, objectAt, stringAt } from "../../base/json.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { CopilotAddresses } from "../../providers/vendor-settings.ts";
import { addressWithoutQuery, requestToken, tokenRefusal } from "../token/request-token.ts";
import type { ExchangeResult } from "../token/token-source.ts";

const LIFE_SECONDS_DEFAULT = 1_500;
const LIFE_SECONDS_MAX = 86_400;
/** Renewal this long before the end of a token, if GitHub does not specify it. */
const RENEW_BEFORE_SECONDS = 60;

export interface CopilotExchangeOptions {
  readonly addresses: CopilotAddresses;
  /** The user's configured address for models. GitHub's is then accepted only below it. */
  readonly ownBaseUrl?: string;
  readonly editorVersion: string;
  readonly githubToken: Secret;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/**
 * Exchanges a GitHub token for a Copilot token, which lives for half an hour and names the address for
 * requests (PROV-06).
 *
 * The address is accepted if it belongs to GitHub, to the enterprise of the login, or to the address that the user
 * configured. The token is sent nowhere else.
 */
export async function exchangeCopilotToken(
  parts: CopilotExchangeOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const url = `${parts.addresses.apiUrl}/copilot_internal/v2/token`;
  const reply = await requestToken(parts.fetch, url, {
    headers: {
      authorization: `token ${parts.githubToken.reveal()}`,
      accept: "application/json",
      "editor-version": parts.editorVersion,
      "user-agent": parts.editorVersion,
    },
    signal,
  });
  if (reply.kind === "refused") return reply;
  const { status, value } = reply;
  const token = stringAt(value, "token");
  if (status !== 200 || token === undefined) {
    const refused = tokenRefusal(url, reply);
    // Some of GitHub's servers answer 404 to an account without a subscription.
    if (status === 404)
      return { ...refused, status: 403, detail: `${refused.detail}; this account may have no Copilot` };
    return status === 401
      ? { ...refused, detail: `${refused.detail}; log in again: cinch creds login copilot` }
      : refused;
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    return {
      kind: "refused",
      status: 502,
      detail: `${addressWithoutQuery(url)} answered with something that is not a token`,
      isFinal: true,
    };
  const named = stringAt(objectAt(value, "endpoints"), "api");
  const baseUrl = named === undefined ? undefined : believed(named, parts);
  if (named !== undefined && baseUrl === undefined) {
    const host = URL.parse(named)?.host ?? "something that is not an address";
    const detail = `${addressWithoutQuery(url)} sends requests to ${host}, which is not GitHub's; they are not sent there`;
    return { kind: "refused", status: 403, detail };
  }
  const endsAfter = lifeOf(value, parts, reply.headers);
  const renewAfter = Math.min(numberAt(value, "refresh_in") ?? endsAfter, endsAfter - RENEW_BEFORE_SECONDS);
  return {
    kind: "token",
    token: {
      value: new Secret("api-key", token),
      ...defined({ baseUrl }),
    },
    renewAfterMs: Math.max(renewAfter, endsAfter / 2) * 1_000,
    endsAfterMs: endsAfter * 1_000,
  };
}

/** Returns seconds from now. GitHub's clock sets the end, so it is compared with the date of the same answer. */
function lifeOf(value: unknown, { clock }: CopilotExchangeOptions, headers: Headers): number {
  const ends = numberAt(value, "expires_at");
  const dated = Date.parse(headers.get("date") ?? "");
  const nowMs = Number.isNaN(dated) ? clock.now() : dated;
  const seconds = ends === undefined ? 0 : ends - nowMs / 1_000;
  const lifetime = seconds > 0 ? seconds : (numberAt(value, "refresh_in") ?? 0);
  return Math.min(lifetime > 0 ? lifetime : LIFE_SECONDS_DEFAULT, LIFE_SECONDS_MAX);
}

/** Returns the address without a trailing slash, if it is accepted. */
function believed(
  named: string,
  { addresses: places, ownBaseUrl }: CopilotExchangeOptions,
): string | undefined {
  const url = URL.parse(named);
  if (url === null || url.username !== "" || url.search !== "" || url.hash !== "") return undefined;
  const { protocol, host, origin } = url;
  const enterprise = new URL(places.githubUrl).host;
  const isGithubs = host === "githubcopilot.com" || host.endsWith(".githubcopilot.com");
  const isEnterprises = enterprise.endsWith(".ghe.com") && host.endsWith(`.${enterprise}`);
  const isTrusted =
    ownBaseUrl === undefined
      ? protocol === "https:" && (isGithubs || isEnterprises)
      : origin === new URL(ownBaseUrl).origin;
  return isTrusted ? url.href.replace(/\/+$/, "") : undefined;
}

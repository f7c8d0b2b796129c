import { Secret } from "../../base/brand.ts";
import { numberAt, objectAt, stringAt } from "../../base/json.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { CopilotAddresses } from "../../providers/vendor-settings.ts";
import { askTokens, placeOf, refusalIn } from "../token/ask.ts";
import type { Exchanged } from "../token/token-source.ts";

const LIFE_SECONDS_DEFAULT = 1_500;
const LIFE_SECONDS_MAX = 86_400;
/** So long before its end a token is renewed, where GitHub does not say when. */
const RENEW_BEFORE_SECONDS = 60;

export interface CopilotParts {
  readonly places: CopilotAddresses;
  /** The user's own word on where models are asked; then GitHub's counts only below it. */
  readonly ownBaseUrl?: string;
  readonly editorVersion: string;
  readonly githubToken: Secret;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/**
 * Exchanges a token of GitHub for one of Copilot, which lives for half an hour and says where to use it (PROV-06).
 *
 * That place is believed where it is GitHub's own, or of the enterprise that was logged in to, or of the address that
 * the user configured; the token goes nowhere else.
 */
export async function exchangeCopilot(parts: CopilotParts, signal: AbortSignal): Promise<Exchanged> {
  const url = `${parts.places.apiUrl}/copilot_internal/v2/token`;
  const reply = await askTokens(parts.fetch, url, {
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
    const refused = refusalIn(url, reply);
    // Who has no subscription is answered 404 by some of GitHub's servers.
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
      detail: `${placeOf(url)} answered with what is no token`,
      isFinal: true,
    };
  const named = stringAt(objectAt(value, "endpoints"), "api");
  const baseUrl = named === undefined ? undefined : believed(named, parts);
  if (named !== undefined && baseUrl === undefined) {
    const host = URL.parse(named)?.host ?? "what is no address";
    const detail = `${placeOf(url)} sends requests to ${host}, which is not GitHub's; they are not sent there`;
    return { kind: "refused", status: 403, detail };
  }
  const endsAfter = lifeOf(value, parts, reply.headers);
  const renewAfter = Math.min(numberAt(value, "refresh_in") ?? endsAfter, endsAfter - RENEW_BEFORE_SECONDS);
  return {
    kind: "token",
    token: {
      value: new Secret("api-key", token),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    },
    renewAfterMs: Math.max(renewAfter, endsAfter / 2) * 1_000,
    endsAfterMs: endsAfter * 1_000,
  };
}

/** Seconds from now. The end is told by GitHub's clock, so it is held against the date of the same answer. */
function lifeOf(value: unknown, { clock }: CopilotParts, headers: Headers): number {
  const ends = numberAt(value, "expires_at");
  const dated = Date.parse(headers.get("date") ?? "");
  const nowMs = Number.isNaN(dated) ? clock.now() : dated;
  const seconds = ends === undefined ? 0 : ends - nowMs / 1_000;
  const told = seconds > 0 ? seconds : (numberAt(value, "refresh_in") ?? 0);
  return Math.min(told > 0 ? told : LIFE_SECONDS_DEFAULT, LIFE_SECONDS_MAX);
}

/** The address without a slash at its end, where it may be believed. */
function believed(named: string, { places, ownBaseUrl }: CopilotParts): string | undefined {
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

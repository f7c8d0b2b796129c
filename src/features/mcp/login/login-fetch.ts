import { isIP } from "node:net";
import { deadline } from "../../../base/async/deadline.ts";
import type { Clock, Fetch, FetchInit, Resolve } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { visible } from "../../../safety/hidden.ts";
import { isPublicAddress } from "../../../safety/public-address.ts";
import { isLoopback, isSafeUrl } from "../../../safety/safe-url.ts";
import { boundedAnswer } from "../transport/bounded-body.ts";
import type { RemoteFetch } from "../transport/remote-fetch.ts";

/** An answer of an authorization server is some kilobytes. */
const ANSWER_BYTES_MAX = 1_048_576;
const ANSWER_MS_MAX = 30_000;
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Codes of the runtime for a place that no connection to came about. */
const UNREACHED: ReadonlySet<string> = new Set([
  "ConnectionRefused",
  "ECONNREFUSED",
  "ENOTFOUND",
  "FailedToOpenSocket",
]);

export interface LoginNet {
  readonly fetch: Fetch;
  readonly resolve: Resolve;
  readonly clock: Clock;
}

/**
 * The network during a login, in which a server says where else to ask (S53, S55).
 *
 * Only https, or http on this machine where the server itself is on this machine. A server of the public internet leads to
 * addresses of the public internet only, each looked up once and connected to as it was checked: it cannot have cinch ask
 * the machines of a private network. One that is itself in a private network may lead there. Redirects to another origin
 * are nobody's to follow.
 */
export function loginFetch(server: URL, net: LoginNet, signal: AbortSignal): RemoteFetch {
  let isPublic: boolean | undefined;
  return async (url, init = {}) => {
    const target = new URL(url);
    const place = visible(target.origin);
    if (!isSafeUrl(target)) throw new TypeError(`${place} is not https`);
    if (isLoopback(target) && !isLoopback(server))
      throw new TypeError(`${place} is this machine, and the server is not on it`);
    using limit = deadline(net.clock, ANSWER_MS_MAX, signal);
    isPublic ??= (await addressesOf(server, net, limit.signal)).every(isPublicAddress);
    const addresses = isPublic ? await addressesOf(target, net, limit.signal) : [];
    const inside = addresses.find((address) => !isPublicAddress(address));
    if (inside !== undefined) throw new TypeError(`${place} is ${inside}, an address that is not public`);
    const [address] = addresses;
    const asked = { ...requestOf(init), signal: limit.signal, ...(address === undefined ? {} : { address }) };
    const response = await net.fetch(target.href, asked).catch((thrown: unknown) => {
      if (!UNREACHED.has(codeOf(thrown) ?? "")) throw thrown;
      throw new Error(`nothing answers at ${place}: look at the address and at the network`, {
        cause: thrown,
      });
    });
    const { status, headers } = response;
    const body = await boundedAnswer(response, net.clock, ANSWER_BYTES_MAX).arrayBuffer();
    return new Response(BODYLESS.has(status) ? null : body, { status, headers });
  };
}

async function addressesOf(url: URL, { resolve }: LoginNet, signal: AbortSignal): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return [host];
  if (host === "localhost") return ["127.0.0.1"];
  return await resolve(host, signal);
}

function requestOf({ method, headers, body }: RequestInit): Omit<FetchInit, "signal"> {
  return {
    ...(method === undefined ? {} : { method }),
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === "string" ? { body } : {}),
    ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
  };
}

import { isIP } from "node:net";
import { deadline } from "../../../base/async/deadline.ts";
import { defined } from "../../../base/defined.ts";
import type { Clock, Fetch, FetchInit, Resolve } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { isPublicAddress } from "../../../safety/public-address.ts";
import { isLoopback, isSafeUrl } from "../../../safety/safe-url.ts";
import { boundResponse } from "../transport/bounded-body.ts";
import type { RemoteFetch } from "../transport/remote-fetch.ts";

/** Answers of an authorization server are a few kilobytes. */
const ANSWER_BYTES_MAX = 1_048_576;
const ANSWER_MS_MAX = 30_000;
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The runtime's codes for a connection that was not established. */
const UNREACHED: ReadonlySet<string> = new Set([
  "ConnectionRefused",
  "ECONNREFUSED",
  "ENOTFOUND",
  "FailedToOpenSocket",
]);

export interface LoginNetwork {
  readonly fetch: Fetch;
  readonly resolve: Resolve;
  readonly clock: Clock;
}

/**
 * Returns the fetch used during a login, in which a server names further addresses to ask (S53, S55).
 *
 * It allows https, and http on this machine if the server itself is on this machine. A server on the public internet
 * may lead only to public addresses. Each host is resolved once and connected to at the checked address, so the
 * server cannot make cinch query a private network. A server in a private network may lead there. Redirects to
 * another origin are not followed.
 */
export function loginFetch(server: URL, net: LoginNetwork, signal: AbortSignal): RemoteFetch {
  let isPublic: boolean | undefined;
  return async (url, init = {}) => {
    const target = new URL(url);
    const place = visibleLine(target.origin);
    if (!isSafeUrl(target)) throw new TypeError(`${place} is not https`);
    if (isLoopback(target) && !isLoopback(server))
      throw new TypeError(`${place} is this machine, and the server is not on it`);
    using limit = deadline(net.clock, ANSWER_MS_MAX, signal);
    isPublic ??= (await addressesOf(server, net, limit.signal)).every(isPublicAddress);
    const addresses = isPublic ? await addressesOf(target, net, limit.signal) : [];
    const inside = addresses.find((address) => !isPublicAddress(address));
    if (inside !== undefined) throw new TypeError(`${place} is ${inside}, an address that is not public`);
    const [address] = addresses;
    const asked = { ...requestOf(init), signal: limit.signal, ...defined({ address }) };
    const response = await net.fetch(target.href, asked).catch((thrown: unknown) => {
      if (!UNREACHED.has(codeOf(thrown) ?? "")) throw thrown;
      throw new Error(`nothing answers at ${place}: look at the address and at the network`, {
        cause: thrown,
      });
    });
    const { status, headers } = response;
    const body = await boundResponse(response, net.clock, ANSWER_BYTES_MAX).arrayBuffer();
    return new Response(BODYLESS.has(status) ? null : body, { status, headers });
  };
}

async function addressesOf(
  url: URL,
  { resolve }: LoginNetwork,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return [host];
  if (host === "localhost") return ["127.0.0.1"];
  return await resolve(host, signal);
}

function requestOf({ method, headers, body }: RequestInit): Omit<FetchInit, "signal"> {
  return {
    ...defined({ method }),
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === "string" ? { body } : {}),
    ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
  };
}

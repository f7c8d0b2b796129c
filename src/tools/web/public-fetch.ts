import { isIP } from "node:net";
import { messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { visibleLine } from "../../safety/hidden.ts";
import { isPublicAddress } from "../../safety/public-address.ts";
import { bareHost, publicAddressesOf } from "../../safety/public-host.ts";
import { ToolFailure } from "../tool.ts";

export const REDIRECTS_MAX = 5;
/** Limit of the body after decompression. */
export const WEB_PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Answer of an address. */
export interface FetchedPage {
  /** Final address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** True if the body is longer than `PAGE_BYTES_MAX`, and the rest was not read. */
  readonly cut: boolean;
}

/** Redirect to another host, which nobody has allowed. */
export interface RedirectedPage {
  readonly url: string;
  readonly movedTo: string;
}

type Net = Pick<World, "fetch" | "resolve">;

/** All headers of a request: no credential is ever sent (TOOL-04). */
const HEADERS = {
  "user-agent": "cinch",
  accept: "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1",
  "accept-encoding": "gzip, br",
};

/**
 * Parses the address of a page.
 * @throws ToolFailure if it is no plain http or https address.
 */
export function parsePageUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null)
    throw new ToolFailure(`"${visibleLine(text)}" is not an address: give a whole http or https URL.`);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ToolFailure(`WebFetch reads http and https addresses, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolFailure("The address holds a name or a password. Give it without them.");
  }
  url.hash = "";
  return url;
}

/**
 * Refuses addresses of this machine and those that are not public, before anybody is asked (TOOL-04). A host name is
 * not resolved here: its addresses are checked when it is fetched.
 * @throws ToolFailure
 */
export function refusePrivateAddress(url: URL): void {
  const host = bareHost(url);
  const isInner = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isInner) throw innerFailure(`${url.host} is`);
}

/** @param what the requested host, and the verb. */
function innerFailure(what: string): ToolFailure {
  return new ToolFailure(
    `${what} no address of the public internet. WebFetch reads public pages only; for a server of this machine or network use Bash.`,
  );
}

/**
 * Fetches a page of the public internet (TOOL-04).
 *
 * For every hop the name is resolved once, each of its addresses must be public, and the connection goes to the
 * address that was checked. A redirect is followed on the same host only, and never from https to http. A redirect to
 * another host is returned, so that it is judged like any other call.
 * @throws ToolFailure if the address is not public, cannot be reached, or redirects in circles.
 * @throws signal.reason when the signal aborts.
 */
export async function fetchPublic(
  net: Net,
  start: URL,
  signal: AbortSignal,
): Promise<FetchedPage | RedirectedPage> {
  let url = start;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const response = await requestOnce(net, url, signal);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) {
      return await readAnswer(url, response, signal);
    }
    await response.body?.cancel();
    const next = redirectTarget(url, location);
    if (next.host !== url.host && !isUpgrade(url, next)) return { url: url.href, movedTo: next.href };
    if (url.protocol === "https:" && next.protocol === "http:") return { url: url.href, movedTo: next.href };
    url = next;
  }
  throw new ToolFailure(`${start.href} was redirected more than ${REDIRECTS_MAX} times.`);
}

function redirectTarget(from: URL, location: string): URL {
  const target = URL.parse(location, from.href);
  if (target === null) {
    throw new ToolFailure(`${from.href} redirects to "${visibleLine(location)}", which is not an address.`);
  }
  return parsePageUrl(target.href);
}

/** Returns true for a change from http to https on the default ports of one host. */
function isUpgrade(from: URL, to: URL): boolean {
  return from.hostname === to.hostname && from.port === "" && to.port === "" && to.protocol === "https:";
}

async function requestOnce(net: Net, url: URL, signal: AbortSignal): Promise<Response> {
  const addresses = await publicAddresses(net, url, signal);
  const failures: string[] = [];
  for (const address of addresses) {
    try {
      return await net.fetch(url.href, { headers: HEADERS, signal, address });
    } catch (thrown) {
      signal.throwIfAborted();
      failures.push(messageOf(thrown));
    }
  }
  throw new ToolFailure(`${url.host} cannot be reached: ${failures.map(visibleLine).join("; ")}`);
}

async function publicAddresses(net: Net, url: URL, signal: AbortSignal): Promise<readonly string[]> {
  const found = await publicAddressesOf(net, url, signal);
  switch (found.kind) {
    case "public":
      return found.addresses;
    case "inner": {
      const isItself = found.address === bareHost(url);
      throw innerFailure(
        isItself ? `${url.host} is` : `${url.host} is ${visibleLine(found.address)}, which is`,
      );
    }
    case "none": {
      const why = found.cause === undefined ? "." : `: ${visibleLine(messageOf(found.cause))}`;
      throw new ToolFailure(`${url.host} has no address${why}`);
    }
  }
}

async function readAnswer(url: URL, response: Response, signal: AbortSignal): Promise<FetchedPage> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut = false;
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value.subarray(0, WEB_PAGE_BYTES_MAX - size));
      size += value.length;
      cut = size > WEB_PAGE_BYTES_MAX;
      if (cut) break;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw new ToolFailure(`The answer of ${url.host} broke off: ${visibleLine(messageOf(thrown))}`);
  } finally {
    await reader?.cancel().catch(() => undefined); // it has ended or failed: nothing is left to stop
  }
  return {
    url: url.href,
    status: response.status,
    contentType: response.headers.get("content-type") ?? "",
    body: Buffer.concat(chunks),
    cut,
  };
}

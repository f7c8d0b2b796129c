import type { Fetch } from "../../base/world.ts";
import { decoded } from "./decoded.ts";

/**
 * Idle connections are closed after 90 s at the latest (PROV-12), so that none is kept for ever and one is there for
 * the next round. The runtime's timer moves in steps of 4 s and closes up to two steps after the time it was given,
 * which therefore is that much shorter; its own default would be five minutes.
 */
const IDLE_SECONDS_MAX = 90;
const IDLE_TIMER_STEPS_SECONDS = 8;
const IDLE_CONNECTIONS_MAX = 8;

/** Asked for unless a caller names others. Each is one that `decoded` reads; servers disagree about "deflate". */
const ENCODINGS = "gzip, br, zstd";

/**
 * The network. Only http and https: the runtime's own `fetch` would also read `file:` and `data:` URLs.
 *
 * Redirects are never followed here, since the runtime re-sends custom headers to wherever they point. How long a
 * silence may last is the caller's to say, by its signal; the runtime's own limit of five minutes is off.
 */
export function hostFetch(idleSecondsMax = IDLE_SECONDS_MAX): Fetch {
  const session = new Bun.FetchSession({
    keepAlive: {
      idleTimeout: Math.max(idleSecondsMax - IDLE_TIMER_STEPS_SECONDS, 1),
      maxIdleSockets: IDLE_CONNECTIONS_MAX,
    },
  });
  return async (url, init) => {
    const { protocol, hostname, host } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`cannot fetch a ${protocol} URL`);
    const { method, headers, body, signal, address } = init;
    // Never a kept connection: one that was made for another name at this address was checked for that name.
    const pinned = address === undefined ? {} : { keepalive: false, ...(await certificateOf(hostname)) };
    const sent = new Headers(headers);
    if (address !== undefined) sent.set("host", host);
    // The runtime asks for none where it does not decompress.
    if (!sent.has("accept-encoding")) sent.set("accept-encoding", ENCODINGS);
    const answer = await session.fetch(address === undefined ? url : at(url, address), {
      ...pinned,
      // The runtime would print what it thinks of a damaged body.
      decompress: false,
      redirect: "manual",
      timeout: false,
      signal,
      ...(method === undefined ? {} : { method }),
      headers: sent,
      ...(body === undefined ? {} : { body: body as BodyInit }), // a Uint8Array is one; the DOM types ask for its buffer kind
    });
    return decoded(answer, signal);
  };
}

/** The same URL at an address: what is connected to. */
function at(url: string, address: string): string {
  const moved = new URL(url);
  moved.hostname = address.includes(":") ? `[${address}]` : address;
  return moved.href;
}

/** The name that the certificate is checked against; an address is its own. */
async function certificateOf(hostname: string): Promise<{ readonly tls?: { readonly serverName: string } }> {
  const { isIP } = await import("node:net"); // takes milliseconds to load, and requests to providers have no use for it
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { tls: { serverName: hostname } } : {};
}

/** HTTP over a Unix socket, whatever host the URL names: how processes of ours talk to each other. */
export function hostFetchThrough(socket: string): Fetch {
  return async (url, { method, headers, body, signal }) =>
    await fetch(url, {
      unix: socket,
      redirect: "manual",
      timeout: false,
      signal,
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers: { ...headers } }),
      ...(body === undefined ? {} : { body: body as BodyInit }),
    } as RequestInit);
}

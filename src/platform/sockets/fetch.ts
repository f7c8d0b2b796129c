import { defined } from "../../base/defined.ts";
import type { Fetch } from "../../base/world.ts";
import { decodeBody } from "./decode-body.ts";

/**
 * Idle connections are closed after at most 90 s (PROV-12), so that none stays for ever and one is available for the
 * next round. The runtime's timer has steps of 4 s and closes up to two steps late, so its value is lower by that
 * much. Its default would be five minutes.
 */
const IDLE_SECONDS_MAX = 90;
const IDLE_TIMER_STEPS_SECONDS = 8;
const IDLE_CONNECTIONS_MAX = 8;

/** Requested unless a caller names others. `decoded` reads each; servers disagree about "deflate". */
const ENCODINGS = "gzip, br, zstd";

/**
 * Returns the network. Only http and https: the runtime's `fetch` would also read `file:` and `data:` URLs.
 *
 * Redirects are never followed, since the runtime re-sends custom headers to their target. The caller's signal limits
 * silence; the runtime's own limit of five minutes is off.
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
    // Never a kept connection: one opened for another name at this address was checked for that name.
    const pinned = address === undefined ? {} : { keepalive: false, ...(await certificateOf(hostname)) };
    const sent = new Headers(headers);
    if (address !== undefined) sent.set("host", host);
    // The runtime requests none if it does not decompress.
    if (!sent.has("accept-encoding")) sent.set("accept-encoding", ENCODINGS);
    const answer = await session.fetch(address === undefined ? url : at(url, address), {
      ...pinned,
      // The runtime would print a message about a damaged body.
      decompress: false,
      redirect: "manual",
      timeout: false,
      signal,
      ...defined({ method }),
      headers: sent,
      // A Uint8Array is one; the DOM types require its buffer kind.
      ...(body === undefined ? {} : { body: body as BodyInit }),
    });
    return decodeBody(answer, signal);
  };
}

/** Returns the same URL at an address: the target of the connection. */
function at(url: string, address: string): string {
  const moved = new URL(url);
  moved.hostname = address.includes(":") ? `[${address}]` : address;
  return moved.href;
}

/** Returns the name that the certificate is checked against; an address stands for itself. */
async function certificateOf(hostname: string): Promise<{ readonly tls?: { readonly serverName: string } }> {
  const { isIP } = await import("node:net"); // takes milliseconds to load, and requests to providers do not need it
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { tls: { serverName: hostname } } : {};
}

/** Returns HTTP over a Unix socket, whatever host the URL names, for connections between processes of cinch. */
export function hostFetchThrough(socket: string): Fetch {
  return async (url, { method, headers, body, signal }) =>
    await fetch(url, {
      unix: socket,
      redirect: "manual",
      timeout: false,
      signal,
      ...defined({ method }),
      ...(headers === undefined ? {} : { headers: { ...headers } }),
      ...(body === undefined ? {} : { body: body as BodyInit }),
    } as RequestInit);
}

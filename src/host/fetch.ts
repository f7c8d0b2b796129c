import type { Fetch } from "../base/world.ts";

/**
 * Idle connections are closed after 90 s at the latest (PROV-12), so that none is kept for ever and one is there for
 * the next round. The runtime's timer moves in steps of 4 s and closes up to two steps after the time it was given,
 * which therefore is that much shorter; its own default would be five minutes.
 */
const IDLE_SECONDS_MAX = 90;
const IDLE_TIMER_STEPS_SECONDS = 8;
const IDLE_CONNECTIONS_MAX = 8;

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
    const { protocol } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`cannot fetch a ${protocol} URL`);
    const { method, headers, body, signal } = init;
    return await session.fetch(url, {
      redirect: "manual",
      timeout: false,
      signal,
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers: { ...headers } }),
      ...(body === undefined ? {} : { body: body as BodyInit }), // a Uint8Array is one; the DOM types ask for its buffer kind
    });
  };
}

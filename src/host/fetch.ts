import type { Fetch } from "../base/world.ts";

/**
 * The network. Only http and https: the runtime's own `fetch` would also read `file:` and `data:` URLs.
 *
 * Redirects are never followed here, since the runtime re-sends custom headers to wherever they point.
 */
export const hostFetch: Fetch = async (url, init) => {
  const { protocol } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`cannot fetch a ${protocol} URL`);
  const { method, headers, body, signal } = init;
  return await fetch(url, {
    redirect: "manual",
    signal,
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(body === undefined ? {} : { body: body as BodyInit }), // a Uint8Array is one; the DOM types ask for its buffer kind
  });
};

import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import type { Clock, Listen } from "../../../base/world.ts";
import { sameSecret } from "../../../safety/private-file.ts";

/** The longest time for a person to log in. */
export const LOGIN_MS_MAX = 600_000;
const PATH = "/callback";
const QUERY_UNITS_MAX = 16_384;

export interface RedirectListener extends AsyncDisposable {
  /** The address to which the authorization server sends the browser back. */
  readonly redirectUrl: string;
  /**
   * Resolves to the parameters of the first request that carries this login's state.
   * @throws DeadlineReached after `LOGIN_MS_MAX`; the signal's reason.
   */
  answered(signal: AbortSignal): Promise<URLSearchParams>;
}

/**
 * Listens on loopback for the one request that ends a login (RFC 8252 § 7.3), on a port chosen by the system.
 *
 * A request with another host, path, method or state is rejected and has no effect. A page that guesses can thus
 * neither inject a code nor end the login. The listener is open for one login only.
 * @param wanted the state of the login.
 */
export async function listenForRedirect(
  listen: Listen,
  clock: Clock,
  wanted: string,
): Promise<RedirectListener> {
  const came = Promise.withResolvers<URLSearchParams>();
  let host = "";
  const listening = await listen({
    target: { kind: "tcp", hostname: "127.0.0.1", port: 0 },
    bodyBytesMax: 0,
    idleMsMax: 60_000,
    handle(request) {
      const url = URL.parse(request.url);
      if (request.method !== "GET" || url?.pathname !== PATH || request.headers.get("host") !== host)
        return page(404, "There is nothing here.");
      const state = url.searchParams.get("state") ?? "";
      const isOurs =
        wanted !== undefined && url.search.length <= QUERY_UNITS_MAX && sameSecret(state, wanted);
      if (!isOurs) return page(400, "This does not belong to the login that is under way.");
      came.resolve(url.searchParams);
      const isRefused = url.searchParams.get("code") === null;
      return page(
        200,
        isRefused ? "The login was refused." : "cinch has received the answer. You can close this page.",
      );
    },
  });
  const port = new URL(listening.address.includes("://") ? listening.address : `http://${listening.address}`)
    .port;
  host = `127.0.0.1:${port}`;
  return {
    redirectUrl: `http://${host}${PATH}`,
    async answered(signal) {
      using limit = deadline(clock, LOGIN_MS_MAX, signal);
      return await whileAlive(came.promise, limit.signal);
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

function page(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

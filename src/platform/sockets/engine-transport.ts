import { defined } from "../../base/defined.ts";
import type { Fetch } from "../../base/world.ts";
import { hostFetch, hostFetchThrough } from "./fetch.ts";

/** Address of an engine. */
export type EngineAddress =
  | { readonly kind: "unix"; readonly path: string }
  /** `ca`: certificates, as PEM, that are trusted instead of the system's. */
  | { readonly kind: "url"; readonly ca?: string };

export interface EngineTransport {
  readonly fetch: Fetch;
  readonly openSocket: (url: string, protocols: string[]) => WebSocket;
}

/** Returns the two ways to reach an engine: requests and WebSockets. Certificates are always verified. */
export function engineTransport(place: EngineAddress): EngineTransport {
  if (place.kind === "unix") {
    return {
      fetch: hostFetchThrough(place.path),
      openSocket(url, protocols) {
        const { pathname, search } = new URL(url);
        return new WebSocket(`ws+unix://${place.path}:${pathname}${search}`, protocols);
      },
    };
  }
  const { ca } = place;
  return {
    fetch: ca === undefined ? hostFetch() : trusting(ca),
    openSocket: (url, protocols) =>
      ca === undefined
        ? new WebSocket(url, protocols)
        : new WebSocket(url, { protocols, tls: { ca } } as unknown as string[]), // the DOM types lack these options
  };
}

function trusting(ca: string): Fetch {
  return async (url, { method, headers, body, signal }) =>
    await fetch(url, {
      redirect: "manual",
      timeout: false,
      tls: { ca },
      signal,
      ...defined({ method }),
      ...(headers === undefined ? {} : { headers: { ...headers } }),
      ...(body === undefined ? {} : { body: body as BodyInit }),
    } as RequestInit);
}

import type { HttpAccess } from "../../../conformance/http-access.ts";
import { hostFetch, hostFetchThrough } from "../../../platform/sockets/fetch.ts";
import type { Against } from "./against.ts";

/** Returns access to a server at an address: requests and WebSockets. Certificates are always verified. */
export function openHttpAccess(against: Extract<Against, { readonly kind: "url" | "unix" }>): HttpAccess {
  if (against.kind === "unix") {
    const { path: socket } = against;
    const send = hostFetchThrough(socket);
    return {
      isUnix: true,
      fetch: (path, init) => send(`http://localhost${path}`, init),
      openSocket: (path, protocols) => new WebSocket(`ws+unix://${socket}:${path}`, [...protocols]),
    };
  }
  const send = hostFetch();
  const { url } = against;
  return {
    fetch: (path, init) => send(`${url}${path}`, init),
    openSocket: (path, protocols) => new WebSocket(`${url.replace(/^http/, "ws")}${path}`, [...protocols]),
  };
}

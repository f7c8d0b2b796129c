import { HarnessError } from "../../base/errors.ts";
import { plain } from "../../base/text/text.ts";
import type { Carrier } from "./route.ts";

/** Names in a query that would put a token into an address: addresses end up in logs and histories. */
const TOKEN_PARAMETERS: readonly string[] = ["token", "access_token", "x-harness-token", "authorization"];
const TOKEN_PROTOCOL = "cinch.token.";
/** Characters of a wrong header that its refusal shows. */
const SHOWN_CHARS_MAX = 100;

/** Methods and headers that a page of an allowed origin may use. */
const ALLOWED_METHODS = "GET, POST, DELETE";
const ALLOWED_HEADERS =
  "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-harness-client, x-harness-token, x-harness-version";

/**
 * Checks the Host against the names of this listener: a page that has its own name point here has another one (DNS
 * rebinding, AUTH-06). Two Host headers arrive joined, and so are refused.
 * @param served absent: any well-formed name with the right port, if a certificate authenticates the names.
 */
export function assertHost(headers: Headers, served: readonly string[] | { readonly port: number }): void {
  const host = headers.get("host") ?? "";
  if ("port" in served) {
    const [, port = ""] = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(host) ?? [];
    if (Number(port) === served.port) return;
    throw new HarnessError("InvalidHost", {
      host: plain(host, SHOWN_CHARS_MAX),
      served: `its name with :${served.port}`,
    });
  }
  if (served.includes(host)) return;
  throw new HarnessError("InvalidHost", { host: plain(host, SHOWN_CHARS_MAX), served: served.join(" or ") });
}

/** Requests that a browser marks as allowed without an origin: those of pages of this listener, and typed addresses. */
const OWN_SITES: readonly string[] = ["same-origin", "none"];

/**
 * Returns the origin of the page that asks, if one does.
 * @throws HarnessError InvalidOrigin for one that is not allowed, and for a foreign page that names none.
 */
export function assertOrigin(headers: Headers, allowed: readonly string[]): string | undefined {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (origin === null) {
    if (site === null || OWN_SITES.includes(site)) return undefined;
    throw new HarnessError("InvalidOrigin", {
      origin: `a page that sends no Origin (Sec-Fetch-Site: ${plain(site, SHOWN_CHARS_MAX)})`,
    });
  }
  if (allowed.includes(origin)) return origin;
  throw new HarnessError("InvalidOrigin", { origin: plain(origin, SHOWN_CHARS_MAX) });
}

/**
 * Returns the headers that let a page of an allowed origin read an answer. Cookies play no part, so credentials are not
 * allowed. Every answer depends on the origin, also that of a request without one.
 */
export function originHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined) return { vary: "origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "mcp-session-id, x-harness-client",
    vary: "origin",
  };
}

/** Returns the answer to a preflight of an allowed origin. Some browsers ask before they reach a private address. */
export function preflightHeaders(origin: string, asked: Headers): Readonly<Record<string, string>> {
  const isPrivate = asked.get("access-control-request-private-network") === "true";
  return {
    ...originHeaders(origin),
    "access-control-allow-methods": ALLOWED_METHODS,
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": "600",
    ...(isPrivate ? { "access-control-allow-private-network": "true" } : {}),
  };
}

/** @throws HarnessError InvalidPath if a token stands in the address. */
export function assertNoToken(query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (TOKEN_PARAMETERS.includes(name.toLowerCase())) {
      const why = "a token never stands in an address, which is logged. Send the header X-Harness-Token";
      throw new HarnessError("InvalidPath", { why });
    }
  }
}

/** Returns the token of a request, unchecked. */
export function tokenOf(headers: Headers, carrier: Carrier): string | undefined {
  switch (carrier) {
    case "bearer":
      return /^Bearer +([^\s,]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    case "header":
      return headers.get("x-harness-token") ?? undefined;
    case "subprotocol": {
      const offered = (headers.get("sec-websocket-protocol") ?? "").split(",").map((each) => each.trim());
      const carrying = offered.find((each) => each.startsWith(TOKEN_PROTOCOL));
      return headers.get("x-harness-token") ?? carrying?.slice(TOKEN_PROTOCOL.length);
    }
  }
}

/**
 * Checks the type of a body. A request without a body needs none: `POST /cancel` of the minimal server has
 * none (LIB-06).
 * @throws HarnessError UnsupportedMediaType: a form of another page could send anything else without asking.
 */
export function assertJson(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  const isEmpty = (headers.get("content-length") ?? "0") === "0" && !headers.has("transfer-encoding");
  if (type === "" && isEmpty) return;
  if (/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) return;
  throw new HarnessError("UnsupportedMediaType", {});
}

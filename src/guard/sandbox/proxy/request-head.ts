import { parseHost } from "../../../session/guard/hosts.ts";
import type { BodyFraming } from "./request-body.ts";

/** A parsed request of a client of the proxy. */
export type ProxyRequest =
  | { readonly kind: "tunnel"; readonly host: string; readonly port: number }
  /** `head`: the bytes to forward, up to and including the empty line. */
  | {
      readonly kind: "forward";
      readonly host: string;
      readonly port: number;
      readonly head: string;
      readonly body: BodyFraming;
    };

export const REQUEST_HEAD_BYTES_MAX = 16_384;

const HOP_BY_HOP = /^(?:connection|proxy-[a-z-]+|keep-alive|te|trailer|upgrade|host)$/i;
const METHOD = /^[A-Z]{1,20}$/;

/**
 * Parses the head of a request to the proxy; returns undefined for anything that is not exactly one (S55, S57).
 *
 * A host is what `parseHost` accepts: no byte outside of names, no user, no second spelling. A head with a bare
 * carriage return or line feed is rejected: two readers could see two requests in it.
 */
export function parseProxyRequest(head: string): ProxyRequest | undefined {
  const lines = head.split("\r\n");
  const [first = "", ...headers] = lines;
  if (/[\0-\x1f\x7f]/.test(lines.join("").replaceAll("\t", ""))) return undefined;
  const [method = "", target = "", version = "", ...rest] = first.split(" ");
  if (rest.length > 0 || !METHOD.test(method) || !/^HTTP\/1\.[01]$/.test(version)) return undefined;
  if (method === "CONNECT") {
    const place = authority(target, undefined);
    return place === undefined ? undefined : { kind: "tunnel", ...place };
  }
  const [, named = "", path = "/"] = /^http:\/\/([^/?#@\\]+)(\/[^#]*)?$/i.exec(target) ?? [];
  const place = authority(named, 80);
  if (place === undefined) return undefined;
  const forwarded = fieldsOf(headers);
  if (forwarded === undefined) return undefined;
  const body = framingOf(forwarded, version);
  if (body === undefined) return undefined;
  const lead = [`${method} ${path} HTTP/1.1`, `Host: ${named}`, "Connection: close"];
  return { kind: "forward", ...place, head: [...lead, ...forwarded, "", ""].join("\r\n"), body };
}

/**
 * Returns the framing of a body; undefined if two readers could see two ends (S57): a length given twice, beside
 * chunks, or not a number.
 */
function framingOf(fields: readonly string[], version: string): BodyFraming | undefined {
  const values = (name: string) =>
    fields.flatMap((field) => {
      const at = field.indexOf(":");
      return field.slice(0, at).toLowerCase() === name
        ? [field.slice(at + 1).replace(/^[ \t]+|[ \t]+$/g, "")]
        : [];
    });
  const [lengths, codings] = [values("content-length"), values("transfer-encoding")];
  if (lengths.length + codings.length > 1) return undefined;
  const [length, coding] = [lengths[0], codings[0]];
  if (coding !== undefined)
    return coding.toLowerCase() === "chunked" && version === "HTTP/1.1" ? { kind: "chunked" } : undefined;
  if (length === undefined) return { kind: "none" };
  return /^\d{1,15}$/.test(length) ? { kind: "length", bytes: Number(length) } : undefined;
}

/** Returns the header lines to forward; undefined if one is malformed. */
function fieldsOf(headers: readonly string[]): readonly string[] | undefined {
  const forwarded: string[] = [];
  for (const line of headers.filter((each) => each !== "")) {
    const name = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):/.exec(line)?.[1];
    if (name === undefined) return undefined;
    if (!HOP_BY_HOP.test(name)) forwarded.push(line);
  }
  return forwarded;
}

function authority(
  text: string,
  portDefault: number | undefined,
): { readonly host: string; readonly port: number } | undefined {
  const parts = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  const host = parts?.[1] === undefined ? undefined : parseHost(parts[1]);
  const port = parts?.[2] === undefined ? portDefault : Number(parts[2]);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

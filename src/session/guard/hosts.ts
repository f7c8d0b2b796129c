import { defined } from "../../base/defined.ts";

/** One entry of an allowlist of hosts: `example.com`, `*.example.com`, either with `:port`. */
export interface HostEntry {
  readonly text: string;
  /** In lower case, without a dot at the end. For `*.example.com` it is `example.com`. */
  readonly host: string;
  /** True if it stands for every name below `host`, and not for `host` itself. */
  readonly below: boolean;
  /** Absent: the web ports 80 and 443; on this machine every port, since its servers rarely use those two. */
  readonly port?: number;
}

/** Request that the proxy has refused. */
export interface ProxyRefusal {
  readonly why: string;
  /** Host as a list would name it, with its port unless that is the web's; only if the list is why. */
  readonly host?: string;
}

const WEB_PORTS: readonly number[] = [80, 443];
const NAME_CHARACTERS_MAX = 253;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Reads a host name. The only grammar accepted: letters, digits, `-` and `_` between dots, or four decimal numbers, or
 * an IPv6 address in brackets. No other byte, no empty label, no other spelling of a number (S55, S57).
 */
export function parseHost(text: string): string | undefined {
  const host = text.toLowerCase().replace(/\.$/, "");
  if (host.length === 0 || host.length > NAME_CHARACTERS_MAX) return undefined;
  if (/^\[[0-9a-f:.]+\]$/.test(host)) return URL.parse(`http://${host}/`)?.hostname;
  const labels = host.split(".");
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // A last label that begins like a number is an address to resolvers, in one of many notations: only one is accepted.
  if (/^(?:\d|0x)/.test(labels.at(-1) ?? "")) return isDottedQuad(labels) ? host : undefined;
  return host;
}

function isDottedQuad(labels: readonly string[]): boolean {
  return (
    labels.length === 4 && labels.every((label) => /^(?:0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255)
  );
}

/** Reads one entry of a list, or returns what is wrong with it. */
export function parseHostEntry(text: string): HostEntry | { readonly problem: string } {
  const parts = /^(\*\.)?(\[[^\]]*\]|[^:[\]*]+)(?::(\d{1,5}))?$/.exec(text);
  const host = parts?.[2] === undefined ? undefined : parseHost(parts[2]);
  const port = parts?.[3] === undefined ? undefined : Number(parts[3]);
  if (host === undefined)
    return { problem: `"${text}" is not a host: write example.com, *.example.com or example.com:8443` };
  const below = parts?.[1] !== undefined;
  if (below && (!host.includes(".") || isLiteral(host))) {
    return { problem: `"${text}" is too much: what stands behind *. needs a dot, as in *.example.com` };
  }
  if (port !== undefined && (port < 1 || port > 65_535))
    return { problem: `"${text}" has no port from 1 to 65535` };
  return { text, host, below, ...defined({ port }) };
}

/** Returns true for an address, false for a name. */
export function isLiteral(host: string): boolean {
  return host.startsWith("[") || /^\d+(?:\.\d+){3}$/.test(host);
}

/** Returns the entry that allows a host and port, by equality of whole names; undefined if it stays closed. */
export function entryFor(entries: readonly HostEntry[], host: string, port: number): HostEntry | undefined {
  return entries.find((entry) => {
    const named = entry.below ? host.endsWith(`.${entry.host}`) && !isLiteral(host) : host === entry.host;
    if (!named) return false;
    if (entry.port !== undefined) return port === entry.port;
    return WEB_PORTS.includes(port) || isThisMachine(host);
  });
}

/** Returns true for a host, as `parseHost` spells it, that is always this machine, without a resolver. */
export function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isLiteral(host) && host.startsWith("127."));
}

/** Returns the entry that allows one host and port, as a person would write it. */
export function entryText(host: string, port: number): string {
  return WEB_PORTS.includes(port) ? host : `${host}:${port}`;
}

/**
 * Returns true for a name of the public network, with or without a port: not this machine, no private domain,
 * no address.
 */
export function isPublicName(host: string): boolean {
  return (
    /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*(?::\d{1,5})?$/i.test(host) &&
    !/\.(?:localhost|local|internal|arpa)(?::\d+)?$/i.test(host)
  );
}

/** Returns the line of `[sandbox]` that lists these hosts. */
export function networkSetting(hosts: readonly string[]): string {
  return `network = [${hosts.map((host) => JSON.stringify(host)).join(", ")}]`;
}

import { defined } from "../../../base/defined.ts";

/** The parts of a `WWW-Authenticate` header that say which token a server wants. */
export interface Challenge {
  readonly error?: string;
  readonly scope?: string;
  readonly resourceMetadata?: string;
}

/**
 * Parses the Bearer challenge of a `WWW-Authenticate` header (RFC 9110 § 11.6.1). Anything it does not understand is
 * ignored. If a parameter is repeated, the first one counts.
 */
export function parseChallenge(header: string): Challenge {
  const bearer = /(?:^|[\s,])bearer(?:\s+|$)/i.exec(header);
  if (bearer === null) return {};
  const parameters = new Map<string, string>();
  for (const match of header.slice(bearer.index + bearer[0].length).matchAll(PARAMETER)) {
    const [, name = "", quoted, bare = ""] = match;
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, "$1") ?? bare);
  }
  const [error, scope, resource] = ["error", "scope", "resource_metadata"].map((key) => parameters.get(key));
  return {
    ...defined({ error, scope, resourceMetadata: resource }),
  };
}

const PARAMETER = /([A-Za-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

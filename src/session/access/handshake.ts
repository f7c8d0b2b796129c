import { HarnessError } from "../../base/errors.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import { QUERY_KINDS } from "../../protocol/kinds.ts";
import {
  CANONICAL_FORM_VERSION,
  PROFILE_VERSION,
  PROTOCOL_VERSION,
  RESOURCE_URI_SCHEME,
  SESSION_LOG_VERSION,
  TOKEN_CLAIM_VERSION,
} from "../../protocol/version.ts";

/** Features that this server serves. A feature that is not named cannot be relied upon ([A] § Handshake). */
export interface ServedFeatures {
  readonly commands: readonly CommandKind[];
  readonly events: readonly EventKind[];
  readonly features: readonly string[];
}

/**
 * Checks the protocol version of a client.
 * @throws HarnessError HandshakeVersionMismatch for another major version, a newer minor one, or text that is no
 * version. Older minor versions always work.
 */
export function assertVersion(clientVersion: string): void {
  const client = parseVersion(clientVersion);
  const server = parseVersion(PROTOCOL_VERSION);
  if (
    client === undefined ||
    server === undefined ||
    client.major !== server.major ||
    client.minor > server.minor
  ) {
    throw new HarnessError("HandshakeVersionMismatch", {
      client_ver: clientVersion,
      server_ver: PROTOCOL_VERSION,
      client_or_server:
        client !== undefined && server !== undefined && newer(client, server) ? "server" : "client",
    });
  }
}

/** Answers a client's handshake. @throws HarnessError HandshakeVersionMismatch, as `assertVersion` does. */
export function answerHandshake(clientVersion: string, served: ServedFeatures): Handshake {
  assertVersion(clientVersion);
  return {
    protocol_version: PROTOCOL_VERSION,
    canonical_form_version: CANONICAL_FORM_VERSION,
    schema_version_token_claim: TOKEN_CLAIM_VERSION,
    schema_version_profile: PROFILE_VERSION,
    schema_version_session_log: SESSION_LOG_VERSION,
    command_kinds: [...served.commands],
    event_kinds: [...served.events],
    query_kinds: [...QUERY_KINDS],
    features: [...served.features],
    resource_uri_scheme: RESOURCE_URI_SCHEME,
  };
}

/**
 * Returns true if `version` is of an older minor version than `minor` of `major`; false for text that is no version.
 */
export function isOlderVersion(version: string, than: Version): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && newer(than, parsed);
}

interface Version {
  readonly major: number;
  readonly minor: number;
}

function parseVersion(text: string): Version | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}$/.exec(text);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

function newer(a: Version, b: Version): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}

import { arrayAt, stringAt } from "../base/json.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import type { HttpAccess } from "./http-access.ts";
import type { ServerFacts } from "./run-scenarios.ts";
import { isOlder } from "./run-scenarios.ts";
import { answerOf, askRest } from "./transports/rest-transport.ts";
import { Refused } from "./transports/transport.ts";

/**
 * Makes the handshake over HTTP as the token's default client, in the older of both versions.
 * @throws Refused if the server refuses it; what `fetch` throws if there is no server.
 */
export async function discover(http: HttpAccess, token: string, signal: AbortSignal): Promise<ServerFacts> {
  const answer = await answerOf(await askRest(http, "/v1/handshake", { signal }));
  if (answer.kind === "refused") throw new Refused("GET /v1/handshake", answer);
  const serverVersion = stringAt(answer.body, "protocol_version") ?? PROTOCOL_VERSION;
  const version = isOlder(serverVersion, PROTOCOL_VERSION) ? serverVersion : PROTOCOL_VERSION;
  const made = await answerOf(await askRest(http, `/v1/handshake?version=${version}`, { token, signal }));
  if (made.kind === "refused") throw new Refused("the handshake", made);
  return readServerFacts(made.body, version);
}

/** Reads a server's facts from its handshake; a missing list counts as empty. */
export function readServerFacts(handshake: unknown, version: string): ServerFacts {
  return {
    protocolVersion: version,
    commandKinds: texts(handshake, "command_kinds"),
    eventKinds: texts(handshake, "event_kinds"),
    features: texts(handshake, "features"),
  };
}

function texts(value: unknown, key: string): readonly string[] {
  return arrayAt(value, key).filter((each) => typeof each === "string");
}

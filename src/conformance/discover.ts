import { arrayAt, stringAt } from "../base/json.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import type { HttpDoor } from "./door.ts";
import type { ServerFacts } from "./walk.ts";
import { isOlder } from "./walk.ts";
import { answerOf, askRest } from "./wires/rest-wire.ts";
import { Refused } from "./wires/wire.ts";

/**
 * Makes the handshake over HTTP as the given token's own client, in the server's version where that is older than ours.
 * @throws Refused where the server does not let it in; what `fetch` throws where there is none.
 */
export async function discover(door: HttpDoor, token: string, signal: AbortSignal): Promise<ServerFacts> {
  const told = await answerOf(await askRest(door, "/v1/handshake", { signal }));
  if (told.kind === "refused") throw new Refused("GET /v1/handshake", told);
  const theirs = stringAt(told.body, "protocol_version") ?? PROTOCOL_VERSION;
  const version = isOlder(theirs, PROTOCOL_VERSION) ? theirs : PROTOCOL_VERSION;
  const made = await answerOf(await askRest(door, `/v1/handshake?version=${version}`, { token, signal }));
  if (made.kind === "refused") throw new Refused("the handshake", made);
  return factsOf(made.body, version);
}

/** What a handshake says of its server; what it leaves out is not there. */
export function factsOf(handshake: unknown, version: string): ServerFacts {
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

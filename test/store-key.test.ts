import { expect, test } from "bun:test";
import type { Connection } from "../src/protocol/connection.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { AttachRequest, ClientWire } from "../src/session/access/attach-request.ts";
import { openPlace } from "./support/place.ts";

const KEY = "Zc81Qn5RwPd27LxUe0YbTf94Ma";
const PERSON: AttachRequest = { identityClass: "human", label: "test" };

async function refusal(connection: Connection): Promise<string> {
  await connection.handshake(PROTOCOL_VERSION);
  const sent = connection.send({ kind: "StoreProviderKey", provider: "anthropic", key: KEY });
  return await sent.then(
    () => "accepted",
    (thrown: unknown) => String(thrown),
  );
}

test("[CTL-19 AUTH-06] a key is taken by the way that the transport names, and by no unknown one", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  const port = await harness.port([]);
  const ways: readonly (ClientWire | undefined)[] = [
    "process",
    "unix",
    "loopback",
    "lan",
    "stdio",
    undefined,
  ];
  const told: Record<string, string> = {};
  for (const wire of ways) {
    await using client = port.attach(wire === undefined ? PERSON : { ...PERSON, wire });
    told[wire ?? "unknown"] = await refusal(client);
  }
  // It has passed: this engine is in a program, and has no helper.
  expect(told["process"]).toContain("Set ANTHROPIC_API_KEY in the environment");
  expect(told["unix"]).toBe(told["process"] ?? "");
  expect(told["loopback"]).toContain("this client came another way (a port of this machine)");
  expect(told["lan"]).toContain("(a port of the network). Run cinch creds add there");
  expect(told["stdio"]).toContain("(a program's standard streams)");
  expect(told["unknown"]).toContain("(unknown)");
  for (const text of Object.values(told)) expect(text).not.toContain(KEY);
});

test("[CTL-19 AUTH-07] a client in the engine's process is one whatever it says, and an agent is refused there too", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  await using client = await harness.attach({ ...PERSON, wire: "lan" });
  expect(await refusal(client)).toContain("Set ANTHROPIC_API_KEY in the environment");
  await using agent = await harness.attach({ identityClass: "agent", label: "test" });
  expect(await refusal(agent)).toContain("only a client of class human may do that");
});

import { expect, test } from "bun:test";
import type { OpenHarness } from "../src/app/harness.ts";
import type { SessionId } from "../src/base/ids.ts";
import type { Connection } from "../src/protocol/connection.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { follow, openPlace } from "./support/place.ts";
import { reading } from "./support/reading.ts";
import { until } from "./support/until.ts";

async function attach(
  harness: OpenHarness,
  request: Parameters<OpenHarness["attach"]>[0],
): Promise<Connection> {
  const connection = await harness.attach(request);
  await connection.handshake(PROTOCOL_VERSION);
  return connection;
}

function hush(connection: Connection, sessionId: SessionId): Promise<unknown> {
  const payload = { args: [sessionId] };
  return connection.send({ kind: "CustomCommand", sessionId, namespace: "sessions", verb: "hush", payload });
}

test("[CTL-12] an engine announces an agent's session to people alone, in no log, and only a person mutes it", async () => {
  await using place = openPlace();
  const desktop: string[] = [];
  await using harness = await place.open({
    wishes: { attended: true },
    tellDesktop(text) {
      desktop.push(text);
      return Promise.resolve(true);
    },
  });
  await using person = await follow(harness);
  const scope = { sessions: [harness.session], commands: "all" } as const;
  await using agent = await attach(harness, { identityClass: "agent", label: "outer" });
  await using visitor = await attach(harness, { identityClass: "human", label: "visitor", scope });

  const { sessionId = harness.session } = await agent.send({ kind: "CreateSession" });
  const text = `Outer agent outer started session ${sessionId}. /sessions:attach ${sessionId} to observe.`;
  await until("a person is told", () => person.seen.some(({ kind }) => kind === "CustomEvent"));
  expect(desktop).toEqual([text]);
  expect(person.seen.filter(({ kind }) => kind === "CustomEvent")).toEqual([
    expect.objectContaining({
      aside: true,
      payload: {
        namespace: "cinch",
        kind: "AgentSession",
        payload: { session: sessionId, agent: "outer", text },
      },
    }),
  ]);
  const logged: string[] = [];
  const catalogue = reading(await harness.port([]));
  const everything = { sessions: "all", commands: "all" } as const;
  for (const id of [sessionId, harness.session])
    for await (const { kind } of catalogue.log(id, 0, everything)) logged.push(kind);
  expect(logged).not.toContain("CustomEvent");

  await expect(hush(agent, sessionId)).rejects.toMatchObject({ reason: "InvalidCommand" });
  await expect(hush(visitor, harness.session)).rejects.toThrow("This token does not allow");
  await expect(hush(person.connection, harness.session)).rejects.toMatchObject({ reason: "InvalidCommand" });
  await hush(person.connection, sessionId);

  // A session that a person begins is nobody's news.
  await person.connection.send({ kind: "CreateSession" });
  expect(desktop).toHaveLength(1);
});

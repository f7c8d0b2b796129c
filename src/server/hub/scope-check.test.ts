import { expect, test } from "bun:test";
import { openRig } from "../../../test/support/rig.ts";
import { says } from "../../../test/support/scripted-provider.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../protocol/kinds.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { Scope } from "../../session/access/scope.ts";
import { connectInproc } from "./inproc.ts";

const { signal } = new AbortController();

type Rig = Awaited<ReturnType<typeof openRig>>;

async function scoped(rig: Rig, scope: Scope) {
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: [] };
  const request = { identityClass: "human", label: "scoped", scope } as const;
  const connection = connectInproc(rig.multiplexer, request, served);
  await connection.handshake(PROTOCOL_VERSION);
  return connection;
}

function input(sessionId: Rig["session"]["id"]) {
  return { kind: "SendInput" as const, sessionId, content: [{ type: "text" as const, text: "go" }] };
}

test("[AUTH-07] a kind of command that a token does not name is refused, whichever session it is for", async () => {
  await using rig = await openRig({ script: [says("hello")] });
  const { id: sessionId } = rig.session;
  const connection = await scoped(rig, { sessions: "all", commands: ["SendInput"] });
  await expect(connection.send({ kind: "CancelTurn", sessionId })).rejects.toMatchObject({
    reason: "Forbidden",
    message: "This token does not allow the command CancelTurn. Use one whose claims name it.",
  });
  expect(await connection.send(input(sessionId))).toEqual({});
  await rig.until("TurnEnded");
});

test("[AUTH-07] a session that a token does not name takes no command from it, and shows it no event", async () => {
  await using rig = await openRig({ script: [] });
  const { id: sessionId } = rig.session;
  const other = rig.world.ids.next("sess");
  const connection = await scoped(rig, { sessions: [other], commands: "all" });
  const refused = { reason: "Forbidden" };
  await expect(connection.send(input(sessionId))).rejects.toMatchObject(refused);
  await expect(connection.send({ kind: "AttachSession", sessionId })).rejects.toMatchObject(refused);
  await expect(Array.fromAsync(connection.subscribe(sessionId, { since: 0, signal }))).rejects.toMatchObject(
    refused,
  );
  // Whether there is such a session makes no difference to what it is told.
  const nowhere = rig.world.ids.next("sess");
  await expect(connection.send(input(nowhere))).rejects.toMatchObject(refused);
  expect(rig.events.map(({ kind }) => kind)).not.toContain("TurnStarted");
});

test("[AUTH-07] a token of one session begins no others, and sees none through a namespace", async () => {
  await using rig = await openRig({ script: [] });
  const { id: sessionId } = rig.session;
  const connection = await scoped(rig, { sessions: [sessionId], commands: "all" });
  await expect(connection.send({ kind: "CreateSession", profile: "test" })).rejects.toMatchObject({
    message: "This token does not allow new sessions. Use one whose claims name it.",
  });
  const resume = rig.world.ids.next("log");
  await expect(connection.send({ kind: "CreateSession", profile: "test", resume })).rejects.toMatchObject({
    reason: "Forbidden",
  });
  const list = { kind: "CustomCommand", sessionId, namespace: "sessions", verb: "list" } as const;
  await expect(connection.send({ ...list, payload: {} })).rejects.toMatchObject({ reason: "Forbidden" });
});

test("[AUTH-07] who was let into a session is let into the next run of its log", async () => {
  await using rig = await openRig({ script: [says("one"), says("two")] });
  const { id: first } = rig.session;
  await rig.send("go");
  const connection = await scoped(rig, { sessions: [first], commands: "all" });
  await connection.send({ kind: "EndSession", sessionId: first });
  await rig.until("SessionEnded");
  const { sessionId = first } = await connection.send({ kind: "AttachSession", sessionId: first });
  expect(sessionId).not.toBe(first);
  const seen: Envelope[] = [];
  const following = (async () => {
    for await (const event of connection.subscribe(sessionId, { signal })) {
      seen.push(event);
      if (event.kind === "TurnEnded") break;
    }
  })();
  await connection.send(input(sessionId));
  await following;
  expect(seen.map(({ kind }) => kind)).toContain("TurnStarted");
});

test("[AUTH-07] an empty list allows nothing", async () => {
  await using rig = await openRig({ script: [] });
  const { id: sessionId } = rig.session;
  const none = await scoped(rig, { sessions: [], commands: [] });
  await expect(none.send({ kind: "CancelTurn", sessionId })).rejects.toMatchObject({ reason: "Forbidden" });
  await expect(Array.fromAsync(none.subscribe(sessionId, { signal }))).rejects.toMatchObject({
    reason: "Forbidden",
  });
});

import { expect, test } from "bun:test";
import type { SessionId } from "../src/base/ids.ts";
import type { Connection, IdentityClass } from "../src/protocol/connection.ts";
import { CLIENT_LABEL_CHARACTERS_MAX, CLIENTS_LISTED_MAX } from "../src/protocol/events/acting-client.ts";
import type { EnvelopeOf } from "../src/protocol/events/envelope.ts";
import type { EventKind } from "../src/protocol/events/events.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { clientLabel } from "../src/session/access/client-label.ts";
import { expiredEvent } from "../src/session/store/expired.ts";
import { says } from "./support/mock-provider/turn.ts";
import type { NotesEngine } from "./support/notes-engine.ts";
import { openNotesEngine, placesOf } from "./support/notes-engine.ts";
import { openPlace } from "./support/place.ts";

const ROBOT = { label: "\u001b[2Jro\u202ebot\nyou", identityClass: "agent" } as const;
const SAMPLE = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const CLEAN = "ro<U+202E>bot\u240ayou";

async function attached(
  { harness }: NotesEngine,
  request: { readonly label: string; readonly identityClass: IdentityClass },
): Promise<Connection> {
  const connection = await harness.attach(request);
  await connection.handshake(PROTOCOL_VERSION);
  return connection;
}

/** Returns the first event of a kind in a log. */
async function first<Kind extends EventKind>(
  connection: Connection,
  session: string,
  kind: Kind,
): Promise<EnvelopeOf<Kind>> {
  const stop = new AbortController();
  for await (const event of connection.subscribe(session as SessionId, { since: 0, signal: stop.signal }))
    if (event.kind === kind) return event as EnvelopeOf<Kind>;
  throw new Error(`there is no ${kind}`);
}

function prompt(session: string, text: string, delivery?: "queue") {
  const content = [{ type: "text" as const, text }];
  const sessionId = session as SessionId;
  return { kind: "SendInput", sessionId, content, ...(delivery === undefined ? {} : { delivery }) } as const;
}

test("[TUI-09 CTL-06] events that name a client say what it calls itself, made harmless, and its class; a branch keeps that", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using engine = await openNotesEngine(place);
  await using robot = await attached(engine, ROBOT);
  await using person = await attached(engine, { label: "desk", identityClass: "human" });
  const session = await engine.session();
  await robot.send(prompt(session, "go"));
  const started = await first(person, session, "TurnStarted");
  const who = { label: CLEAN, identityClass: "agent" } as const;
  expect(started.payload).toMatchObject({ originator: robot.clientId, who });
  const { id: at } = await first(person, session, "TurnEnded");
  await person.send({ kind: "RenameSession", sessionId: session as SessionId, title: "named" });
  const renamed = await first(person, session, "SessionRenamed");
  expect(renamed.payload.who).toEqual({ label: "desk", identityClass: "human" });
  const { sessionId: branch = "" } = await person.send({
    kind: "BranchSession",
    sessionId: session as SessionId,
    at,
  });
  expect((await first(person, branch, "TurnStarted")).payload).toEqual(started.payload);
  expect(expiredEvent(started).payload).not.toHaveProperty("who");
});

test("[TUI-09 CTL-19] a session lists who follows it, each once with its class, to tokens of every session, and its news say when one leaves", async () => {
  await using place = openPlace();
  await using engine = await openNotesEngine(place);
  await using robot = await attached(engine, ROBOT);
  await using person = await attached(engine, { label: "desk", identityClass: "human" });
  const session = await engine.session();
  const leave = new AbortController();
  for (const connection of [person, robot, robot])
    void connection.subscribe(session as SessionId, { signal: leave.signal });
  const listed = { id: person.clientId, label: "desk", identity_class: "human" };
  const clients = [listed, { id: robot.clientId, label: CLEAN, identity_class: "agent" }];
  expect((await engine.info(session)).clients).toEqual(clients as never);
  const bound = { headers: { "x-harness-token": engine.mint([session as SessionId]) } };
  const seen = await fetch(`${engine.url}/v1/sessions/${session}?last=0`, bound);
  expect([seen.status, Object.keys((await seen.json()) as object).includes("clients")]).toEqual([200, false]);
  const lists: unknown[] = [];
  const stop = new AbortController();
  for await (const item of person.news?.({ signal: stop.signal }) ?? []) {
    if (item.kind === "NewsReady") leave.abort();
    if (item.kind === "SessionChanged" && item.session === session) lists.push(item.info.clients);
    if (lists.length > 0 && lists.at(-1) === undefined) break;
  }
  expect(lists[0]).toEqual(clients);
});

test("[TUI-09 SES-05] a secret in a label is redacted in events and lists, and no file holds a label in plain text", async () => {
  await using place = openPlace(says("one"));
  await using engine = await openNotesEngine(place);
  const secret = SAMPLE;
  await using client = await attached(engine, { label: `clientofmine ${secret}`, identityClass: "human" });
  const session = await engine.session();
  const leave = new AbortController();
  void client.subscribe(session as SessionId, { signal: leave.signal });
  await client.send(prompt(session, "go"));
  const { label = "" } = (await first(client, session, "TurnStarted")).payload.who ?? {};
  expect(label).toStartWith("clientofmine ");
  expect(label).not.toContain(secret);
  expect((await engine.info(session)).clients?.map((each) => each.label)).toEqual([label]);
  await first(client, session, "TurnEnded");
  leave.abort();
  expect(placesOf(place, ["clientofmine"])).toEqual([]);
});

test("[TUI-09 SES-17] an input that outlives its run starts under the name of the client that sent it", async () => {
  const never = Promise.withResolvers<void>();
  await using place = openPlace(says("one", { hold: never.promise }), says("two"), says("three"));
  await using engine = await openNotesEngine(place);
  await using person = await attached(engine, { label: "desk", identityClass: "human" });
  const session = await engine.session();
  await engine.post(session, "input", { content: [{ type: "text", text: "one" }] });
  await person.send(prompt(session, "two", "queue"));
  await engine.end(session);
  const next = await engine.harness.attach({ identityClass: "human", label: "next" });
  await next.handshake(PROTOCOL_VERSION);
  const { sessionId: run = "" } = await next.send({
    kind: "AttachSession",
    sessionId: session as SessionId,
  });
  await next.send(prompt(run, "three", "queue"));
  const started: EnvelopeOf<"TurnStarted">[] = [];
  const stop = new AbortController();
  for await (const event of next.subscribe(run as SessionId, { since: 0, signal: stop.signal }))
    if (event.kind === "TurnStarted" && started.push(event) === 3) break;
  expect(started.map(({ payload }) => payload.who?.label)).toEqual(["http", "next", "desk"]);
  await next[Symbol.asyncDispose]();
});

test("[TUI-09 TUI-07] a label is one short line without control characters, however long and hostile; an empty one says so", () => {
  const hostile = [
    "\u001b]0;x\u0007".repeat(200_000),
    "\u0000\r\n\u2028\ud800",
    "\u202e".repeat(500),
    "😀".repeat(99),
  ];
  for (const label of hostile) {
    const clean = clientLabel(label);
    expect(clean.length).toBeLessThanOrEqual(CLIENT_LABEL_CHARACTERS_MAX);
    expect(clean).toMatch(/^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+$/u);
  }
  expect(["", " \t ", "\u001b[2J"].map(clientLabel)).toEqual(Array(3).fill("unnamed client"));
  expect(clientLabel(" an editor (ACP) ")).toBe("an editor (ACP)");
  expect([CLIENT_LABEL_CHARACTERS_MAX, CLIENTS_LISTED_MAX]).toEqual([100, 100]);
});

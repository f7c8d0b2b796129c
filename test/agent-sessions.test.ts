import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenHarness } from "../src/app/harness.ts";
import type { SessionId } from "../src/base/ids.ts";
import type { Connection } from "../src/protocol/connection.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { says } from "./support/mock-provider/turn.ts";
import type { Following, TestProject } from "./support/place.ts";
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

const PARENT = {
  argv0: "agent",
  binary: "/opt/agent",
  binarySha256: "a".repeat(64),
  script: "/opt/agent.js",
  scriptSha256: "b".repeat(64),
};
const QUESTION = "Always auto-attach sessions from this parent? /opt/agent running /opt/agent.js";

function listPath({ root }: TestProject): string {
  return join(root, "config", "mcp-parents.lock");
}

function list(place: TestProject, ...parents: readonly object[]): void {
  writeFileSync(listPath(place), JSON.stringify({ version: 1, parents }), { mode: 0o600 });
}

function listed(place: TestProject): unknown {
  return (JSON.parse(readFileSync(listPath(place), "utf8")) as { readonly parents: unknown }).parents;
}

/** Returns the custom events of the question that a person has got beside the log. */
function asides({ seen }: Following, kind: string): readonly unknown[] {
  return seen.flatMap((event) =>
    event.kind === "CustomEvent" && event.aside === true && event.payload.kind === kind
      ? [event.payload.payload]
      : [],
  );
}

test("[CTL-12] people are asked once per program whether its sessions are auto-attached, also those who come later; the first answer is stored", async () => {
  await using place = openPlace(says("hi"));
  const stranger = { ...PARENT, binary: "/opt/stranger" };
  list(place, stranger, PARENT);
  await using harness = await place.open({ wishes: { attended: true } });
  await using person = await follow(harness);
  const scope = { sessions: [harness.session], commands: "all" } as const;
  await using agent = await attach(harness, { identityClass: "agent", label: "outer" });
  await using visitor = await attach(harness, { identityClass: "human", label: "visitor", scope });
  const begin = async () => (await agent.send({ kind: "CreateSession" })).sessionId ?? harness.session;
  const ask = (sessionId: SessionId, by = person.connection) =>
    by.send({ kind: "AskAutoAttach", sessionId, parent: PARENT });
  const answer = (sessionId: SessionId, always: boolean, by = person.connection) =>
    by.send({ kind: "AnswerAutoAttach", sessionId, always });

  const [one, two] = [await begin(), await begin()];
  await expect(answer(one, true)).rejects.toThrow("nothing is asked about the program that began");
  for (const session of [one, two]) expect(await ask(session)).toMatchObject({ result: { asked: true } });
  const question = { session: one, agent: "outer", text: QUESTION };
  await using later = await follow(harness);
  for (const each of [person, later])
    await until("a person is asked", () => asides(each, "AutoAttachAsked").length > 0);
  expect([person, later].map((each) => asides(each, "AutoAttachAsked"))).toEqual([[question], [question]]);

  await expect(answer(one, true, agent)).rejects.toMatchObject({ reason: "InvalidCommand" });
  await expect(answer(harness.session, true, visitor)).rejects.toThrow("This token does not allow");
  expect(listed(place)).toEqual([stranger, PARENT]);
  await answer(two, false); // whichever of its sessions is named
  await until("the question is taken away", () => asides(later, "AutoAttachAnswered").length > 0);
  const text = "Sessions from this parent are not auto-attached: /opt/agent running /opt/agent.js";
  expect(asides(later, "AutoAttachAnswered")).toEqual([
    { session: one, agent: "outer", always: false, text },
  ]);
  expect(listed(place)).toEqual([stranger, { ...PARENT, autoAttach: false }]);
  await expect(answer(one, true)).rejects.toThrow("no was answered before");
  expect(await ask(await begin())).toMatchObject({ result: { asked: false } });

  await using last = await follow(harness);
  await last.say("hi");
  await last.turns(1);
  expect(asides(last, "AutoAttachAsked")).toEqual([]);
});

test("[CTL-12 AUTH-09] nothing is asked or stored about a program that the list lacks; a list that cannot be used keeps the question open", async () => {
  await using place = openPlace();
  list(place, PARENT);
  await using harness = await place.open({ wishes: { attended: true } });
  await using person = await follow(harness);
  const { connection } = person;
  await using agent = await attach(harness, { identityClass: "agent", label: "outer" });
  const { sessionId = harness.session } = await agent.send({ kind: "CreateSession" });
  const ask = (parent = PARENT, session = sessionId) =>
    connection.send({ kind: "AskAutoAttach", sessionId: session, parent });
  const answer = () => connection.send({ kind: "AnswerAutoAttach", sessionId, always: true });
  const unlisted = `${listPath(place)} does not list /opt/agent running /opt/agent.js as it was when it started cinch: start it again`;

  await expect(ask(PARENT, harness.session)).rejects.toThrow("no agent has begun");
  await expect(ask({ ...PARENT, scriptSha256: "c".repeat(64) })).rejects.toThrow(unlisted);
  await ask();
  writeFileSync(listPath(place), "{}");
  await expect(answer()).rejects.toMatchObject({ reason: "ParentsUnusable" });
  expect(asides(person, "AutoAttachAnswered")).toEqual([]);
  const changed = { ...PARENT, binarySha256: "c".repeat(64) };
  list(place, changed);
  await expect(answer()).rejects.toThrow(unlisted);
  await until("the question is taken away", () => asides(person, "AutoAttachAnswered").length > 0);
  expect(asides(person, "AutoAttachAnswered")).toEqual([expect.not.objectContaining({ always: true })]);
  expect(listed(place)).toEqual([changed]);
  await expect(answer()).rejects.toThrow("nothing is asked");
});

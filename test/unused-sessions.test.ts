import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSessions } from "../src/app/sessions/open-sessions.ts";
import { usedSessions } from "../src/app/sessions/unused.ts";
import type { SessionId } from "../src/base/ids.ts";
import type { Command } from "../src/protocol/commands/commands.ts";
import type { Connection } from "../src/protocol/connection.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { says } from "./support/mock-provider/turn.ts";
import type { TestProject } from "./support/place.ts";
import { connect, openPlace } from "./support/place.ts";
import { until } from "./support/until.ts";

const { signal } = new AbortController();

/** Begins a session as the terminal client does, unless told otherwise. */
async function begin(connection: Connection, provisional = true): Promise<SessionId> {
  const { sessionId } = await connection.send({ kind: "CreateSession", provisional });
  if (sessionId === undefined) throw new Error("no session was created");
  return sessionId;
}

/** Follows a session until the returned function is called. */
function follow(connection: Connection, session: SessionId): () => Promise<void> {
  const stop = new AbortController();
  const reading = Array.fromAsync(connection.subscribe(session, { since: 0, signal: stop.signal }));
  return async () => {
    stop.abort();
    await reading;
  };
}

async function stored(connection: Connection): Promise<readonly string[]> {
  const { sessions } = await connection.query({ kind: "ListSessions", past: true });
  return sessions.map(({ session }) => session);
}

/** Returns the sessions in the store of a project in which no engine runs. */
async function kept(place: TestProject): Promise<readonly string[]> {
  await using sessions = await openSessions(place.options(), signal);
  return (await sessions.store.list({ limit: 100 })).map(({ session }) => session);
}

const text = (words: string) => [{ type: "text" as const, text: words }];

test("[CTL-11 SES-06] a session is unused until it has an input, a command, a title, a draft or a pin; settings are no use", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const sessionId = await begin(connection);
  const unused = async () => (await connection.query({ kind: "GetSession", sessionId, last: 0 })).unused;
  const states: (boolean | undefined)[] = [];
  const after = async (...commands: Command[]) => {
    for (const command of commands) await connection.send(command);
    states.push(await unused());
  };
  await after();
  await after(
    { kind: "SetModel", sessionId, model: "mock:test-2" },
    { kind: "SetLevel", sessionId, level: "ReadOnly" },
    { kind: "EnterPlanMode", sessionId },
    { kind: "ExitPlanMode", sessionId, approve: true },
  );
  await after({ kind: "SetDraft", sessionId, text: "half", reader: "me" });
  await after({ kind: "SetDraft", sessionId, text: "", reader: "me" });
  await after({ kind: "RenameSession", sessionId, title: "mine" });
  await after({ kind: "RenameSession", sessionId, title: "" });
  await after({ kind: "PinSession", sessionId, pinned: true });
  await after({ kind: "PinSession", sessionId, pinned: false });
  expect(states).toEqual([true, true, undefined, true, undefined, true, undefined, true]);
  await connection.send({ kind: "RunShell", sessionId, command: "true", toModel: false });
  await until("the command is in the log", async () => (await unused()) === undefined);
  const other = await begin(connection);
  await connection.send({ kind: "SendInput", sessionId: other, content: text("go") });
  const info = async () => await connection.query({ kind: "GetSession", sessionId: other, last: 0 });
  await until("the turn has ended", async () => (await info()).state === "idle");
  expect((await info()).unused).toBeUndefined();
});

test("[CTL-11 SES-07] a provisional session that was never used goes with its end; a used one stays, and so does any other", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const [unused, drafted, plain] = [
    await begin(connection),
    await begin(connection),
    await begin(connection, false),
  ];
  await connection.send({ kind: "SetDraft", sessionId: drafted, text: "half", reader: "me" });
  for (const sessionId of [unused, drafted, plain]) await connection.send({ kind: "EndSession", sessionId });
  expect((await stored(connection)).filter((id) => id !== harness.session).sort()).toEqual(
    [drafted, plain].sort(),
  );
  const listed = await connection.query({ kind: "GetSession", sessionId: plain, last: 0 });
  expect(listed).toMatchObject({ unused: true, live: false });
  const refused = connection.query({ kind: "GetSession", sessionId: unused, last: 0 });
  await expect(refused).rejects.toMatchObject({ reason: "UnknownSession" });
});

test("[CTL-11] one whose last client leaves for good is removed at once; one that another client follows stays", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const [connection, other] = [await connect(harness), await connect(harness)];
  const [left, shared] = [await begin(connection), await begin(connection)];
  const stops = [follow(connection, left), follow(connection, shared), follow(other, shared)];
  for (const sessionId of [left, shared])
    await connection.send({ kind: "DetachSession", sessionId, left: true });
  await until("it is removed", async () => !(await stored(connection)).includes(left));
  expect(await stored(connection)).toContain(shared);
  for (const stop of stops) await stop();
});

test("[CTL-11 SES-07] the end of the engine removes what nobody has used and nobody follows; a client that is there can come back", async () => {
  await using place = openPlace(says("one"));
  const ids: SessionId[] = [];
  {
    await using harness = await place.open({ wishes: { attended: true } });
    const connection = await connect(harness);
    ids.push(await begin(connection), await begin(connection));
    follow(connection, ids[1] as SessionId);
  }
  const all = await kept(place);
  expect(ids.map((id) => all.includes(id))).toEqual([false, true]);
  await using sessions = await openSessions(place.options(), signal);
  expect((await usedSessions(sessions.store, { limit: 10 })).map(({ session }) => session)).toEqual([]);
});

test("[CTL-11 PROF-02] an unused session under another profile is as provisional as the one before", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const first = await begin(connection);
  const { sessionId: next } = await connection.send({
    kind: "SwitchProfile",
    sessionId: first,
    profile: "self",
  });
  if (next === undefined) throw new Error("no session followed");
  await connection.send({ kind: "EndSession", sessionId: next });
  expect(await stored(connection)).not.toContain(next);
});

test("[CTL-11 PROF-02] what was imported from the profile before is use: such a session is listed, and stays after a look at it", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const first = await begin(connection);
  await connection.send({ kind: "SendInput", sessionId: first, content: text("go") });
  const info = async (sessionId: SessionId) =>
    await connection.query({ kind: "GetSession", sessionId, last: 0 });
  await until("the turn has ended", async () => (await info(first)).state === "idle");
  const { sessionId: next } = await connection.send({
    ...{ kind: "SwitchProfile", sessionId: first, profile: "self", importTurns: 1 },
  });
  if (next === undefined) throw new Error("no session followed");
  expect((await info(next)).unused).toBeUndefined();
  const { log } = await info(next);
  await connection.send({ kind: "EndSession", sessionId: next });
  const again = await connection.send({ kind: "CreateSession", provisional: true, resume: log });
  if (again.sessionId === undefined) throw new Error("it was not continued");
  await connection.send({ kind: "EndSession", sessionId: again.sessionId });
  expect((await info(next)).log).toBe(log);
});

test("[CTL-11] a person who looks at an empty session of a program leaves it where it is", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const plain = await begin(connection, false);
  const { log } = await connection.query({ kind: "GetSession", sessionId: plain, last: 0 });
  await connection.send({ kind: "EndSession", sessionId: plain });
  const { sessionId } = await connection.send({ kind: "CreateSession", provisional: true, resume: log });
  if (sessionId === undefined) throw new Error("it was not continued");
  await connection.send({ kind: "EndSession", sessionId });
  expect((await connection.query({ kind: "GetSession", sessionId: plain, last: 0 })).log).toBe(log);
});

test("[CTL-11] a provisional session that an agent has used, or that has a file, stays", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const agent = await harness.attach({ identityClass: "agent", label: "script" });
  await agent.handshake(PROTOCOL_VERSION);
  const [attached, filled] = [await begin(connection), await begin(connection)];
  await agent.send({ kind: "AttachSession", sessionId: attached });
  const bytes = new TextEncoder().encode("kept");
  const file = await connection.attach?.(filled, { name: "a.txt", mediaType: "text/plain", bytes });
  expect(file?.attachment).toBeString();
  for (const sessionId of [attached, filled]) await connection.send({ kind: "EndSession", sessionId });
  expect(await stored(connection)).toEqual(expect.arrayContaining([attached, filled]));
});

test("[CTL-11 PERM-15] settings of a person outlive an end that they did not ask for", async () => {
  await using place = openPlace(says("one"));
  const ids: SessionId[] = [];
  {
    await using harness = await place.open({ wishes: { attended: true } });
    const connection = await connect(harness);
    ids.push(await begin(connection), await begin(connection));
    for (const sessionId of ids) await connection.send({ kind: "EnterPlanMode", sessionId });
    await connection.send({ kind: "EndSession", sessionId: ids[0] as SessionId });
    const before = await begin(connection);
    const switched = { kind: "SwitchProfile", sessionId: before, profile: "self" } as const;
    const { sessionId: next = before } = await connection.send(switched);
    ids.push(next);
  }
  const all = await kept(place);
  expect(ids.map((id) => all.includes(id))).toEqual([false, true, true]);
});

test("[CTL-11] a file stays with the log that another profile continues in place", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const first = await begin(connection);
  const bytes = new TextEncoder().encode("kept");
  await connection.attach?.(first, { name: "a.txt", mediaType: "text/plain", bytes });
  const switched = { kind: "SwitchProfile", sessionId: first, profile: "self", inPlace: true } as const;
  const { sessionId: next = first } = await connection.send(switched);
  await connection.send({ kind: "EndSession", sessionId: next });
  expect(await stored(connection)).toContain(next);
});

test("[CTL-11] what a session is begun with, and its settings, are no use of it", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const other = join(place.root, "other");
  mkdirSync(other);
  const run = { maxTurns: 3, appendSystemPrompt: "Be brief.", allow: ["Bash:ls"], addDirs: [other] };
  const { sessionId } = await connection.send({ kind: "CreateSession", provisional: true, run });
  if (sessionId === undefined) throw new Error("no session was created");
  expect((await connection.query({ kind: "GetSession", sessionId, last: 0 })).unused).toBe(true);
  await connection.send({ kind: "EndSession", sessionId });
  expect(await stored(connection)).not.toContain(sessionId);
});

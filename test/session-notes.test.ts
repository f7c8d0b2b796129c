import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSessions } from "../src/app/sessions/open-sessions.ts";
import type { LogId, SessionId } from "../src/base/ids.ts";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import type { ResultOf } from "../src/protocol/queries/queries.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { openNotesEngine, placesOf } from "./support/notes-engine.ts";
import type { TestProject } from "./support/place.ts";
import { openPlace } from "./support/place.ts";
import { until } from "./support/until.ts";
import { remoteParts } from "./support/ws-rig.ts";

const { signal } = new AbortController();

test("[CTL-19] a list shows cost, tokens, context, state, questions and the days left, also of what does not run", async () => {
  await using place = openPlace(
    { ...says("one"), usage: { input: 100, output: 20, cacheRead: 1_000, cacheWrite: 7 } },
    calls("Bash", { command: "touch made" }),
    says("two"),
  );
  priced(place);
  await using engine = await openNotesEngine(place);
  const sessionId = await engine.session();
  await engine.turn(sessionId, "first prompt");
  const first = await engine.info(sessionId);
  expect(first).toMatchObject({
    state: "idle",
    title: "first prompt",
    input_tokens: 100,
    output_tokens: 20,
    cache_read_tokens: 1_000,
    cache_write_tokens: 7,
    context_tokens: 1_127,
    level: "WorkspaceWrite",
    questions: 0,
    queued: 0,
    unread: 1,
    expires_in_days: 31,
    last_text: "one",
  });
  expect(first.cost_usd).toBeCloseTo((100 + 20 + 1_000 + 7) / 1e6, 9);

  await engine.post(sessionId, "input", { content: [{ type: "text", text: "go on" }] });
  await until("the question", async () => (await engine.info(sessionId)).state === "waiting");
  await engine.post(sessionId, "input", { content: [{ type: "text", text: "later" }], delivery: "queue" });
  expect(await engine.info(sessionId)).toMatchObject({ state: "waiting", questions: 1, queued: 1 });
  expect((await engine.list("state=waiting")).sessions.map(({ session }) => `${session}`)).toEqual([
    sessionId,
  ]);
  expect((await engine.list("state=idle")).sessions.map(({ session }) => session)).not.toContain(sessionId);
  await engine.post(sessionId, "cancel");
  await until("its end", async () => (await engine.info(sessionId)).state === "idle");
  await engine.post(sessionId, "plan-mode", { enter: true });
  await until("plan mode", async () => (await engine.info(sessionId)).plan_mode === true);

  const running = await engine.info(sessionId);
  await engine.end(sessionId);
  const [ended] = (await engine.list("past=true&reader=me&previews=true")).sessions.filter(
    ({ session }) => session === sessionId,
  );
  const { level: _level, live, last_events: _events, queued_since: _since, ...rest } = running;
  expect(live).toBe(true);
  expect(ended).toMatchObject({
    ...rest,
    live: false,
    status: "paused",
    queued: 0,
    events: expect.any(Number),
  });
});

test("[CTL-19 TUI-07] a title is one line without control sequences, made from a prompt or given by a person", async () => {
  await using place = openPlace(says("one"));
  await using engine = await openNotesEngine(place);
  const sessionId = await engine.session();
  const esc = "\u001b";
  await engine.turn(sessionId, `${esc}]0;owned\u0007${esc}[2Jfirst \u202eline\r\nsecond`);
  const shownTitle = async () => String((await engine.info(sessionId)).title);
  expect(await shownTitle()).toStartWith("first ");
  expect(await shownTitle()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  await engine.post(sessionId, "rename", { title: `a\n${esc}[31mred\u202e title` });
  expect(await shownTitle()).toStartWith("a red");
  expect(await shownTitle()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  for (const unseen of ["\u200d", "\ufe0f\u2800"]) {
    await engine.post(sessionId, "rename", { title: unseen });
    expect(await shownTitle()).toStartWith("first ");
  }
});

test("[SES-05 CTL-19] a control sequence in a prompt does not join the parts of a secret in the title", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using engine = await openNotesEngine(place);
  const half = "C0nf0rmanceC0nf0rma";
  for (const between of ["\u001b[0m", "\u001b]0;x\u0007", "\u009b1m"]) {
    const sessionId = await engine.session();
    await engine.turn(sessionId, `key gh${between}p_${half}${half.slice(0, 17)}`);
    expect(String((await engine.info(sessionId)).title)).not.toContain("ghp_");
  }
});

test("[CTL-19 PROV-11] the cost of a session is null once the price of one call is unknown", async () => {
  await using place = openPlace(says("one"));
  await using engine = await openNotesEngine(place);
  const sessionId = await engine.session();
  await engine.turn(sessionId, "go");
  expect(await engine.info(sessionId)).toMatchObject({
    cost_usd: null,
    input_tokens: 100,
    output_tokens: 20,
  });
});

test("[CTL-19] pages of stored sessions have each once, found by words of the title, and archived ones when asked for", async () => {
  await using place = openPlace(...Array.from({ length: 5 }, (_, at) => says(`answer ${at}`)));
  await using engine = await openNotesEngine(place);
  const made: string[] = [];
  for (const prompt of ["Fix the parser", "fix the tests", "Write docs", "other", "PARSER notes"]) {
    const sessionId = await engine.session();
    await engine.turn(sessionId, prompt);
    await engine.end(sessionId);
    made.unshift(sessionId);
  }
  const pages: string[][] = [];
  for (let before = ""; ; ) {
    const { sessions, more, cursor } = await engine.list(`past=true&limit=2${before}`);
    pages.push(sessions.map(({ session }) => session).filter((session) => made.includes(session)));
    expect(more).toBe(cursor !== undefined);
    if (cursor === undefined) break;
    before = `&before=${encodeURIComponent(cursor)}`;
  }
  expect(pages.flat()).toEqual(made);
  const titles = async (query: string) =>
    (await engine.list(`past=true&${query}`)).sessions.map(({ title }) => title);
  expect(await titles("text=parser")).toEqual(["PARSER notes", "Fix the parser"]);
  expect(await titles("text=the%20FIX")).toEqual(["fix the tests", "Fix the parser"]);
  expect(await titles("text=fix&limit=1")).toEqual(["fix the tests"]);
  expect(await titles(`text=${made[0]}`)).toEqual(["PARSER notes"]);
  await engine.post(made[0] ?? "", "archive", { archived: true });
  expect(await titles("text=parser")).toEqual(["Fix the parser"]);
  expect(await titles("text=parser&archived=with")).toEqual(["PARSER notes", "Fix the parser"]);
  expect(await titles("archived=only")).toEqual(["PARSER notes"]);
  for (const wrong of [
    "before=x",
    "before=2026-01-01/log_x",
    "limit=0",
    "state=busy",
    "archived=yes",
    "reader=a/b",
  ])
    expect([wrong, (await engine.send(`/v1/sessions?${wrong}`)).status]).toEqual([
      wrong,
      wrong.startsWith("before") ? 409 : 400,
    ]);
});

test("[CTL-19] a title of a person is one line without secrets, is shown to subscribers, and found after the session ended", async () => {
  await using place = openPlace(says("one"));
  await using engine = await openNotesEngine(place, {
    wishes: {
      attended: true,
      environment: { PATH: "/usr/bin:/bin", DEPLOY_TOKEN: "s3cr3t-value-of-a-variable" },
    },
  });
  const sessionId = await engine.session();
  await engine.turn(sessionId, "first prompt");
  const connection = await engine.harness.attach({ identityClass: "human", label: "watcher" });
  await connection.handshake(PROTOCOL_VERSION);
  const seen: unknown[] = [];
  const leave = new AbortController();
  const watching = (async () => {
    for await (const { kind, payload } of connection.subscribe(sessionId as SessionId, {
      signal: leave.signal,
    }))
      if (kind === "SessionRenamed") seen.push(payload.title);
  })();
  const renamed = await engine.post(sessionId, "rename", {
    title: " the\n  s3cr3t-value-of-a-variable\ttitle ",
  });
  const title = "the «redacted:DEPLOY_TOKEN» title";
  expect(renamed).toMatchObject({ result: { title } });
  await until("the event", () => seen.length > 0);
  expect(seen).toEqual([title]);
  expect(await engine.info(sessionId)).toMatchObject({ title, renamed: true });
  await engine.end(sessionId);
  leave.abort();
  await watching.catch(() => undefined);
  await engine.post(sessionId, "rename", { title: "after its end" });
  expect((await engine.list("past=true&text=after%20its")).sessions).toMatchObject([{ session: sessionId }]);
  await engine.post(sessionId, "rename", { title: "" });
  const info = await engine.info(sessionId);
  expect([info.title, info.renamed]).toEqual(["first prompt", undefined]);
  for (const wrong of [{}, { title: "x".repeat(201) }, { title: 7 }])
    expect((await engine.send(`/v1/sessions/${sessionId}/rename`, wrong)).status).toBe(400);
});

test("[CTL-19] a title that is given while the session ends is what its next run shows, and so is one by an earlier run", async () => {
  await using place = openPlace(says("one"));
  await using engine = await openNotesEngine(place);
  const first = (await engine.session()) as SessionId;
  await engine.turn(first, "first prompt");
  await engine.post(first, "rename", { title: "before its end" });
  const ending = engine.end(first);
  const renaming = Array.from({ length: 8 }, (_, at) =>
    engine.post(first, "rename", { title: `at its end ${at}` }),
  );
  await Promise.all([ending, ...renaming]);
  const { title } = await engine.info(first);
  const shown = async () => {
    const titles: string[] = [];
    const { log } = await engine.info(first);
    await using sessions = await openSessions(place.options(), signal);
    for (const { kind, payload } of await sessions.store.markedEvents(log as LogId, 0, 999))
      if (kind === "SessionRenamed") titles.push(payload.title);
    return titles;
  };
  const connection = await engine.harness.attach({ identityClass: "human", label: "again" });
  await connection.handshake(PROTOCOL_VERSION);
  const again = await connection.send({ kind: "AttachSession", sessionId: first });
  await until("the title in the log", async () => (await shown()).at(-1) === title);
  await engine.post(first, "rename", { title: "by the first run's id" }); // `again` writes the log now
  expect((await shown()).at(-1)).toBe("by the first run's id");
  expect(again.sessionId).not.toBe(first);
  expect(await engine.info(again.sessionId ?? "")).toMatchObject({ title: "by the first run's id" });
});

test("[CTL-19 CTL-06] marks and drafts work in process, over REST and over WebSocket, each reader's own", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using engine = await openNotesEngine(place);
  const sessionId = (await engine.session()) as SessionId;
  await using remote = await connectRemote({ ...remoteParts(engine.url), token: () => engine.token }, signal);
  await remote.handshake(PROTOCOL_VERSION);
  await remote.send({ kind: "SetDraft", sessionId, text: "from afar", reader: "laptop" });
  const inProcess = await engine.harness.attach({ identityClass: "human", label: "test" });
  await inProcess.handshake(PROTOCOL_VERSION);
  expect(await inProcess.query({ kind: "GetDraft", sessionId, reader: "laptop" })).toEqual({
    text: "from afar",
    ts: expect.any(String),
  });
  expect(await engine.draft(sessionId, "laptop")).toMatchObject({ text: "from afar" });
  expect(await engine.draft(sessionId, "phone")).toEqual({ text: "" });
  await engine.turn(sessionId, "go");
  const { events } = await engine.info(sessionId);
  await remote.send({ kind: "MarkRead", sessionId, event: events, reader: "me" });
  expect((await engine.info(sessionId)).unread).toBe(0);
  await engine.turn(sessionId, "on");
  expect((await engine.info(sessionId)).unread).toBe(1);
  expect((await engine.info(sessionId, "phone")).unread).toBe(2);
  for (const [at, wrong] of [
    ["read", { event: -1, reader: "me" }],
    ["read", { event: 1, reader: "a b" }],
    ["read", { event: 1, reader: "x".repeat(65) }],
    ["draft", { text: "x", reader: "" }],
    ["draft", { text: "x".repeat(65_537), reader: "me" }],
  ] as const)
    expect((await engine.send(`/v1/sessions/${sessionId}/${at}`, wrong)).status).toBe(400);
  const future = await engine.send(`/v1/sessions/${sessionId}/read`, { event: 99_999, reader: "me" });
  expect([future.status, await future.json()]).toMatchObject([
    409,
    { message: expect.stringContaining("the last one is") },
  ]);
});

test("[CTL-19 AUTH-07] an agent reads and writes no draft, deletes nothing, and hides nothing of a person's session", async () => {
  await using place = openPlace(says("one"));
  await using engine = await openNotesEngine(place);
  const sessionId = (await engine.session()) as SessionId;
  const agent = await engine.harness.attach({ identityClass: "agent", label: "agent" });
  await agent.handshake(PROTOCOL_VERSION);
  for (const command of [
    { kind: "SetDraft", sessionId, text: "do as I say", reader: "me" },
    { kind: "DeleteSession", sessionId },
    { kind: "MarkRead", sessionId, event: 0, reader: "me" },
    { kind: "RenameSession", sessionId, title: "x" },
    { kind: "ArchiveSession", sessionId, archived: true },
  ] as const)
    expect([command.kind, await reasonOf(agent.send(command))]).toEqual([
      command.kind,
      command.kind === "SetDraft" || command.kind === "DeleteSession" ? "InvalidCommand" : "Forbidden",
    ]);
  expect(await reasonOf(agent.query({ kind: "GetDraft", sessionId, reader: "me" }))).toBe("InvalidQuery");
});

test("[SES-06 CTL-19] nothing of a session is left once it is deleted, and one that runs or is pinned is kept", async () => {
  await using place = openPlace(
    calls("Write", { path: "made.txt", content: "of the turn" }),
    calls("Bash", { command: "seq 1 200000" }),
    says("done"),
    says("other"),
  );
  await using engine = await openNotesEngine(place, { wishes: { attended: true, autoApprove: true } });
  const sessionId = await engine.session();
  const other = await engine.session();
  await engine.turn(sessionId, "go");
  await engine.turn(other, "stay");
  const { log } = await engine.info(sessionId);
  await engine.post(sessionId, "rename", { title: "its title" });
  await engine.post(sessionId, "draft", { text: "its draft", reader: "me" });
  await engine.post(sessionId, "read", { event: 1, reader: "me" });
  mkdirSync(join(place.root, "state"), { recursive: true });
  writeFileSync(
    join(place.root, "state/expiring-dismissed.json"),
    JSON.stringify({ dismissed: [log, "log_x"] }),
  );
  const running = await engine.send(`/v1/sessions/${sessionId}/delete`, {});
  expect([running.status, await running.json()]).toMatchObject([409, { reason: "LogHeld" }]);
  await engine.end(sessionId);
  await engine.post(sessionId, "command", { kind: "PinSession", pinned: true });
  const pinned = await engine.send(`/v1/sessions/${sessionId}/delete`, {});
  expect([pinned.status, await pinned.json()]).toMatchObject([409, { reason: "SessionPinned" }]);
  await engine.post(sessionId, "command", { kind: "PinSession", pinned: false });
  expect(placesOf(place, [log, sessionId])).not.toEqual([]);
  await engine.post(sessionId, "delete", {});
  expect(placesOf(place, [log, sessionId])).toEqual([]);
  expect(placesOf(place, ["log_x"])).not.toEqual([]);
  expect((await engine.send(`/v1/sessions/${sessionId}`)).status).toBe(404);
  expect((await engine.send(`/v1/sessions/${sessionId}/delete`, {})).status).toBe(404);
  expect(await engine.info(other)).toMatchObject({ title: "stay", live: true });
});

test("[SES-06] a draft and a title are in no file in the clear, and expire with their day", async () => {
  await using place = openPlace(says("one"));
  const clear = ["draft of a 🦀", "title in private"];
  let session: string;
  {
    await using engine = await openNotesEngine(place);
    session = await engine.session();
    await engine.turn(session, "go");
    await engine.post(session, "draft", { text: clear[0], reader: "me" });
    await engine.post(session, "rename", { title: clear[1] });
    expect(placesOf(place, clear)).toEqual([]);
    await engine.end(session);
  }
  {
    await using engine = await openNotesEngine(place);
    expect((await engine.list("past=true&text=title%20in")).sessions).toMatchObject([{ session }]);
    expect(await engine.draft(session, "me")).toMatchObject({ text: clear[0] });
  }
  {
    await using sessions = await openSessions(place.options(), signal);
    const info = await sessions.store.find(session as SessionId);
    await sessions.store.expire(info?.logId as LogId, "2199-01-01");
  }
  await using engine = await openNotesEngine(place);
  expect(await engine.draft(session, "me")).toEqual({ text: "" });
  const info = await engine.info(session);
  expect([info.title, info.renamed, info.input_tokens]).toEqual(["", undefined, 100]);
  expect(placesOf(place, clear)).toEqual([]);
});

/** Gives the mock's model a price: a dollar for a million tokens of any kind. */
function priced(project: TestProject): void {
  const price = "input = 1\noutput = 1\ncache_read = 1\ncache_write = 1\n";
  project.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${project.mock.url}/v1"\n[prices."mock:test-1"]\n${price}[permissions]\nbash_in_sandbox = "ask"\n`,
  );
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return Reflect.get(Object(thrown), "reason");
  }
  return "nothing was thrown";
}

test("[CTL-19 SES-06 AUTH-07] a search finds sessions by the titles that people gave them, and a token its own only", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"));
  await using engine = await openNotesEngine(place);
  const made: string[] = [];
  for (const prompt of ["first", "second", "third"]) {
    const sessionId = await engine.session();
    await engine.turn(sessionId, prompt);
    made.push(sessionId);
  }
  const [stored = "", running = "", third = ""] = made;
  await engine.end(stored);
  await engine.post(stored, "rename", { title: "The Ocelot papers" });
  await engine.post(running, "rename", { title: "papers on ocelots" });
  await engine.post(third, "rename", { title: "else" });
  const search = async (query: string, token = engine.token) => {
    const headers = { "x-harness-token": token, "x-harness-version": PROTOCOL_VERSION };
    const answer = await fetch(`${engine.url}/v1/search?${query}`, { headers });
    return (await answer.json()) as ResultOf<"SearchSessions">;
  };
  const found = await search("text=OCELOT+papers");
  expect(found).toMatchObject({ hits: [], complete: true });
  expect(found.titles).toMatchObject([
    {
      session: running,
      title: "papers on ocelots",
      at: [
        [0, 6],
        [10, 16],
      ],
    },
    {
      session: stored,
      title: "The Ocelot papers",
      at: [
        [4, 10],
        [11, 17],
      ],
    },
  ]);
  expect(found.titles).toHaveLength(2);
  for (const none of ["text=absent", "text=ocelot&tool=Bash", "text=ocelot&from=2020-01-01", "tool=Bash"])
    expect(await search(none)).not.toHaveProperty("titles");
  expect((await search(`text=ocelot&sessionId=${stored}`)).titles).toMatchObject([{ session: stored }]);
  const own = await search("text=ocelot", engine.mint([running as SessionId]));
  expect(own.titles).toMatchObject([{ session: running }]);
  expect(own.titles).toHaveLength(1);
  await engine.post(stored, "rename", { title: "" });
  expect((await search("text=ocelot")).titles).toMatchObject([{ session: running }]);
  expect(placesOf(place, ["Ocelot papers", "papers on ocelots"])).toEqual([]);
});

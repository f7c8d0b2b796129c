import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { fitting } from "../../../test/support/arbitrary.ts";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../test/support/place.ts";
import { holds } from "../../../test/support/property.ts";
import { readSource } from "../../../test/support/source.ts";
import { event, T0 } from "../../../test/support/store-rig.ts";
import { each as eachOf, gather, INFO } from "../../../test/support/transcript-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { encode } from "../../base/text/text.ts";
import { readAccepted } from "../../protocol/commands/results.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { resumeHistory } from "../../session/history/history.ts";
import type { LogInfo } from "../../session/store/store.ts";
import { exportJsonl } from "../../session/transcript/jsonl.ts";
import { renderMarkdown } from "../../session/transcript/markdown/markdown.ts";
import { dismissExpiring, expiryWarning } from "./expiry-warning.ts";
import { exportedText } from "./export.ts";
import { findSession } from "./find.ts";
import { importLog } from "./import.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { openSessions } from "./open-sessions.ts";
import { eventsOf } from "./read.ts";
import { expireAll, retentionOf } from "./retention/expire.ts";

const DAY_MS = 86_400_000;
const { signal } = new AbortController();

test("[SES-10] what was exported is imported under ids of its own, here, and its conversation continues", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"));
  {
    await using harness = await place.open();
    await turn(harness, "the heron");
    await turn(harness, "the stork");
  }
  await using sessions = await openSessions(place.options(), signal);
  const source = await findSession("last", sessions.store, place.repo);
  const text = await exportOf(sessions, source);
  const imported = await importLog(sessions, fileOf(text));
  expect(imported).toMatchObject({ events: source.lastEvent, missing: 0, from: source.logId, problems: [] });
  const info = await sessions.store.find(imported.logId);
  expect(info).toMatchObject({
    session: imported.session,
    workingDir: place.repo,
    model: "mock:test-1",
    turns: 2,
    title: "the heron",
    branchOf: { logId: source.logId, at: source.lastEvent + 1 },
  });
  const [there, here] = await Promise.all([
    eventsIn(sessions, source.logId),
    eventsIn(sessions, imported.logId),
  ]);
  expect(here.slice(0, -1).map(({ kind, ts }) => [kind, ts])).toEqual(
    there.map(({ kind, ts }) => [kind, ts]),
  );
  expect(new Set(here.map(({ session }) => session)).has(source.session)).toBe(false);
  expect(here.at(-1)?.payload).toMatchObject({
    kind: "Imported",
    payload: { from: source.logId, verified: true },
  });
  await using harness = await place.open({ resume: { kind: "id", id: imported.session } });
  await turn(harness, "and?");
  const sent = JSON.stringify(place.mock.requests.at(-1)?.body["messages"]);
  expect([..."the heron,one,the stork,two,and?".split(",")].every((words) => sent.includes(words))).toBe(
    true,
  );
  // What was imported is itself exported and imported.
  const again = await importLog(
    sessions,
    fileOf(await exportOf(sessions, await found(sessions, imported.logId))),
  );
  expect(again.from).toBe(imported.logId);
});

test("[SES-10 SES-05] an import that is refused leaves nothing, and a secret in one is taken out", async () => {
  await using place = openPlace(says("one"));
  await turnOf(place, "hello SECRET-WORD");
  await using sessions = await openSessions(place.options(), signal);
  const source = await findSession("last", sessions.store, place.repo);
  const text = await exportOf(sessions, source);
  for (const broken of [text.slice(0, -20), text.replace("hello", "Hello"), "", "{}\n"]) {
    await expect(importLog(sessions, fileOf(broken))).rejects.toMatchObject({ reason: "ExportInvalid" });
  }
  let reads = 0;
  const changing = () => bytes(reads++ === 0 ? text.slice(0, text.indexOf("\n") + 1) : text);
  await expect(
    importLog(sessions, { ...fileOf(text), unverified: true, read: changing }),
  ).rejects.toMatchObject({ reason: "ExportInvalid" });
  expect(await sessions.store.list({ limit: 9 })).toHaveLength(1);
  const token = `ghp_${"5iydacpid9zwx3c536l4"}${"bkcu9cu95xqoq0ks"}`;
  const edited = text.replaceAll("SECRET-WORD", token);
  const imported = await importLog(sessions, { ...fileOf(edited), unverified: true });
  expect(imported.problems).toEqual([
    expect.stringContaining("the lines before are not those that were exported"),
  ]);
  expect(JSON.stringify(await eventsIn(sessions, imported.logId))).not.toContain(token);
  expect((await found(sessions, imported.logId)).title).not.toContain(token);
});

test("[SES-10] whatever events the protocol knows are imported in their order or refused with their line, and nothing breaks", async () => {
  await using place = openPlace();
  await using sessions = await openSessions(place.options(), signal);
  const schema = JSON.parse(readSource("docs/protocol/events.schema.json")) as JsonObject;
  const any = fc.array(
    fitting(schema).map((value) => value as Envelope),
    { minLength: 1, maxLength: 12 },
  );
  let imports = 0;
  await holds(
    fc.asyncProperty(any, async (events) => {
      const numbered = events.map((each, at) => ({ ...each, id: at + 1 }));
      const text = (await gather(exportJsonl(INFO, eachOf(numbered)))).join("");
      try {
        const { logId } = await importLog(sessions, fileOf(text));
        imports += 1;
        const kinds = (await eventsIn(sessions, logId)).map(({ kind }) => kind);
        expect(kinds.slice(0, -1)).toEqual(numbered.map(({ kind }) => kind));
        await gather(renderMarkdown(INFO, eachOf(await eventsIn(sessions, logId))));
        await resumeHistory(sessions.store, logId);
      } catch (thrown) {
        if (!(thrown instanceof HarnessError) || thrown.reason !== "ExportInvalid") throw thrown;
      }
    }),
    60,
  );
  // Most are; how many of those that chance makes, is left to it.
  expect(imports).toBeGreaterThan(15);
}, 300_000);

test("[SES-16 SES-10] everything else in a damaged log can be read, and a notice marks each unreadable event", async () => {
  const session = "sess_01JXT21Q00DC5PWCT7ZYZX7ZDA" as LogInfo["session"];
  const all = Array.from({ length: 2_000 }, (_, at) =>
    event(session, at + 1, { kind: "TextDelta", payload: { text: `${at + 1}` } }),
  );
  const damaged = new Set([1, 700, 701, 2_000]);
  const store = {
    markedEvents(_logId: LogId, since: number, limit: number): Promise<readonly Envelope[]> {
      const page = all.slice(since, since + limit);
      if (!page.some(({ id }) => damaged.has(id))) return Promise.resolve(page);
      return Promise.reject(new HarnessError("StoreCorrupt", { path: "x", detail: "y" }));
    },
  };
  const log = { logId: "log_01JXT21Q00DC5PWCT7ZYZX7ZDB" as LogId, session, createdAt: T0, lastEvent: 2_000 };
  const events = await gather(eventsOf(store, log, { signal, clock: testWorld().clock }));
  expect(events.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  const unreadable = events.filter(({ kind }) => kind === "CustomEvent");
  expect(unreadable.map(({ id }) => id)).toEqual([...damaged]);
  expect(unreadable[0]?.payload).toEqual({ namespace: "cinch", kind: "EventUnreadable", payload: {} });
});

test("[SES-06] content that expires within seven days is announced at the start; a dismissed notice returns only for other logs", async () => {
  await using place = openPlace(says("one"), says("two"));
  place.config(`${configOf(place.mock.url)}[session]\nttl_days = 5\n`);
  await turnOf(place, "first");
  const told = async () => {
    await using harness = await place.open({ wishes: { attended: true } });
    return harness.notices.filter((notice) => notice.includes("this week"));
  };
  await using sessions = await openSessions(place.options(), signal);
  const { session } = await findSession("last", sessions.store, place.repo);
  expect(await told()).toEqual([
    `1 session expires this week: ${session} — /sessions:pin or /sessions:export to keep it. (/sessions:dismiss)`,
  ]);
  {
    await using unattended = await place.open();
    expect(unattended.notices.filter((notice) => notice.includes("this week"))).toEqual([]);
  }
  {
    // A client tells that notice from others by its field: no text is read.
    await using harness = await place.open({ wishes: { attended: true } });
    const client = await harness.attach({ identityClass: "human", label: "test" });
    await client.handshake(PROTOCOL_VERSION);
    const accepted = await client.send({ kind: "CreateSession" });
    const { notices = [], expiring = "" } = readAccepted("CreateSession", accepted).result ?? {};
    expect(expiring).toStartWith("1 session expires this week");
    expect(notices).toContain(expiring);
  }
  await dismissExpiring(sessions, await retentionOf(sessions));
  expect(await told()).toEqual([]);
  await turnOf(place, "second");
  expect(await told()).toEqual([expect.stringContaining("2 sessions expire this week")]);
  for (const { logId } of await sessions.store.list({ limit: 9 })) await sessions.store.pin(logId, true);
  expect(await expiryWarning(sessions)).toBeUndefined();
});

test("[SES-06 R29] expiring takes what is older, and keeps what is pinned; what happened when stays", async () => {
  await using place = openPlace(says("one"), says("two"));
  await turnOf(place, "first");
  await using sessions = await openSessions(place.options(), signal);
  const first = await findSession("last", sessions.store, place.repo);
  await sessions.store.pin(first.logId, true);
  await turnOf(place, "second");
  const second = await findSession("last", sessions.store, place.repo);
  expect((await retentionOf(sessions, 1)).expire).toEqual([]);
  const later = {
    ...sessions,
    world: {
      ...sessions.world,
      clock: { ...sessions.world.clock, now: () => sessions.world.clock.now() + 40 * DAY_MS },
    },
  };
  const plan = await retentionOf(later);
  expect(plan.expire.map(({ log }) => log.logId)).toEqual([second.logId]);
  expect(plan.left).toMatchObject([{ log: { logId: first.logId }, why: "pinned" }]);
  expect(await expireAll(later, plan, signal)).toMatchObject([{ log: { logId: second.logId } }]);
  const text = await exportOf(sessions, await found(sessions, second.logId));
  expect(text).not.toContain("second");
  expect(text).toContain("«ttl-expired»");
  expect(await exportOf(sessions, first)).toContain("first");
  const imported = await importLog(sessions, fileOf(text));
  expect(imported).toMatchObject({ events: second.lastEvent, missing: 0 });
});

type TestProject = ReturnType<typeof openPlace>;

function configOf(url: string): string {
  return `[providers.mock]\nkind = "anthropic"\nbase_url = "${url}/v1"\n`;
}

async function turnOf(place: TestProject, prompt: string): Promise<void> {
  await using harness = await place.open();
  await turn(harness, prompt);
}

async function exportOf(sessions: OpenSessions, info: LogInfo): Promise<string> {
  return (await gather(exportedText(sessions, info, { format: "jsonl", signal }))).join("");
}

async function found(sessions: OpenSessions, id: LogId): Promise<LogInfo> {
  return await findSession(id, sessions.store, sessions.workingDir);
}

async function eventsIn(sessions: OpenSessions, logId: LogId): Promise<readonly Envelope[]> {
  return await sessions.store.events(logId, 0, 1_000);
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield encode(text);
}

function fileOf(text: string) {
  return { name: "file", read: () => bytes(text), unverified: false, signal };
}

import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, stringAt } from "../../../base/json.ts";
import { assertAccepted, assertRefused, assertSame } from "../../check.ts";
import type { Scenario } from "../../scenario.ts";
import type { ScenarioStage } from "../../stage.ts";
import { promptTurn } from "../../stage.ts";
import { answerOf } from "../../transports/rest-transport.ts";

const SECTION = "docs/sessions.md § Titles, archive, drafts and unread marks";
const HERE = { section: SECTION, wires: ["rest"], since: "0.3.0" } as const;

/** Scenarios about data that people keep beside a session. */
export const KEPT_SCENARIOS: readonly Scenario[] = [
  {
    ...HERE,
    id: "session-renamed",
    promise:
      "A session has the title that a person gives it, subscribers see it, and an empty one brings the first title back.",
    kinds: ["RenameSession", "SessionRenamed"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:say one");
      const at = `/v1/sessions/${session}`;
      const before = await got(stage, at);
      await using stream = await client.follow(session);
      await send(stage, `${at}/rename`, { title: "  my\n title " });
      const event = await stream.kind("SessionRenamed");
      assertSame("the title that is shown", (event["payload"] as { title?: unknown }).title, "my title");
      const renamed = await got(stage, at);
      assertSame("the title", [renamed["title"], renamed["renamed"]], ["my title", true]);
      await send(stage, `${at}/rename`, { title: "" });
      assertSame("the title afterwards", (await got(stage, at))["title"], before["title"]);
      const long = await answerOf(await stage.ask(`${at}/rename`, { json: { title: "x".repeat(201) } }));
      assertRefused("a title of 201 characters", long, ["InvalidBody", "InvalidCommand"]);
    },
  },
  {
    ...HERE,
    id: "search-titles",
    promise:
      "A search finds a session by the title that a person gave it, in `titles` and not among the items.",
    kinds: ["RenameSession"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const at = `/v1/sessions/${session}`;
      await send(stage, `${at}/rename`, { title: "Floccinaucinihil pages" });
      const find = async (text: string) => await got(stage, `/v1/search?sessionId=${session}&text=${text}`);
      const answer = await find("fLOCCInaucinihil");
      const found = arrayAt(answer, "titles").map((hit) => [
        stringAt(hit, "session"),
        stringAt(hit, "title"),
        isObject(hit) ? hit["at"] : undefined,
      ]);
      assertSame("the titles", found, [[session, "Floccinaucinihil pages", [[0, 16]]]]);
      assertSame("the items", answer["hits"], []);
      await send(stage, `${at}/rename`, { title: "" });
      assertSame("the titles without it", arrayAt(await find("floccinaucinihil"), "titles"), []);
    },
  },
  {
    ...HERE,
    id: "marks-read",
    promise: "Turns that end after a reader's mark are unread for this reader, and for no other.",
    kinds: ["MarkRead"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const { events } = await promptTurn(client, session, "cue:say one");
      const at = `/v1/sessions/${session}`;
      const unread = async (reader: string) => (await got(stage, `${at}?last=0&reader=${reader}`))["unread"];
      const event = Number(events.at(-1)?.["id"]);
      await send(stage, `${at}/read`, { event, reader: "one" });
      assertSame("unread turns after the mark", [await unread("one"), await unread("two")], [0, 1]);
      await promptTurn(client, session, "cue:say two");
      assertSame("unread turns after one more", [await unread("one"), await unread("two")], [1, 2]);
      const future = await answerOf(
        await stage.ask(`${at}/read`, { json: { event: 999_999, reader: "one" } }),
      );
      assertRefused("a mark in the future", future, ["InvalidCommand"]);
    },
  },
  {
    ...HERE,
    id: "draft-kept",
    promise: "A draft is kept for its reader, before the first prompt too, until it is emptied.",
    kinds: ["SetDraft"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const at = `/v1/sessions/${session}/draft`;
      const draft = async (reader: string) => (await got(stage, `${at}?reader=${reader}`))["text"];
      await send(stage, at, { text: "half a sentence", reader: "one" });
      assertSame("the drafts", [await draft("one"), await draft("two")], ["half a sentence", ""]);
      await send(stage, at, { text: "", reader: "one" });
      assertSame("the draft once it is emptied", await draft("one"), "");
      const nameless = await answerOf(await stage.ask(at, { json: { text: "x", reader: "" } }));
      assertRefused("a draft of nobody", nameless, ["InvalidBody", "InvalidCommand"]);
    },
  },
  {
    ...HERE,
    id: "session-pinned",
    section: "docs/sessions.md",
    promise: "A session that a person pins is shown as pinned until it is unpinned; an agent pins none.",
    kinds: ["PinSession"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      const pin = (pinned: boolean) => ({ kind: "PinSession", sessionId: session, pinned });
      const isPinned = async () => (await got(stage, `/v1/sessions/${session}`))["pinned"];
      assertAccepted("PinSession", await client.send(pin(true)));
      assertSame("whether it is pinned", await isPinned(), true);
      const agent = await stage.attachAgent();
      assertRefused("an agent's PinSession", await agent.send(pin(false)), ["Forbidden", "InvalidCommand"]);
      assertSame("whether it is pinned then", await isPinned(), true);
      assertAccepted("PinSession, to unpin", await client.send(pin(false)));
      assertSame("whether it is pinned afterwards", await isPinned(), false);
    },
  },
  {
    ...HERE,
    id: "session-deleted",
    promise: "A running session is not deleted; one that has ended is gone afterwards.",
    kinds: ["DeleteSession"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      await promptTurn(client, session, "cue:say one");
      const at = `/v1/sessions/${session}`;
      const refusal = await answerOf(await stage.ask(`${at}/delete`, { json: {} }));
      assertRefused("deleting a session that runs", refusal, ["LogHeld"]);
      assertAccepted("its end", await client.send({ kind: "EndSession", sessionId: session }));
      await send(stage, `${at}/delete`, {});
      assertRefused("the session that is gone", await answerOf(await stage.ask(at)), ["UnknownSession"]);
    },
  },
];

async function got(stage: ScenarioStage, path: string): Promise<JsonObject> {
  return assertAccepted(`GET ${path}`, await answerOf(await stage.ask(path)));
}

async function send(stage: ScenarioStage, path: string, json: object): Promise<void> {
  assertAccepted(`POST ${path}`, await answerOf(await stage.ask(path, { json })));
}

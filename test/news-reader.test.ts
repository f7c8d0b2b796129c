import { expect, test } from "bun:test";
import type { SessionId } from "../src/base/ids.ts";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import type { NewsItem } from "../src/protocol/events/news.ts";
import type { SessionInfo } from "../src/protocol/resources.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { says } from "./support/mock-provider/turn.ts";
import { openNotesEngine } from "./support/notes-engine.ts";
import { connect, openPlace } from "./support/place.ts";
import { until } from "./support/until.ts";
import { remoteParts } from "./support/ws-rig.ts";

/** Items of the news as the lines of a stream of server-sent events. */
async function* itemsOf(answer: Response): AsyncGenerator<NewsItem> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of answer.body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(rest.slice(0, end))?.[1];
      rest = rest.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as NewsItem;
    }
  }
}

test("[CTL-19] news for a reader count the unread turns as ListSessions does, over every transport", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using engine = await openNotesEngine(place);
  const sessionId = (await engine.session()) as SessionId;
  const inProcess = await connect(engine.harness);
  const stop = new AbortController();
  const { signal } = stop;
  const token = () => engine.token;
  await using remote = await connectRemote({ ...remoteParts(engine.url), token }, signal);
  await remote.handshake(PROTOCOL_VERSION);
  const asked = await fetch(`${engine.url}/v1/news?reader=me`, {
    headers: { "x-harness-token": engine.token, "x-harness-version": PROTOCOL_VERSION },
    signal,
  });
  const seen = new Map<string, SessionInfo>();
  const follow = async (how: string, items: AsyncIterable<NewsItem>) => {
    for await (const item of items)
      if (item.kind === "SessionChanged" && item.session === sessionId) seen.set(how, item.info);
  };
  const wanted = { reader: "me", signal };
  const following = [
    follow("REST", itemsOf(asked)),
    follow("WebSocket", remote.news(wanted)),
    follow("in process", inProcess.news?.(wanted) ?? itemsOf(asked)),
    follow("nobody", remote.news({ signal })),
  ];
  const agrees = async (unread: number) => {
    await until(`${unread} unread`, () =>
      ["REST", "WebSocket", "in process"].every((how) => seen.get(how)?.unread === unread),
    );
    const listed = (await engine.list("reader=me")).sessions.find(({ session }) => session === sessionId);
    expect(listed).toMatchObject({ unread });
    const { last_events: _last, last_text: _text, ...info } = await engine.info(sessionId);
    // Who is here may change after the last event.
    await until("the newest state", () =>
      ["REST", "WebSocket", "in process"].every((how) => Bun.deepEquals(seen.get(how), info)),
    );
  };
  await engine.turn(sessionId, "go");
  await agrees(1);
  const { events } = await engine.info(sessionId);
  await engine.post(sessionId, "read", { event: events, reader: "me" });
  await agrees(0);
  await engine.post(sessionId, "read", { event: 0, reader: "another" });
  await engine.turn(sessionId, "go on");
  await agrees(1);
  expect(seen.get("nobody")).not.toHaveProperty("unread");
  stop.abort();
  await Promise.allSettled(following);
});

test("[CTL-19] news refuse what is no name of a reader, and who refuses says which ones there are", async () => {
  await using place = openPlace();
  await using engine = await openNotesEngine(place);
  for (const reader of ["", "a%20b", "a%0Ab", "x".repeat(65), "a&reader=b"]) {
    const answer = await engine.send(`/v1/news?reader=${reader}`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { reason: "InvalidPath" }]);
  }
  const token = () => engine.token;
  const { signal } = new AbortController();
  await using remote = await connectRemote({ ...remoteParts(engine.url), token }, signal);
  await remote.handshake(PROTOCOL_VERSION);
  await expect(Array.fromAsync(remote.news({ reader: "a b", signal }))).rejects.toThrow(
    "reader: it takes 1 to 64 letters, digits and . _ : @ -",
  );
});

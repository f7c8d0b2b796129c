import { expect, test } from "bun:test";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import type { ResultOf } from "../src/protocol/queries/queries.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { openControlRig } from "./support/control-rig.ts";
import { says } from "./support/scripted-provider.ts";
import { remoteParts } from "./support/ws-rig.ts";

type Answer = ResultOf<"SearchSessions">;

test("[CTL-19] a client over REST finds words in prompts and answers, page by page, and opens the items", async () => {
  await using control = await openControlRig({
    script: [says("An Ocelot sleeps."), says("no"), says("two ocelots")],
  });
  for (const prompt of ["what sleeps?", "an ocelot?", "how many?"]) await control.rig.send(prompt);
  const { id } = control.rig.session;
  const json = async (path: string) => (await (await control.ask(path)).json()) as Answer;
  const found = await json("/v1/search?text=OCELOT");
  expect(found).toMatchObject({
    hits: [
      { session: id, kind: "text", turn: 3, snippet: "two ocelots", at: [[4, 10]] },
      { session: id, kind: "prompt", turn: 2, snippet: "an ocelot?", at: [[3, 9]] },
      { session: id, kind: "text", turn: 1, snippet: "An Ocelot sleeps.", at: [[3, 9]] },
    ],
    complete: true,
    searched: { sessions: 1, expired: 0, unreadable: 0 },
  });
  expect(found.cursor).toBeUndefined();
  const paged: Answer["hits"][number][] = [];
  for (let cursor = "", page: Answer; ; cursor = `&cursor=${page.cursor}`) {
    page = await json(`/v1/search?text=ocelot&limit=1${cursor}`);
    paged.push(...page.hits);
    if (page.cursor === undefined) break;
    expect(page.complete).toBe(false);
  }
  expect(paged).toEqual([...found.hits]);
  expect(await json("/v1/search?text=sleeps+ocelot")).toMatchObject({
    hits: [
      {
        turn: 1,
        at: [
          [3, 9],
          [10, 16],
        ],
      },
    ],
  });
  expect(await json(`/v1/search?text=ocelot&sessionId=${id}&to=2000-01-01`)).toMatchObject({
    hits: [],
    complete: true,
  });
  for (const { event, kind } of found.hits)
    expect(await (await control.ask(`/v1/sessions/${id}/items/${event}`)).json()).toMatchObject({
      item: { event, kind },
    });
});

test("[CTL-19] REST refuses a search without a condition, with bad fields, of unknown sessions and beyond the token", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  await control.rig.send("go");
  const { id } = control.rig.session;
  const other = control.rig.world.ids.next("sess");
  const refusal = async (query: string, token?: string) => {
    const answer = await control.ask(`/v1/search?${query}`, token === undefined ? {} : { token });
    return [query, answer.status, ((await answer.json()) as { readonly reason?: string }).reason];
  };
  for (const query of [
    "",
    "text=",
    "text=%20",
    "text=a&limit=0",
    "text=a&limit=201",
    "text=a&timeMs=0",
    "text=a&timeMs=10001",
    "text=a&from=yesterday",
    "text=a&to=2026-13",
    "text=a&tool=",
    "text=a&sessionId=sess_1",
    `text=${"a".repeat(1_025)}`,
    `text=a&cursor=${"x".repeat(65)}`,
  ])
    expect(await refusal(query)).toEqual([query, 400, "InvalidPath"]);
  const log = control.rig.world.ids.next("log");
  for (const query of [
    "text=a&from=2026-19-39",
    "text=a&cursor=x",
    `text=a&cursor=${log}:0`,
    `text=a&cursor=${log}:1:1`,
  ])
    expect(await refusal(query)).toEqual([query, 409, "InvalidQuery"]);
  expect(await refusal(`text=a&sessionId=${other}`)).toEqual([
    `text=a&sessionId=${other}`,
    404,
    "UnknownSession",
  ]);
  const token = control.mint({ identityClass: "human", sessions: [other] });
  expect(await refusal(`text=a&sessionId=${id}`, token)).toEqual([
    `text=a&sessionId=${id}`,
    403,
    "Forbidden",
  ]);
});

test("[CTL-19 AUTH-07] a token of named sessions finds nothing of others, and learns nothing of their number", async () => {
  await using control = await openControlRig({ script: [says("an ocelot")] });
  await control.rig.send("go");
  const other = control.rig.world.ids.next("sess");
  const ask = async (sessions: readonly (typeof other)[]) => {
    const token = control.mint({ identityClass: "agent", sessions });
    return (await (await control.ask("/v1/search?text=ocelot", { token })).json()) as Answer;
  };
  const nothing = {
    hits: [],
    complete: true,
    searched: { sessions: 0, events: 0, expired: 0, unreadable: 0 },
  };
  expect(await ask([other])).toEqual(nothing);
  expect(await ask([control.rig.session.id])).toMatchObject({
    hits: [{ kind: "text" }],
    searched: { sessions: 1 },
  });
});

test("[CTL-19] over WebSocket a search answers as over REST", async () => {
  await using control = await openControlRig({ script: [says("an ocelot")] });
  await control.rig.send("go");
  const { signal } = new AbortController();
  const parts = { ...remoteParts(control.url), token: () => control.token };
  await using connection = await connectRemote(parts, signal);
  await connection.handshake(PROTOCOL_VERSION);
  const rest: unknown = await (await control.ask("/v1/search?text=ocelot")).json();
  expect(await connection.query({ kind: "SearchSessions", text: "ocelot" })).toEqual(rest as Answer);
});

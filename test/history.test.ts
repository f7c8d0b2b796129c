import { expect, test } from "bun:test";
import { connectRemote } from "../src/client/remote/connect-remote.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { openControlRig } from "./support/control-rig.ts";
import { says } from "./support/scripted-provider.ts";
import { remoteParts } from "./support/ws-rig.ts";

test("[CTL-15] a client over REST pages through turns and items, and opens one item", async () => {
  await using control = await openControlRig({ script: [says("one"), says("two"), says("three")] });
  for (const prompt of ["first", "second", "third"]) await control.rig.send(prompt);
  const at = `/v1/sessions/${control.rig.session.id}`;
  const json = async (path: string) => await (await control.ask(`${at}${path}`)).json();
  expect(await json("/turns?limit=2")).toMatchObject({
    turns: [
      { turn: 2, prompt: "second", answer: "two", reason: "complete" },
      { turn: 3, prompt: "third", answer: "three", reason: "complete" },
    ],
    more: true,
  });
  expect(await json("/turns?before=2")).toMatchObject({ turns: [{ turn: 1, answer: "one" }], more: false });
  const { items, more } = (await json("/items?turn=2")) as {
    readonly items: readonly { readonly event: number; readonly kind: string }[];
    readonly more: boolean;
  };
  expect(more).toBe(false);
  expect(items).toMatchObject([
    { kind: "prompt", turn: 2, text: "second" },
    { kind: "text", turn: 2, text: "two" },
  ]);
  const text = items[1]?.event ?? 0;
  const own = control.rig.events.filter(({ id, kind }) => id >= text && kind === "TextDelta").slice(0, 3);
  expect(await json(`/items/${text}`)).toEqual({
    item: expect.objectContaining({ ...items[1] }),
    events: own.filter(({ payload }) => "text" in payload && "two".includes(payload.text)),
  });
});

test("[CTL-15] REST refuses history with bad numbers, of unknown sessions, and beyond the token", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  await control.rig.send("go");
  const { id } = control.rig.session;
  const other = control.rig.world.ids.next("sess");
  const refusal = async (path: string, token?: string) => {
    const answer = await control.ask(path, token === undefined ? {} : { token });
    return [answer.status, ((await answer.json()) as { readonly reason?: string }).reason];
  };
  for (const query of [
    "turns?limit=0",
    "turns?limit=201",
    "turns?before=0",
    "turns?after=-1",
    "items?limit=501",
    "items?turn=x",
    "items?before=1.5",
    "items?parentCall=call_1",
    "items/0",
    "items/last",
  ])
    expect([query, ...(await refusal(`/v1/sessions/${id}/${query}`))]).toEqual([query, 400, "InvalidPath"]);
  for (const path of ["turns", "items", "items/1"]) {
    expect(await refusal(`/v1/sessions/${other}/${path}`)).toEqual([404, "UnknownSession"]);
    const token = control.mint({ identityClass: "human", sessions: [other] });
    expect(await refusal(`/v1/sessions/${id}/${path}`, token)).toEqual([403, "Forbidden"]);
  }
  expect(await refusal(`/v1/sessions/${id}/items/9999`)).toEqual([404, "UnknownResource"]);
});

test("[CTL-15] over WebSocket the pages of a session, joined, are its whole history", async () => {
  await using control = await openControlRig({ script: [says("one"), says("two"), says("three")] });
  for (const prompt of ["first", "second", "third"]) await control.rig.send(prompt);
  const { signal } = new AbortController();
  const parts = { ...remoteParts(control.url), token: () => control.token };
  await using connection = await connectRemote(parts, signal);
  await connection.handshake(PROTOCOL_VERSION);
  const sessionId = control.rig.session.id;
  const kinds: string[] = [];
  for (let before: number | undefined, more = true; more; ) {
    const page = await connection.query({ kind: "ListItems", sessionId, limit: 2, before });
    kinds.unshift(...page.items.map(({ kind, text }) => `${kind} ${text}`));
    ({ more, next: before } = page);
  }
  expect(kinds).toEqual([
    "prompt first",
    "text one",
    "prompt second",
    "text two",
    "prompt third",
    "text three",
  ]);
});

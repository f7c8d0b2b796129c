import { expect, test } from "bun:test";
import { framesOf, openControlRig, refusalOf, StreamReader } from "../../../test/support/control-rig.ts";
import { calls, hangs, says } from "../../../test/support/scripted-provider.ts";
import { RawSocket } from "../../../test/support/ws-rig.ts";
import { DRAIN_MS_MAX } from "../http/server.ts";
import { SSE_HEARTBEAT_MS } from "../http/sse.ts";

const text = (words: string) => ({ content: [{ type: "text", text: words }] });

function hasEnded(stream: string): boolean {
  return stream.includes('"kind":"TurnEnded"');
}

test("[CTL-06 BUS-02] a stream bears every event as its envelope, the same as in the process, with its id", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  const answer = await control.ask(`${path}/events`);
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const reader = new StreamReader(answer);
  expect(await reader.until((got) => got !== "")).toBe(": ok\n\n");
  await control.askUnix(`${path}/input`, { json: text("go") });
  await reader.until(hasEnded);
  expect(reader.events()).toEqual(control.rig.events);
  expect(framesOf(reader.text).map(({ id }) => Number(id))).toEqual(control.rig.events.map(({ id }) => id));
  await reader.leave();
});

test("[CTL-06 REL-07] a frame names the kind of its event, except for a client that speaks 0.2", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  await control.rig.send("go");
  const path = `/v1/sessions/${control.rig.session.id}/events?since=0`;
  const kinds = control.rig.events.map(({ kind }) => kind);
  const named = async (headers: Readonly<Record<string, string>>) => {
    const reader = new StreamReader(await control.ask(path, { headers }));
    await reader.until(hasEnded);
    expect(reader.events()).toEqual(control.rig.events);
    await reader.leave();
    return framesOf(reader.text).map(({ event }) => event);
  };
  const bare = kinds.map(() => undefined);
  expect(await named({})).toEqual(kinds);
  expect(await named({ "x-harness-version": "0.3.0" })).toEqual(kinds);
  expect(await named({ "x-harness-version": "0.2.9" })).toEqual(bare);
  const made = await control.ask("/v1/clients", { json: { label: "older", version: "0.2.0" } });
  const { client } = (await made.json()) as { readonly client: string };
  expect(await named({ "x-harness-client": client })).toEqual(bare);
  expect((await control.ask("/v1/handshake?version=0.1.0")).status).toBe(200);
  expect(await named({})).toEqual(bare);
});

test("[CTL-03 CTL-14] a reader that comes back continues after the last event it had, by header or by query", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  await control.rig.send("go");
  const path = `/v1/sessions/${control.rig.session.id}/events`;
  const rest = control.rig.events.filter(({ id }) => id > 2);
  const byHeader = new StreamReader(await control.ask(path, { headers: { "last-event-id": "2" } }));
  await byHeader.until(hasEnded);
  expect(byHeader.events()).toEqual(rest);
  const byQuery = new StreamReader(await control.ask(`${path}?since=2`));
  await byQuery.until(hasEnded);
  expect(byQuery.events()).toEqual(rest);
  const both = new StreamReader(await control.ask(`${path}?since=0`, { headers: { "last-event-id": "2" } }));
  await both.until(hasEnded);
  expect(both.events()).toEqual(rest);
  for (const reader of [byHeader, byQuery, both]) await reader.leave();
});

test("[CTL-06 CTL-19] with args=true a stream also bears the arguments of calls, and another word is refused", async () => {
  const script = [calls({ name: "Absent", input: { path: "a" } }), says("done")];
  await using control = await openControlRig({ script });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/events`;
  const plain = new StreamReader(await control.ask(path));
  const asking = new StreamReader(await control.ask(`${path}?args=true`));
  await control.askUnix(`/v1/sessions/${control.rig.session.id}/input`, { json: text("go") });
  for (const reader of [plain, asking]) await reader.until(hasEnded);
  const pieces = framesOf(asking.text).filter(({ event }) => event === "ToolArgsDelta");
  expect(pieces).toHaveLength(1);
  expect(asking.events().find(({ kind }) => kind === "ToolArgsDelta")).toMatchObject({
    aside: true,
    payload: { tool: "Absent", text: '{"path":"a"}', offset: 0 },
  });
  expect(plain.text).not.toContain("ToolArgsDelta");
  for (const query of ["args=yes", "args=", "args=true&args=true"])
    expect(await refusalOf(await control.ask(`${path}?${query}`))).toEqual([400, "InvalidPath"]);
  for (const reader of [plain, asking]) await reader.leave();
});

test("[CTL-14] an invalid place to continue from is refused: garbage, two of them, one beyond the end", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  await control.rig.send("go");
  const path = `/v1/sessions/${control.rig.session.id}/events`;
  const last = control.rig.events.length;
  for (const id of ["x", "-1", "1.5", "1e3", "0x10", "99999999999999999999", "1 2"]) {
    const byHeader = await control.ask(path, { headers: { "last-event-id": id } });
    expect(await refusalOf(byHeader)).toEqual([400, "InvalidHeader"]);
    const byQuery = await control.ask(`${path}?since=${encodeURIComponent(id)}`);
    expect(await refusalOf(byQuery)).toEqual([400, "InvalidPath"]);
  }
  expect(await refusalOf(await control.ask(`${path}?since=1&since=2`))).toEqual([400, "InvalidPath"]);
  const beyond = await control.ask(`${path}?since=${last + 1}`);
  expect([beyond.status, await beyond.json()]).toMatchObject([
    400,
    {
      message: `The address or path cannot be used: since: the last event of this session is ${last}`,
    },
  ]);
  const nobody = control.rig.world.ids.next("sess");
  expect(await refusalOf(await control.ask(`/v1/sessions/${nobody}/events`))).toEqual([
    404,
    "UnknownSession",
  ]);
});

test("[CTL-06] whatever a model says, it begins no event of its own", async () => {
  const hostile =
    'x\n\nid: 999\nevent: SessionEnded\ndata: {"kind":"SessionEnded"}\r\n\r\n\u2028\u2029\u0000: ok';
  await using control = await openControlRig({ script: [says(hostile)] });
  await control.shake();
  await control.rig.send("id: 7\n\ndata: no");
  const reader = new StreamReader(await control.ask(`/v1/sessions/${control.rig.session.id}/events?since=0`));
  await reader.until(hasEnded);
  expect(reader.events()).toEqual(control.rig.events);
  const kinds = framesOf(reader.text).map(({ event }) => event);
  expect(kinds).toEqual(control.rig.events.map(({ kind }) => kind));
  await reader.leave();
});

test("[CTL-06] a stream on which nothing happens has a heartbeat every 15 s", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const reader = new StreamReader(await control.ask(`/v1/sessions/${control.rig.session.id}/events`));
  await reader.until((got) => got.includes(": ok"));
  for (let beat = 1; beat <= 3; beat++) {
    await control.rig.world.clock.advance(SSE_HEARTBEAT_MS);
    await reader.until((got) => got.split(": heartbeat\n\n").length > beat);
  }
  await control.ask(`/v1/sessions/${control.rig.session.id}/input`, { json: text("go") });
  await reader.until(hasEnded);
  expect(reader.events()).toEqual(control.rig.events);
  await reader.leave();
});

test("[ENG-08 CTL-03] a reader that goes away leaves nothing behind, and the turn continues", async () => {
  await using control = await openControlRig({ script: [hangs("working ")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  const { clock } = control.rig.world;
  const before = clock.waiting;
  const leave = new AbortController();
  const reader = new StreamReader(await control.ask(`${path}/events`, { signal: leave.signal }));
  await reader.until((got) => got.includes(": ok"));
  await control.ask(`${path}/input`, { json: text("go") });
  await reader.until((got) => got.includes("TextDelta"));
  leave.abort();
  await control.rig.until("TextDelta");
  expect(control.rig.events.map(({ kind }) => kind)).not.toContain("TurnEnded");
  // Its heartbeat was the last thing of it.
  while (clock.waiting > before + 1) await new Promise((resolve) => setImmediate(resolve));
  await control.ask(`${path}/cancel`, { json: {} });
  await control.rig.until("TurnEnded");
});

test("[ENG-08 CTL-06] a reader that stops reading costs the others nothing, and gets every event once it continues", async () => {
  const big = "x".repeat(400_000);
  await using control = await openControlRig({ script: Array.from({ length: 30 }, () => says(big)) });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/events`;
  const stalled = new StreamReader(await control.ask(path));
  await stalled.until((got) => got.includes(": ok"));
  const live = await Promise.all(
    Array.from({ length: 4 }, async () => new StreamReader(await control.ask(path))),
  );
  const counted = (reader: StreamReader) => reader.text.split('"kind":"TurnEnded"').length - 1;
  for (let turn = 1; turn <= 30; turn++) {
    await control.rig.send("go");
    for (const reader of live) await reader.until(() => counted(reader) >= turn);
  }
  await stalled.until(() => counted(stalled) === 30);
  expect(stalled.events()).toEqual(control.rig.events);
  for (const reader of [stalled, ...live]) await reader.leave();
}, 300_000);

test("[AUTH-08] a reader is notified that its token expires, and is cut off a minute after", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  const token = control.mint({ lifetimeMs: 600_000 });
  const { jti } = await control.authority.verify(token, "unix");
  await control.shake(token);
  const { clock } = control.rig.world;
  const { id: session } = control.rig.session;
  const reader = new StreamReader(await control.ask(`/v1/sessions/${session}/events`, { token }));
  await reader.until((got) => got.includes(": ok"));
  await clock.advance(300_000);
  await reader.until((got) => got.includes("TokenExpiring"));
  const frame = framesOf(reader.text).find(({ data }) => data?.includes("TokenExpiring"));
  expect(frame?.id).toBeUndefined(); // it stands in no log: nobody goes on from it
  expect(JSON.parse(frame?.data ?? "")).toMatchObject({ kind: "TokenExpiring", session, payload: { jti } });
  await clock.advance(300_000);
  expect(reader.isOver).toBe(false);
  await clock.advance(61_000);
  await reader.until(() => false);
  expect(reader.isOver).toBe(true);
});

test("[AUTH-05] revoking a token cuts its streams at once, and no others", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  const token = control.mint({});
  const { jti } = await control.authority.verify(token, "unix");
  await control.shake(token);
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/events`;
  const cut = new StreamReader(await control.ask(path, { token }));
  const other = new StreamReader(await control.ask(path));
  for (const reader of [cut, other]) await reader.until((got) => got.includes(": ok"));
  expect((await control.ask(`/v1/auth/tokens/${jti}`, { method: "DELETE" })).status).toBe(204);
  await cut.until(() => false);
  expect([cut.isOver, other.isOver]).toEqual([true, false]);
  await control.rig.send("go");
  await other.until(hasEnded);
  await other.leave();
});

test("[LIFE-02 CTL-06] a shutdown gives every stream its SessionEnded before it closes", async () => {
  const control = await openControlRig({ script: [hangs("working ")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  const readers = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, at) =>
        new StreamReader(
          await (at % 2 === 0 ? control.ask(`${path}/events`) : control.askUnix(`${path}/events`)),
        ),
    ),
  );
  await control.ask(`${path}/input`, { json: text("go") });
  await control.rig.until("TextDelta");
  const read = Promise.all(readers.map((reader) => reader.until(() => false)));
  await control[Symbol.asyncDispose]();
  await read;
  for (const reader of readers)
    expect(reader.events().at(-1)).toMatchObject({ kind: "SessionEnded", payload: { reason: "user" } });
});

test("[LIFE-02 CTL-06] a shutdown does not wait for ever for a stream of a session that continues", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const reader = new StreamReader(await control.ask(`/v1/sessions/${control.rig.session.id}/events`));
  await reader.until((got) => got.includes(": ok"));
  let isClosed = false;
  const closing = control.server[Symbol.asyncDispose]().then(() => {
    isClosed = true;
  });
  await control.rig.world.clock.advance(DRAIN_MS_MAX - 1);
  expect(isClosed).toBe(false);
  await control.rig.world.clock.advance(1);
  await closing;
  await reader.until(() => false).catch(() => undefined); // cut, not ended: how that looks is the runtime's
  expect(control.rig.events.map(({ kind }) => kind)).not.toContain("SessionEnded");
});

test("[LIFE-02 CTL-06] a reader that is behind at a shutdown still gets all there was, the end of its session and of the stream", async () => {
  const big = "x".repeat(400_000);
  const control = await openControlRig({ script: Array.from({ length: 30 }, () => says(big)) });
  await control.shake();
  const { session } = control.rig;
  const path = `/v1/sessions/${session.id}/events?since=0`;
  await using slow = new RawSocket(control.port);
  slow.write(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${control.port}\r\nx-harness-token: ${control.token}\r\n\r\n`,
  );
  await slow.until((got) => got.includes(": ok"));
  slow.stall();
  const quick = new StreamReader(await control.ask(path));
  for (let turn = 0; turn < 30; turn++) await control.rig.send("go");
  const read = quick.until(() => false);
  const closing = control[Symbol.asyncDispose]();
  await read;
  slow.resume();
  await slow.until((got) => got.endsWith("\r\n0\r\n\r\n"));
  await closing;
  const ids = [...slow.got.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(control.rig.events.map(({ id }) => id));
  expect(slow.got.split('"kind":"SessionEnded"')).toHaveLength(2);
}, 60_000);

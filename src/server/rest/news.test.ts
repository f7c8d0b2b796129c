import { expect, test } from "bun:test";
import type { ControlRig } from "../../../test/support/control-rig.ts";
import { framesOf, openControlRig, refusalOf, StreamReader } from "../../../test/support/control-rig.ts";
import { says } from "../../../test/support/scripted-provider.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import { NewsItem as NewsItemSchema } from "../../protocol/events/news.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { SSE_HEARTBEAT_MS } from "../http/sse.ts";
import { NEWS_INTERVAL_MS } from "../hub/news/news-reader.ts";

const isReady = (got: string) => got.includes("event: NewsReady\n");

async function newsOf(control: ControlRig, query = "", token = control.token): Promise<StreamReader> {
  const answer = await control.ask(`/v1/news${query}`, { token });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return new StreamReader(answer);
}

function itemsOf(reader: StreamReader): readonly NewsItem[] {
  const frames = framesOf(reader.text).filter(({ event }) => event !== "expiring");
  return frames.flatMap(({ event, data, id }) => {
    if (data === undefined) return [];
    const item = NewsItemSchema.parse(JSON.parse(data));
    expect([event, id]).toEqual([item.kind, undefined]);
    return [item];
  });
}

test("[CTL-19 CTL-06] GET /v1/news begins with each session as /v1/sessions has it, then brings what changes", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const { id, logId } = control.rig.session;
  const reader = await newsOf(control);
  await reader.until(isReady);
  expect(reader.text).toStartWith(": ok\n\n");
  const list = async () => {
    const answer = await control.ask("/v1/sessions");
    return ((await answer.json()) as { readonly sessions: readonly SessionInfo[] }).sessions;
  };
  expect(itemsOf(reader)).toEqual([
    { kind: "SessionChanged", session: id, info: (await list())[0] as SessionInfo },
    { kind: "NewsReady" },
  ]);
  await control.rig.send("go");
  await control.rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  await reader.until((got) => got.includes('"turns":1'));
  expect(itemsOf(reader).at(-1)).toEqual({
    kind: "SessionChanged",
    session: id,
    info: (await list())[0] as SessionInfo,
  });
  await control.ask(`/v1/sessions/${id}`, { method: "DELETE" });
  await control.rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  await reader.until((got) => got.includes("SessionGone"));
  expect(itemsOf(reader).at(-1)).toEqual({ kind: "SessionGone", session: id, log: logId });
  await reader.leave();
  const past = await newsOf(control, "?past=true");
  await past.until(isReady);
  expect(itemsOf(past)).toMatchObject([{ session: id, info: { live: false } }, { kind: "NewsReady" }]);
  await past.leave();
});

test("[CTL-19] news have a heartbeat every 15 s where nothing happens", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const reader = await newsOf(control);
  await reader.until(isReady);
  await control.rig.world.clock.advance(SSE_HEARTBEAT_MS);
  await reader.until((got) => got.includes(": heartbeat\n\n"));
  await reader.leave();
});

test("[CTL-19] a wish that cannot be read is refused, and a client without a handshake or a token", async () => {
  await using control = await openControlRig({ script: [] });
  expect(await refusalOf(await control.ask("/v1/news"))).toEqual([409, "HandshakeRequired"]);
  await control.shake();
  for (const query of ["?past=yes", "?past=", "?past=1", "?past=true&past=true"])
    expect(await refusalOf(await control.ask(`/v1/news${query}`))).toEqual([400, "InvalidPath"]);
  expect(await refusalOf(await control.ask("/v1/news", { token: null }))).toEqual([401, "TokenMissing"]);
  expect(await refusalOf(await control.ask("/v1/news", { method: "POST", json: {} }))).toEqual([
    405,
    "MethodNotAllowed",
  ]);
});

test("[CTL-19 AUTH-07] a token of another session sees none of this one, an agent's what its lists have", async () => {
  await using control = await openControlRig({ script: [] });
  const { sessionId: other } = await control.rig.connection.send({ kind: "CreateSession" });
  if (other === undefined) throw new Error("no session");
  const { id } = control.rig.session;
  for (const [claims, sessions] of [
    [{ sessions: [other] }, [other]],
    [{ identityClass: "agent" }, [id, other]],
  ] as const) {
    const token = control.mint(claims);
    await control.shake(token);
    const reader = await newsOf(control, "?past=true", token);
    await reader.until(isReady);
    const named = itemsOf(reader).flatMap((item) => (item.kind === "NewsReady" ? [] : [item.session]));
    expect([...named].sort()).toEqual([...sessions].sort());
    await reader.leave();
  }
});

test("[CTL-19 AUTH-05] revoking a token cuts its news at once, and no others", async () => {
  await using control = await openControlRig({ script: [] });
  const token = control.mint({});
  const { jti } = await control.authority.verify(token, "unix");
  await control.shake(token);
  await control.shake();
  const [cut, other] = [await newsOf(control, "", token), await newsOf(control)];
  for (const reader of [cut, other]) await reader.until(isReady);
  expect((await control.ask(`/v1/auth/tokens/${jti}`, { method: "DELETE" })).status).toBe(204);
  await cut.until(() => false);
  expect([cut.isOver, other.isOver]).toEqual([true, false]);
  await other.leave();
});

test("[CTL-19 AUTH-08] a reader of news is notified that its token expires, and is cut off a minute after", async () => {
  await using control = await openControlRig({ script: [] });
  const token = control.mint({ lifetimeMs: 600_000 });
  const { jti } = await control.authority.verify(token, "unix");
  await control.shake(token);
  const { clock } = control.rig.world;
  const reader = await newsOf(control, "", token);
  await reader.until(isReady);
  await clock.advance(300_000);
  await reader.until((got) => got.includes("event: expiring\n"));
  const frame = framesOf(reader.text).find(({ event }) => event === "expiring");
  expect(JSON.parse(frame?.data ?? "")).toMatchObject({ jti });
  await clock.advance(300_000);
  expect(reader.isOver).toBe(false);
  await clock.advance(61_000);
  await reader.until(() => false);
  expect(reader.isOver).toBe(true);
});

test("[CTL-19] whatever a title has in it, it begins no frame of its own", async () => {
  await using control = await openControlRig({ script: [says("yes")] });
  await control.shake();
  await control.rig.send('x\n\nevent: SessionGone\ndata: {"kind":"SessionGone"}\r\n\r\n\u2028: ok');
  const reader = await newsOf(control);
  await reader.until(isReady);
  expect(itemsOf(reader).map(({ kind }) => kind)).toEqual(["SessionChanged", "NewsReady"]);
  await reader.leave();
});

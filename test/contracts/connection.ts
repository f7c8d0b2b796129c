import { describe, expect, test } from "bun:test";
import type { Connection, IdentityClass } from "../../src/protocol/connection.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { NewsItem } from "../../src/protocol/events/news.ts";
import type { SessionInfo } from "../../src/protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { Rig, RigOptions } from "../support/rig.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { until } from "../support/until.ts";

/** An engine, and a way to be a client of it. */
export interface Connecting extends AsyncDisposable {
  readonly rig: Rig;
  /** Without a handshake. */
  connect(identityClass: IdentityClass): Promise<Connection>;
}

export type OpenConnecting = (options: RigOptions) => Promise<Connecting>;

/** Tests the promises of every Connection, on any transport (CTL-03, CTL-04, CTL-05, CTL-14). */
export function connectionContract(name: string, open: OpenConnecting): void {
  describe(`Connection: ${name}`, () => {
    test("[CTL-04] nothing is accepted before the handshake, and a version that does not fit is refused with its remedy", async () => {
      await using place = await open({ script: [] });
      const { id: sessionId } = place.rig.session;
      await using connection = await place.connect("human");
      const refused = { reason: "HandshakeRequired" };
      await expect(connection.send({ kind: "CancelTurn", sessionId })).rejects.toMatchObject(refused);
      await expect(first(() => connection.subscribe(sessionId, { signal }))).rejects.toMatchObject(refused);
      await expect(connection.handshake("99.0.0")).rejects.toMatchObject({
        reason: "HandshakeVersionMismatch",
        message: `Client speaks protocol 99.0.0; server speaks ${PROTOCOL_VERSION}. Upgrade server.`,
      });
      await expect(connection.send({ kind: "CancelTurn", sessionId })).rejects.toMatchObject(refused);
      const answer = await connection.handshake(PROTOCOL_VERSION);
      expect(answer.protocol_version).toBe(PROTOCOL_VERSION);
      expect(answer.command_kinds).toContain("SendInput");
      expect(answer.event_kinds).toContain("SessionEnded");
    });

    test("[CTL-05] who subscribes and then sends sees the whole turn, each event once and in order", async () => {
      await using place = await open({ script: [says("one two three")] });
      await using connection = await ready(place);
      const events = connection.subscribe(place.rig.session.id, { signal });
      expect(await connection.send(input(place))).toEqual({});
      const seen = await upTo(events, "TurnEnded");
      await place.rig.until("TurnEnded");
      const wanted = place.rig.events.filter(({ id }) => id >= (seen[0]?.id ?? 0));
      expect(seen).toEqual(wanted.slice(0, seen.length));
      expect(seen.map(({ kind }) => kind)).toContain("TurnStarted");
    });

    test("[CTL-05 CTL-07 CTL-19] only who asks gets the arguments of a call before it begins", async () => {
      const args = { path: "a.txt" };
      await using place = await open({ script: [calls({ name: "Absent", input: args }), says("done")] });
      await using connection = await ready(place);
      const { id } = place.rig.session;
      const asking = connection.subscribe(id, { args: true, signal });
      const [plain, declining] = [
        connection.subscribe(id, { signal }),
        connection.subscribe(id, { args: false, signal }),
      ];
      await connection.send(input(place));
      const seen = await upTo(asking, "TurnEnded");
      const told = seen.filter(({ kind }) => kind === "ToolArgsDelta" || kind === "ToolCallStarted");
      const [start] = told.slice(-1);
      expect(told.map(({ kind }) => kind)).toEqual(["ToolArgsDelta", "ToolCallStarted"]);
      expect(told[0]).toMatchObject({
        aside: true,
        payload: {
          callId: start?.kind === "ToolCallStarted" ? start.payload.callId : "",
          tool: "Absent",
          text: JSON.stringify(args),
          offset: 0,
        },
      });
      for (const events of [plain, declining])
        expect((await upTo(events, "TurnEnded")).filter(({ kind }) => kind === "ToolArgsDelta")).toEqual([]);
    });

    test("[CTL-19] the news have each session as lists have it, a new one and its end, and need a handshake", async () => {
      await using place = await open({ script: [] });
      await using bare = await place.connect("human");
      await expect(first(() => newsOf(bare, signal))).rejects.toMatchObject({
        reason: "HandshakeRequired",
      });
      await using connection = await ready(place);
      const leave = new AbortController();
      const items: NewsItem[] = [];
      const reading = (async () => {
        for await (const item of newsOf(connection, leave.signal)) items.push(item);
      })();
      const told = async (wanted: (item: NewsItem) => boolean) =>
        await until("the news", async () => {
          await place.rig.world.clock.advance(50);
          return items.some(wanted);
        });
      const { id, logId } = place.rig.session;
      await told(({ kind }) => kind === "NewsReady");
      const { sessions } = await connection.query({ kind: "ListSessions" });
      expect(items).toEqual([
        { kind: "SessionChanged", session: id, info: sessions[0] as SessionInfo },
        { kind: "NewsReady" },
      ]);
      const made = await connection.send({ kind: "CreateSession" });
      await told((item) => item.kind === "SessionChanged" && item.session === made.sessionId);
      await connection.send({ kind: "EndSession", sessionId: id });
      await told(({ kind }) => kind === "SessionGone");
      expect(items.at(-1)).toEqual({ kind: "SessionGone", session: id, log: logId });
      leave.abort();
      await reading;
    });

    test("[CTL-01] every client sees the same events, and whose input it was", async () => {
      await using place = await open({ script: [says("hello")] });
      await using one = await ready(place);
      await using two = await ready(place, "agent");
      expect([one.identityClass, two.identityClass]).toEqual(["human", "agent"]);
      expect(one.clientId).not.toBe(two.clientId);
      const { id } = place.rig.session;
      const [ofOne, ofTwo] = [one.subscribe(id, { signal }), two.subscribe(id, { since: 0, signal })];
      await two.send(input(place));
      const [seenByOne, seenByTwo] = await Promise.all([upTo(ofOne, "TurnEnded"), upTo(ofTwo, "TurnEnded")]);
      expect(seenByTwo.slice(-seenByOne.length)).toEqual(seenByOne);
      const started = seenByOne.find(({ kind }) => kind === "TurnStarted");
      expect(started).toMatchObject({ originator: two.clientId, payload: { originator: two.clientId } });
    });

    test("[CTL-03 CTL-14] who comes back after any event gets all that followed, and nothing twice", async () => {
      await using place = await open({ script: [says("one two three four")] });
      await place.rig.send("go");
      const all = [...place.rig.events];
      await using connection = await ready(place);
      for (let since = 0; since < all.length; since++) {
        const seen = await upTo(connection.subscribe(place.rig.session.id, { since, signal }), "TurnEnded");
        expect(seen).toEqual(all.slice(since, since + seen.length));
      }
    });

    test("[CTL-03] leaving stops nothing: the turn continues, and a returning client sees it", async () => {
      const gate = Promise.withResolvers<void>();
      await using place = await open({
        script: [
          async function* (request, until) {
            await gate.promise;
            yield* says("done")(request, until);
          },
        ],
      });
      const { id } = place.rig.session;
      const leaving = await ready(place);
      const events = leaving.subscribe(id, { since: 0, signal });
      await leaving.send(input(place));
      await upTo(events, "TurnStarted");
      await leaving[Symbol.asyncDispose]();
      gate.resolve();
      await using back = await ready(place);
      const seen = await upTo(back.subscribe(id, { since: 0, signal }), "TurnEnded");
      expect(seen.at(-1)).toMatchObject({ payload: { reason: "complete" } });
      expect(seen.map((event) => event.id)).toEqual(seen.map((_, at) => at + 1));
    });

    test("[CTL-02 CTL-05] a refusal has its reason, its fields and its text", async () => {
      const gate = Promise.withResolvers<void>();
      await using place = await open({
        script: [
          async function* (request, until) {
            await gate.promise;
            yield* says("done")(request, until);
          },
        ],
      });
      await using connection = await ready(place);
      const nowhere = place.rig.world.ids.next("sess");
      await expect(connection.send({ kind: "CancelTurn", sessionId: nowhere })).rejects.toMatchObject({
        reason: "UnknownSession",
        fields: { id: nowhere },
        message: `There is no session ${nowhere} in this engine. To continue a stored one, send AttachSession, or start cinch with --resume ${nowhere}.`,
      });
      await expect(first(() => connection.subscribe(nowhere, { since: 0, signal }))).rejects.toMatchObject({
        reason: "UnknownSession",
      });
      await connection.send(input(place));
      await expect(connection.send(input(place))).rejects.toMatchObject({
        reason: "TurnInProgress",
        fields: { originator: connection.clientId },
      });
      gate.resolve();
      await place.rig.until("TurnEnded");
    });

    test("[CTL-01] commands are taken in the order in which they were sent", async () => {
      const gate = Promise.withResolvers<void>();
      const answers = ["a", "b", "c", "d", "e", "f", "g", "h"].map((word) => says(word));
      await using place = await open({
        script: [
          async function* (request, until) {
            await gate.promise;
            yield* says("first")(request, until);
          },
          ...answers,
        ],
      });
      await using connection = await ready(place);
      await connection.send(input(place));
      const texts = answers.map((_, at) => `number ${at}`);
      const sent = texts.map((text) =>
        connection.send({ ...input(place, text), delivery: "queue" as const }),
      );
      await Promise.all(sent);
      gate.resolve();
      const { id } = place.rig.session;
      const seen = await upTo(connection.subscribe(id, { since: 0, signal }), "TurnEnded", texts.length + 1);
      const queued = seen.flatMap((event) => (event.kind === "InputQueued" ? event.payload.content : []));
      expect(queued).toEqual(texts.map((text) => ({ type: "text", text })));
    });

    test("[CTL-03] a subscription ends with the end of its session, and one to an ended session has just that", async () => {
      await using place = await open({ script: [] });
      const { id: sessionId } = place.rig.session;
      await using connection = await ready(place);
      const events = Array.fromAsync(connection.subscribe(sessionId, { since: 0, signal }));
      await connection.send({ kind: "EndSession", sessionId });
      const seen = await events;
      expect(seen.at(-1)).toMatchObject({ kind: "SessionEnded", session: sessionId });
      const again = await Array.fromAsync(connection.subscribe(sessionId, { signal }));
      expect(again.map(({ kind }) => kind)).toEqual(["SessionEnded"]);
      await expect(connection.send({ kind: "CancelTurn", sessionId })).rejects.toMatchObject({
        reason: "UnknownSession",
      });
    });

    test("[CTL-03] a subscription ends with its signal, also while it waits", async () => {
      await using place = await open({ script: [] });
      await using connection = await ready(place);
      const leave = new AbortController();
      const events = Array.fromAsync(connection.subscribe(place.rig.session.id, { signal: leave.signal }));
      await connection.send({ kind: "AttachSession", sessionId: place.rig.session.id });
      leave.abort();
      expect(await events).toEqual([]);
    });
  });
}

const { signal } = new AbortController();

async function ready(place: Connecting, identityClass: IdentityClass = "human"): Promise<Connection> {
  const connection = await place.connect(identityClass);
  await connection.handshake(PROTOCOL_VERSION);
  return connection;
}

function input(place: Connecting, text = "go") {
  const { id: sessionId } = place.rig.session;
  return { kind: "SendInput" as const, sessionId, content: [{ type: "text" as const, text }] };
}

async function first<Item>(subscribe: () => AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const event of subscribe()) return event;
  return undefined;
}

function newsOf(connection: Connection, until: AbortSignal): AsyncIterable<NewsItem> {
  if (connection.news === undefined) throw new Error("this connection tells no news");
  return connection.news({ signal: until });
}

/** Every event up to the nth of a kind. */
async function upTo(events: AsyncIterable<Envelope>, kind: string, nth = 1): Promise<Envelope[]> {
  const seen: Envelope[] = [];
  for await (const event of events) {
    seen.push(event);
    if (seen.filter((each) => each.kind === kind).length === nth) break;
  }
  return seen;
}

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { settle } from "../../../../test/support/fake-clock.ts";
import { holds } from "../../../../test/support/property.ts";
import type { Rig } from "../../../../test/support/rig.ts";
import { openRig } from "../../../../test/support/rig.ts";
import { rigPort } from "../../../../test/support/rig-port.ts";
import { says, scriptedProvider } from "../../../../test/support/scripted-provider.ts";
import { defined } from "../../../base/defined.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { NEWS_INTERVAL_MS } from "./news-reader.ts";

const NAMES = ["me", "another@desk"] as const;
const never = new AbortController().signal;
const ANSWERS = Array.from({ length: 200 }, () => says("yes it is"));

/** One step of a run; `at` chooses a session or a reader. */
type Step = { readonly kind: (typeof KINDS)[number]; readonly at: number };

const KINDS = [
  "create",
  "end",
  "resume",
  "delete",
  "prompt",
  "cancel",
  "pin",
  "rename",
  "archive",
  "mark-read",
  "watch",
  "unwatch",
  "connect",
  "connect-slow",
  "connect-past",
  "connect-past-slow",
  "connect-named",
  "connect-reader",
  "connect-past-reader-slow",
  "disconnect",
  "time",
] as const;

interface Reader {
  readonly past: boolean;
  readonly named: readonly SessionId[] | undefined;
  /** Name under which it marks what was read. */
  readonly name: string | undefined;
  readonly news: AsyncGenerator<NewsItem>;
  readonly sessions: Map<SessionId, SessionInfo>;
  readonly stop: AbortController;
  reading: Promise<void> | undefined;
  isReady: boolean;
}

/** Reads on until it leaves. The state of each reader is a fold that any client would write. */
async function read(reader: Reader): Promise<void> {
  for await (const item of reader.news) {
    if (item.kind === "NewsReady") reader.isReady = true;
    if (item.kind === "SessionChanged") reader.sessions.set(item.session, item.info);
    if (item.kind === "SessionGone") reader.sessions.delete(item.session);
  }
}

/** An engine with sessions, clients and readers, as the steps leave it. */
class Play {
  readonly #rig: Rig;
  readonly #logs: LogId[] = [];
  readonly #readers: Reader[] = [];
  readonly #watches: AbortController[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
    this.#logs.push(rig.session.logId);
  }

  async step({ kind, at }: Step): Promise<void> {
    const { connection, store, multiplexer, world } = this.#rig;
    const log = this.#logs[at % this.#logs.length];
    const info = log === undefined ? undefined : await store.find(log);
    const sessionId = info?.session;
    const runs = sessionId !== undefined && multiplexer.sessions.includes(sessionId);
    switch (kind) {
      case "create": {
        const made = await connection.send({ kind: "CreateSession" });
        const found = await store.find(made.sessionId as SessionId);
        if (found !== undefined) this.#logs.push(found.logId);
        return;
      }
      case "end":
        if (runs) await connection.send({ kind: "EndSession", sessionId });
        return;
      case "resume":
        if (sessionId !== undefined && !runs) await connection.send({ kind: "AttachSession", sessionId });
        return;
      case "delete":
        if (log === undefined || info === undefined || runs) return;
        await store.delete(log);
        multiplexer.changed(log);
        return;
      case "prompt": {
        const content = [{ type: "text" as const, text: `prompt ${at}` }];
        // Not awaited: its turn runs on beside the next steps.
        if (runs) await connection.send({ kind: "SendInput", sessionId, content, delivery: "queue" });
        return;
      }
      case "cancel":
        if (runs) await connection.send({ kind: "CancelTurn", sessionId });
        return;
      case "pin":
        if (sessionId === undefined) return;
        await connection.send({ kind: "PinSession", sessionId, pinned: at % 2 === 0 });
        return;
      case "rename": {
        const title = at % 3 === 0 ? "" : `title ${at}`;
        if (sessionId !== undefined) await connection.send({ kind: "RenameSession", sessionId, title });
        return;
      }
      case "archive":
        if (sessionId === undefined) return;
        await connection.send({ kind: "ArchiveSession", sessionId, archived: at % 2 === 0 });
        return;
      case "mark-read": {
        if (info === undefined || sessionId === undefined) return;
        const reader = pick(NAMES, at);
        const event = at % 3 === 0 ? info.lastEvent : Math.floor(info.lastEvent / 2);
        await connection.send({ kind: "MarkRead", sessionId, event, reader });
        return;
      }
      case "watch": {
        if (!runs) return;
        const watch = new AbortController();
        this.#watches.push(watch);
        connection.subscribe(sessionId, { signal: watch.signal });
        return;
      }
      case "unwatch":
        this.#watches.splice(0, 1)[0]?.abort();
        return;
      case "disconnect":
        await this.#leave(this.#readers.splice(at % Math.max(1, this.#readers.length), 1)[0]);
        return;
      case "time":
        return await world.clock.advance(at * 10);
      default:
        return this.#connect(kind, sessionId);
    }
  }

  #connect(kind: string, sessionId: SessionId | undefined): void {
    const past = kind.includes("past");
    const named = kind === "connect-named" && sessionId !== undefined ? [sessionId] : undefined;
    const stop = new AbortController();
    const scope = named === undefined ? {} : { scope: { sessions: named, commands: "all" } as const };
    const asking = { identityClass: "human", signal: stop.signal, ...scope } as const;
    const name = kind.includes("reader") ? pick(NAMES, this.#readers.length) : undefined;
    const news = this.#rig.multiplexer.news.read({ past, ...defined({ reader: name }) }, asking);
    const reader: Reader = {
      ...{ past, named, name, news, stop },
      sessions: new Map(),
      reading: undefined,
      isReady: false,
    };
    if (!kind.includes("slow")) reader.reading = read(reader);
    this.#readers.push(reader);
  }

  async #leave(reader: Reader | undefined): Promise<void> {
    reader?.stop.abort();
    await reader?.reading;
  }

  /** Lets everything come to rest and compares each reader with the list. */
  async check(): Promise<void> {
    const { clock } = this.#rig.world;
    for (const reader of this.#readers) reader.reading ??= read(reader); // the slow ones read at last
    while (this.#readers.some(({ isReady }) => !isReady)) await settle();
    for (let round = 0; round < 6; round++) await clock.advance(NEWS_INTERVAL_MS);
    for (const { past, named, name, sessions } of this.#readers) {
      const scope = named === undefined ? {} : { scope: { sessions: named, commands: "all" } as const };
      const list = await this.#rig.multiplexer.query(
        { kind: "ListSessions", past, archived: "with", ...defined({ reader: name }) },
        { identityClass: "human", signal: never, ...scope },
      );
      expect(byId([...sessions.values()])).toEqual(byId(list.sessions));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of this.#watches) watch.abort();
    await Promise.all(this.#readers.map((reader) => this.#leave(reader)));
  }
}

function pick<Item>(items: readonly [Item, ...Item[]], at: number): Item {
  return items[at % items.length] ?? items[0];
}

function byId(sessions: readonly SessionInfo[]): readonly SessionInfo[] {
  return [...sessions].sort((a, b) => (a.session < b.session ? -1 : 1));
}

test("[CTL-19] whatever clients and sessions do and in whatever order, each reader ends with what ListSessions has", async () => {
  const step = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(40) });
  await holds(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await using rig: Rig = await openRig({
        script: [],
        model: scriptedProvider(ANSWERS),
        follows: false,
        idleTimeoutMs: 3_000, // sessions end by themselves too
        keeping: {
          async PinSession({ sessionId, pinned }) {
            const info = await rig.store.find(sessionId);
            if (info !== undefined) await rig.store.pin(info.logId, pinned);
            return { sessionId };
          },
          async RenameSession({ sessionId, title }) {
            const [info, ts] = [
              await rig.store.find(sessionId),
              new Date(rig.world.clock.now()).toISOString(),
            ];
            if (info !== undefined) await rig.store.notes?.rename(info.logId, { text: title, ts });
            return { sessionId };
          },
          async ArchiveSession({ sessionId, archived }) {
            const info = await rig.store.find(sessionId);
            if (info !== undefined) await rig.store.notes?.archive(info.logId, archived);
            return { sessionId };
          },
          async MarkRead({ sessionId, event, reader }) {
            const [info, ts] = [
              await rig.store.find(sessionId),
              new Date(rig.world.clock.now()).toISOString(),
            ];
            if (info !== undefined) await rig.store.notes?.markRead(info.logId, reader, { event, ts });
            return { sessionId };
          },
        },
      });
      rigPort(rig);
      await using play = new Play(rig);
      for (const each of steps) await play.step(each);
      await play.check();
      const idle = rig.world.clock.waiting;
      await play[Symbol.asyncDispose]();
      // What readers have set is let go of with them.
      expect(rig.world.clock.waiting).toBeLessThanOrEqual(idle);
    }),
    200,
  );
}, 300_000);

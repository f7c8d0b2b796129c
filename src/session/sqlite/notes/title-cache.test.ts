import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Rig } from "../../../../test/support/store-rig.ts";
import { event, LOG_KEY, newLog, openRig, turn } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { CacheBudget } from "../../../base/cache-budget.ts";
import type { LogId } from "../../../base/ids.ts";
import { dayOf } from "../../store/log-facts.ts";
import type { LogName } from "../../store/store.ts";
import { openSqliteStore } from "../open.ts";

const DAY_MS = 86_400_000;

interface TitleRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly path: string;
  /** Returns the title that a list and the names show; they must agree. */
  title(logId: LogId): Promise<string | undefined>;
  readonly counts: () =>
    | { readonly entries: number; readonly hits: number; readonly misses: number }
    | undefined;
}

async function openPlace(): Promise<TitleRig> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const caches = new CacheBudget();
  const rig = await openRig((world) => openSqliteStore({ path, world, logKey: LOG_KEY, caches }));
  return {
    rig,
    path,
    async title(logId) {
      const { store } = rig;
      const [listed, named] = [await store.list({ limit: 9 }), await store.names?.({ limit: 9 })];
      expect(named).toEqual(listed.map(nameIn));
      return listed.find((info) => info.logId === logId)?.title;
    },
    counts: () => caches.counts().find(({ name }) => name === "titles"),
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function nameIn({
  logId,
  session,
  workingDir,
  updatedAt,
  interrupted,
  title,
  renamed,
  heldBy,
}: LogName): LogName {
  return {
    ...{ logId, session, workingDir, updatedAt, interrupted, title },
    ...(renamed === undefined ? {} : { renamed }),
    ...(heldBy === undefined ? {} : { heldBy }),
  };
}

async function addLog({ store, world, me }: Rig, text: string): Promise<LogId> {
  const log = newLog(world);
  await using writer = await store.create(log, me);
  await writer.append({ events: turn(log.session, 1, { turn: 1, text, at: log.createdAt }) }, "process");
  return log.logId;
}

test("[CTL-19] a title is opened once, and a new one is shown at once, whoever writes it", async () => {
  await using place = await openPlace();
  const { rig, title, counts } = place;
  const logId = await addLog(rig, "the first prompt");
  expect(await title(logId)).toBe("the first prompt");
  const opened = counts()?.misses;
  expect(await title(logId)).toBe("the first prompt");
  expect(counts()?.misses).toBe(opened);
  const { world } = rig;
  await using other = await openSqliteStore({ path: place.path, world, logKey: LOG_KEY });
  for (const text of ["by a person", "by a person again", ""]) {
    await other.notes?.rename(logId, { text, ts: new Date(world.clock.now()).toISOString() });
    expect(await title(logId)).toBe(text === "" ? "the first prompt" : text);
  }
});

test("[CTL-19 SES-06] a title that has expired or was deleted is neither shown nor kept in memory", async () => {
  await using place = await openPlace();
  const { rig, title, counts } = place;
  const { store, world } = rig;
  const [expired, deleted] = [await addLog(rig, "old"), await addLog(rig, "unwanted")];
  expect([await title(expired), await title(deleted)]).toEqual(["old", "unwanted"]);
  await world.clock.advance(DAY_MS);
  await store.expire(expired, dayOf(new Date(world.clock.now()).toISOString()));
  expect(counts()?.entries).toBe(0);
  expect(await title(expired)).toBe("");
  await store.delete(deleted);
  expect(counts()?.entries).toBe(0);
  expect(await title(deleted)).toBeUndefined();
});

test("[CTL-19 SES-16] a title that was damaged since it was opened is not shown from memory", async () => {
  await using place = await openPlace();
  const logId = await addLog(place.rig, "sound");
  expect(await place.title(logId)).toBe("sound");
  using database = new Database(place.path);
  database.run("UPDATE logs SET title = zeroblob(60)");
  expect(await place.title(logId)).toBe("«unreadable»");
});

test("[CTL-19] events of some kinds are found in order in a long log, as many as are asked for", async () => {
  await using place = await openPlace();
  const { store, world, me } = place.rig;
  const log = newLog(world);
  await using writer = await store.create(log, me);
  const at = [3, 4_096, 4_097, 9_000, 9_999];
  const events = Array.from({ length: 10_000 }, (_, index) =>
    at.includes(index + 1)
      ? turn(log.session, index + 1, { turn: 1 + at.indexOf(index + 1), text: "x", at: log.createdAt }).slice(
          0,
          1,
        )
      : [event(log.session, index + 1, { kind: "TextDelta", payload: { text: "y" } })],
  );
  await writer.append({ events: events.flat() }, "process");
  const found = async (since: number, limit: number) =>
    (await store.markedEvents(log.logId, since, limit, ["TurnStarted"])).map(({ id }) => id);
  expect(await found(0, 9)).toEqual(at);
  expect(await found(0, 3)).toEqual(at.slice(0, 3));
  expect(await found(4_096, 9)).toEqual(at.slice(2));
  expect(await found(9_999, 9)).toEqual([]);
});

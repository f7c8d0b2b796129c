import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { FEATURES } from "../src/app/features.ts";
import { resumeLog } from "../src/app/log/resume.ts";
import type { LogId } from "../src/base/ids.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import type { World } from "../src/base/world.ts";
import { Redaction } from "../src/engine/bus/redaction.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import { redactor } from "../src/safety/redact.ts";
import { openSqliteStore } from "../src/session/sqlite/open.ts";
import type { SessionStore } from "../src/session/store/store.ts";
import { measureBareLog } from "./bare-log.ts";
import type { LogFigures, LogWork } from "./log-work.ts";
import { EVENTS_PER_BATCH, logWork, SCREEN_EVENTS, stamp, timed } from "./log-work.ts";
import type { Row } from "./report.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";

const EVENTS_QUICK = 100_000;
const EVENTS_LONG = 1_000_000;
const DAY_MS = 86_400_000;
const MB = 1e6;
/** 100,000 events a second. */
const EVENT_US_MAX = 10;

interface StoreFigures extends LogFigures {
  readonly walBytesMax: number;
  readonly expireMs: number;
  readonly maintainMs: number;
  /** Bytes of the database after maintenance, over what a copy without any room takes. */
  readonly overLive: number;
}

/**
 * The session log (PERF-05): what is written is redacted and sealed. From source, in this process, beside bun:sqlite
 * alone with the same batches and syncs.
 */
export async function measureLog(place: BenchSetup): Promise<readonly Row[]> {
  const host = hostWorld(SILENT_LOG);
  const shift = { ms: 0 };
  const world = { ...host, clock: { ...host.clock, now: () => host.clock.now() + shift.ms } };
  const folder = mkdtempSync(join(place.scratch, "log-"));
  const session = world.ids.next("sess");
  const work = logWork(world, session, place.long ? EVENTS_LONG : EVENTS_QUICK);
  const bare = measureBareLog(join(folder, "bare.db"), work);
  const cinch = await measureStore({ world, path: join(folder, "sessions.db"), session, work, shift });
  rmSync(folder, { recursive: true });
  return rows(work, cinch, bare);
}

function rows({ events, pageEvents }: LogWork, cinch: StoreFigures, bare: LogFigures): readonly Row[] {
  const many = events.toLocaleString("en");
  const us = (values: readonly number[]) => values.map((ms) => ms * 1_000);
  const both = (what: string, unit: string, of: (figures: LogFigures) => readonly number[]): Row => ({
    ...{ what, unit, cinch: sampled(of(cinch)), bare: sampled(of(bare)), comparison: "alone" },
  });
  const own = (what: string, unit: string, value: number): Row => ({
    ...{ what, unit, cinch: sampled([value]), comparison: "alone" },
  });
  return [
    both("log: append of one event, safe from loss of power", "ms", ({ power }) => power),
    both("log: append of one event, safe from death of the process", "ms", ({ process }) => process),
    {
      ...both("log: intent and outcome of a call, both safe from loss of power", "ms", ({ calls }) => calls),
      aim: 0.5,
    },
    both("log: the same, 99th percentile", "ms", ({ calls }) => [quantile(calls, 0.99)]),
    {
      ...both(`log: an event of 300 bytes in batches of ${EVENTS_PER_BATCH}`, "µs", ({ batches }) =>
        us(batches),
      ),
      aim: EVENT_US_MAX,
    },
    both(`log: events a second while ${many} are appended`, "", ({ batches }) => [perSecond(batches)]),
    own("log: its write-ahead log at the largest", "MB", cinch.walBytesMax / MB),
    {
      ...both(`log of ${many}: opened, and the last ${SCREEN_EVENTS}`, "ms", ({ screen }) => screen),
      aim: 150,
    },
    both(`log of ${many}: the ${pageEvents.toLocaleString("en")} after an id`, "ms", ({ page }) => page),
    both(`log of ${many}: resume`, "ms", ({ resume }) => resume),
    {
      ...both(`log of ${many}: an event while all are read`, "µs", ({ replay }) => us(replay)),
      aim: EVENT_US_MAX,
    },
    own(`log of ${many}: half of it expires`, "ms", cinch.expireMs),
    own(`log of ${many}: maintenance afterwards`, "ms", cinch.maintainMs),
    { ...own(`log of ${many}: file over what is left in it`, "×", cinch.overLive), aim: 1.2 },
  ];
}

function perSecond(msPerEvent: readonly number[]): number {
  return 1_000 / (msPerEvent.reduce((sum, ms) => sum + ms, 0) / msPerEvent.length);
}

interface Subject {
  readonly world: World;
  readonly path: string;
  readonly session: Envelope["session"];
  readonly work: LogWork;
  /** Moves the clock of the world. */
  readonly shift: { ms: number };
}

async function measureStore({ world, path, session, work, shift }: Subject): Promise<StoreFigures> {
  const logId = world.ids.next("log");
  const { pid, processStart } = world.machine;
  const start = {
    logId,
    session,
    workingDir: "/project",
    profile: "default",
    model: "a:b",
    createdAt: stamp(0),
  };
  const options = { path, world, logKey: { key: world.random.bytes(32), source: "the bench" } };
  const figures = {
    ...{ power: [], process: [], calls: [], batches: [], screen: [], page: [], resume: [], replay: [] },
  } as LogFigures;
  let walBytesMax = 0;
  {
    await using store = await openSqliteStore(options);
    await using writer = await store.create(start, { pid, processStart });
    for (const event of work.singles()) {
      const durability = event.id % 2 === 0 ? "power" : "process";
      figures[durability].push(await timed(() => writer.append({ events: [event] }, durability)));
    }
    for (const { intent, outcome } of work.calls()) {
      const both = async () => {
        await writer.append({ intents: [intent] }, "power");
        await writer.append({ outcomes: [outcome] }, "power");
      };
      figures.calls.push(await timed(both));
    }
    const redact = redaction();
    for (const events of work.batches()) {
      if ((events[0]?.id ?? 0) > work.events / 2) shift.ms = DAY_MS;
      const messages = work.messages(events);
      const append = () => writer.append({ events: redact(events), messages }, "process");
      figures.batches.push((await timed(append)) / events.length);
      walBytesMax = Math.max(walBytesMax, sizeOf(`${path}-wal`));
    }
  }
  for (let run = 0; run < 5; run++) {
    const opened = async () => {
      await using store = await openSqliteStore(options);
      const info = await store.find(logId);
      await store.eventsBefore(logId, info?.lastEvent ?? 0, SCREEN_EVENTS);
    };
    figures.screen.push(await timed(opened));
  }
  await using store = await openSqliteStore(options);
  for (const since of work.places)
    figures.page.push(await timed(() => store.events(logId, since, work.pageEvents)));
  for (let run = 0; run < 3; run++) figures.resume.push(await timed(() => resumeOf(store, logId)));
  figures.replay.push((await timed(() => readAll(store, logId, work))) / work.events);
  const today = new Date(world.clock.now()).toISOString().slice(0, 10);
  const expireMs = await timed(() => store.expire(logId, today));
  const maintainMs = await timed(() => store.maintain(new AbortController().signal));
  return { ...figures, walBytesMax, expireMs, maintainMs, overLive: sizeOf(path) / liveBytes(path) };
}

/** Returns the engine's redaction of events before they are written; pieces of text pass through a stream. */
function redaction(): (events: readonly Envelope[]) => readonly Envelope[] {
  const redaction = new Redaction(redactor([]));
  const stream = redaction.stream();
  return (events) =>
    events.map((event) => {
      if (event.kind === "TextDelta") {
        stream.push(event.payload.text);
        return event;
      }
      return { ...event, ...redaction.event(event) } as Envelope;
    });
}

async function resumeOf(store: SessionStore, logId: LogId): Promise<void> {
  const { history } = await resumeLog(store, logId, FEATURES);
  if (history.length === 0) throw new Error("nothing was resumed");
}

async function readAll(store: SessionStore, logId: LogId, work: LogWork): Promise<void> {
  let since = 0;
  while (since < work.events)
    since = (await store.events(logId, since, work.pageEvents)).at(-1)?.id ?? work.events;
}

function liveBytes(path: string): number {
  const copy = `${path}.live`;
  using database = new Database(path);
  database.run("VACUUM INTO ?", [copy]);
  return sizeOf(copy);
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

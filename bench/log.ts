import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { EventSeq, LogId } from "../src/base/ids.ts";
import { resumeLog } from "../src/harness/resume.ts";
import { hostWorld } from "../src/host/host.ts";
import type { Envelope } from "../src/protocol/envelope.ts";
import { openSqliteStore } from "../src/session/sqlite/open.ts";
import type { SessionStore, SessionWriter } from "../src/session/store.ts";
import type { Row } from "./report.ts";
import { sampled } from "./statistics.ts";
import type { Place } from "./subject.ts";

const EVENTS_QUICK = 100_000;
const EVENTS_LONG = 1_000_000;
const EVENTS_PER_TURN = 20;
const EVENTS_PER_APPEND = 500;
const PAGE_EVENTS = 1_000;
const SILENT = { for: () => SILENT, write: () => undefined };

/** The session log: appending, reading on from an event, resuming a long one (PERF-05). From source, in this process. */
export async function measureLog(place: Place): Promise<readonly Row[]> {
  const world = hostWorld(SILENT);
  const path = join(mkdtempSync(join(place.scratch, "log-")), "sessions.db");
  const session = world.ids.next("sess");
  const logId = world.ids.next("log");
  const holder = { pid: world.machine.pid, processStart: world.machine.processStart };
  const log = {
    logId,
    session,
    workingDir: "/project",
    profile: "default",
    model: "a:b",
    createdAt: stamp(0),
  };
  await using store = await openSqliteStore({
    path,
    world,
    logKey: { key: world.random.bytes(32), source: "the bench" },
  });
  await using writer = await store.create(log, holder);

  const power: number[] = [];
  const process: number[] = [];
  let last = 0;
  for (let run = 0; run < 100; run++) {
    power.push(await timed(() => writer.append({ events: [event(++last, session)] }, "power")));
    process.push(await timed(() => writer.append({ events: [event(++last, session)] }, "process")));
  }
  const events = place.long ? EVENTS_LONG : EVENTS_QUICK;
  const fillMs = await timed(() => fill(writer, { session, from: last, to: events }));
  const since: number[] = [];
  for (let run = 0; run < 50; run++) {
    const cursor = Math.floor((events * run) / 50) as EventSeq;
    since.push(await timed(() => store.events(logId, cursor, PAGE_EVENTS)));
  }
  const resume: number[] = [];
  for (let run = 0; run < 3; run++) resume.push(await timed(() => resumeOf(store, logId)));
  const many = events.toLocaleString("en");
  return [
    row("log: append of one event, safe from loss of power", "ms", power),
    row("log: append of one event, safe from death of the process", "ms", process),
    row(`log: events a second while ${many} are appended`, "", [(events / fillMs) * 1_000]),
    row(`log of ${many} events: the ${PAGE_EVENTS.toLocaleString("en")} after an id`, "ms", since),
    row(`log of ${many} events: resume`, "ms", resume),
  ];
}

interface Filling {
  readonly session: Envelope["session"];
  readonly from: number;
  readonly to: number;
}

/** Turns as they are: a prompt, text, a call and its result, each with its message. */
async function fill(writer: SessionWriter, { session, from, to }: Filling): Promise<void> {
  for (let at = from; at < to; at += EVENTS_PER_APPEND) {
    const count = Math.min(EVENTS_PER_APPEND, to - at);
    const events = Array.from({ length: count }, (_, i) => event(at + i + 1, session));
    const messages = events
      .filter(({ id }) => id % EVENTS_PER_TURN < 2)
      .map(({ id }) => ({
        after: id as EventSeq,
        turn: Math.floor(id / EVENTS_PER_TURN),
        message: {
          role: id % EVENTS_PER_TURN === 0 ? ("user" as const) : ("assistant" as const),
          content: [{ type: "text" as const, text: `message ${id}: ${"some words ".repeat(20)}` }],
        },
      }));
    await writer.append({ events, messages }, "process");
  }
}

function event(id: number, session: Envelope["session"]): Envelope {
  const turn = Math.floor(id / EVENTS_PER_TURN);
  const common = { id, session, ts: stamp(id) };
  if (id % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) {
    return { ...common, kind: "TurnEnded", payload: { turn, reason: "complete", rounds: 3 } } as Envelope;
  }
  return {
    ...common,
    kind: "TextDelta",
    payload: { text: `delta ${id}: some words of an answer` },
  } as Envelope;
}

function stamp(id: number): string {
  return new Date(1_700_000_000_000 + id).toISOString();
}

async function resumeOf(store: SessionStore, logId: LogId): Promise<void> {
  const { history } = await resumeLog(store, logId);
  if (history.length === 0) throw new Error("nothing was resumed");
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function row(what: string, unit: string, values: readonly number[]): Row {
  return { what, unit, cinch: sampled(values), comparison: "alone" };
}

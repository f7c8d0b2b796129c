import type { CallId, ClientId, EventSeq, SessionId } from "../src/base/ids.ts";
import type { World } from "../src/base/world.ts";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import type { CallOutcome, Intent, StoredMessage } from "../src/session/store/store.ts";

export const EVENTS_PER_BATCH = 128;
export const SCREEN_EVENTS = 200;
const SINGLES = 200;
const CALLS = 500;
const EVENTS_PER_TURN = 20;
/** With the frame around it, the payload of an event has 300 bytes. */
const TEXT = "some words of an answer, and some of a result; ".repeat(6).slice(0, 270);

/** Milliseconds of each thing that is measured; of `batches` and `replay`, for one event. */
export interface LogFigures {
  readonly power: number[];
  readonly process: number[];
  readonly calls: number[];
  readonly batches: number[];
  readonly screen: number[];
  readonly page: number[];
  readonly resume: number[];
  readonly replay: number[];
}

/** The same work for whoever keeps a log. */
export interface LogWork {
  readonly events: number;
  readonly pageEvents: number;
  /** Ids after which a page is read. */
  readonly places: readonly EventSeq[];
  /** Events that are written one by one. */
  singles(): Iterable<Envelope>;
  calls(): Iterable<{ readonly intent: Intent; readonly outcome: CallOutcome }>;
  /** All further events. */
  batches(): Iterable<readonly Envelope[]>;
  /** Returns the messages that are written with a batch. */
  messages(batch: readonly Envelope[]): readonly StoredMessage[];
}

export function logWork(world: World, session: SessionId, events: number): LogWork {
  const callId = world.ids.next("call");
  const originator = world.ids.next("cli");
  const event = (id: number) => eventOf(id, { session, callId, originator });
  return {
    events,
    pageEvents: 1_000,
    places: Array.from({ length: 50 }, (_, run) => Math.floor((events * run) / 50)),
    *singles() {
      for (let id = 1; id <= SINGLES; id++) yield event(id);
    },
    *calls() {
      for (let call = 0; call < CALLS; call++) yield callOf(world.ids.next("call"));
    },
    *batches() {
      for (let from = SINGLES; from < events; from += EVENTS_PER_BATCH) {
        const length = Math.min(EVENTS_PER_BATCH, events - from);
        yield Array.from({ length }, (_, at) => event(from + at + 1));
      }
    },
    messages: (batch) => batch.filter(({ id }) => id % EVENTS_PER_TURN < 2).map(({ id }) => messageOf(id)),
  };
}

interface Ids {
  readonly session: SessionId;
  readonly callId: CallId;
  readonly originator: ClientId;
}

/** Turns as they are: a prompt, text in pieces, results of calls, and an end. */
function eventOf(id: number, { session, callId, originator }: Ids): Envelope {
  const turn = Math.floor(id / EVENTS_PER_TURN);
  const common = { id, session, ts: stamp(id) };
  if (id % EVENTS_PER_TURN === EVENTS_PER_TURN - 1)
    return { ...common, kind: "TurnEnded", payload: { turn, reason: "complete", rounds: 3 } };
  const text = `${id} ${TEXT}`;
  if (id % EVENTS_PER_TURN === 0) {
    const content = [{ type: "text" as const, text }];
    return { ...common, kind: "TurnStarted", payload: { turn, originator, content } };
  }
  if (id % 2 === 0) return { ...common, kind: "TextDelta", payload: { text } };
  const content = [{ type: "text" as const, text }];
  return { ...common, kind: "ToolResult", payload: { callId, content, isError: false } };
}

function messageOf(id: number): StoredMessage {
  const role = id % EVENTS_PER_TURN === 0 ? "user" : "assistant";
  const content = [{ type: "text" as const, text: `message ${id}: ${"some words ".repeat(20)}` }];
  return { after: id, turn: Math.floor(id / EVENTS_PER_TURN), message: { role, content } };
}

function callOf(callId: CallId): { readonly intent: Intent; readonly outcome: CallOutcome } {
  const argsHash = "0123456789abcdef".repeat(4);
  const intent = { callId, tool: "Bash", argsHash, summary: "npm test", mutating: true, startedAt: stamp(0) };
  return { intent, outcome: { callId, outcome: "ok", completedAt: stamp(1) } };
}

export function stamp(id: number): string {
  return new Date(1_700_000_000_000 + id).toISOString();
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

export function timedSync(work: () => unknown): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

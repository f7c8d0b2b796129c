import type { CallId, SessionId } from "../../src/base/ids.ts";
import type { World } from "../../src/base/world.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import type { Holder, Intent, NewLog, SessionStore, StoredMessage } from "../../src/session/store/store.ts";
import type { TestWorld } from "./world.ts";
import { testWorld } from "./world.ts";

/** Opens an empty store for one test. `machine` decides which holders live. */
export type OpenStore = (world: World) => Promise<SessionStore>;

/** Key that seals the stores of tests. */
export const LOG_KEY = { key: new Uint8Array(32).fill(7), source: "a test" };

export const T0 = "2026-03-01T10:00:00.000Z";

/** A store that disposes of what it stands in when it is closed. */
export function closedWith(store: SessionStore, place: AsyncDisposable): SessionStore {
  return {
    create: store.create.bind(store),
    open: store.open.bind(store),
    find: store.find.bind(store),
    list: store.list.bind(store),
    ...(store.names === undefined ? {} : { names: store.names.bind(store) }),
    events: store.events.bind(store),
    markedEvents: store.markedEvents.bind(store),
    eventsBefore: store.eventsBefore.bind(store),
    messages: store.messages.bind(store),
    messagesAt: store.messagesAt.bind(store),
    orphans: store.orphans.bind(store),
    costs: store.costs.bind(store),
    expired: store.expired.bind(store),
    losses: store.losses.bind(store),
    lossesTold: store.lossesTold.bind(store),
    lastDay: store.lastDay.bind(store),
    pin: store.pin.bind(store),
    expire: store.expire.bind(store),
    ...(store.notes === undefined ? {} : { notes: store.notes }),
    delete: store.delete.bind(store),
    maintain: store.maintain.bind(store),
    check: store.check.bind(store),
    ...(store.search === undefined ? {} : { search: store.search }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

export interface Rig extends AsyncDisposable {
  readonly world: TestWorld;
  readonly store: SessionStore;
  readonly me: Holder;
  /** Process ids that count as gone. */
  readonly dead: Set<number>;
  /** Never aborted. */
  readonly signal: AbortSignal;
}

export const OTHER: Holder = { pid: 4_000_000, processStart: "other" };

export async function openRig(open: OpenStore): Promise<Rig> {
  const dead = new Set<number>();
  const real = testWorld();
  const world = { ...real, machine: { ...real.machine, isAlive: (pid: number) => !dead.has(pid) } };
  const store = await open(world);
  const { pid, processStart } = world.machine;
  return {
    world,
    store,
    me: { pid, processStart },
    dead,
    signal: new AbortController().signal,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

export function newLog(world: World): NewLog {
  return {
    logId: world.ids.next("log"),
    session: world.ids.next("sess"),
    workingDir: "/home/someone/project",
    profile: "default",
    model: "replay:model",
    createdAt: T0,
  };
}

/** TextDelta events with ids from `from` on. */
export function texts(session: SessionId, from: number, parts: readonly string[]): Envelope[] {
  return parts.map((text, index) => event(session, from + index, { kind: "TextDelta", payload: { text } }));
}

/** The event that stands for those that a crash took. */
export function crashGap(session: SessionId, from: number, to: number): Envelope {
  return event(session, to, { kind: "StreamGap", payload: { from, to, reason: "crash" } });
}

/** A turn without an answer: TurnStarted and TurnEnded. */
export function turn(
  session: SessionId,
  from: number,
  what: { turn: number; text: string; at: string },
): Envelope[] {
  const content = [{ type: "text" as const, text: what.text }];
  const originator = ORIGINATOR;
  return [
    {
      ...event(session, from, { kind: "TurnStarted", payload: { turn: what.turn, originator, content } }),
      ts: what.at,
    },
    {
      ...event(session, from + 1, { kind: "TurnEnded", payload: { turn: what.turn, reason: "complete" } }),
      ts: what.at,
    },
  ];
}

const ORIGINATOR = testWorld({}, 7).ids.next("cli");

export function event(session: SessionId, id: number, what: Event): Envelope {
  return { id, session, ts: T0, ...what };
}

export function says(role: "user" | "assistant", text: string): StoredMessage["message"] {
  return { role, content: [{ type: "text", text }] };
}

export function intent(world: World, tool: string): Intent {
  const callId = world.ids.next("call");
  const mutating = tool !== "Read";
  return { callId, tool, argsHash: "0".repeat(64), summary: `${tool} '🦀 x'`, mutating, startedAt: T0 };
}

export function ended(callId: CallId) {
  return { callId, outcome: "error", completedAt: T0, resultRef: 1 } as const;
}

export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const thrown = await thrownBy(promise);
  if (thrown === undefined) return "nothing was thrown";
  const reason: unknown = thrown instanceof Error ? Reflect.get(thrown, "reason") : undefined;
  return typeof reason === "string" ? reason : String(thrown);
}

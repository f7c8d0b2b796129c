import type { LogId, SessionId } from "../../src/base/ids.ts";
import { Bus } from "../../src/engine/bus/bus.ts";
import { Redaction } from "../../src/engine/bus/redaction.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import { redactor } from "../../src/safety/redact.ts";
import { memorySessionStore } from "../../src/session/store/memory-store.ts";
import type { Batch, Durability, SessionStore, SessionWriter } from "../../src/session/store/store.ts";
import type { TestWorld } from "./world.ts";
import { testWorld } from "./world.ts";

/** A bus over a store in memory, and everything that it appends. */
export interface BusRig {
  readonly world: TestWorld;
  readonly bus: Bus;
  readonly store: SessionStore;
  readonly logId: LogId;
  readonly appends: { batch: Batch; durability: Durability }[];
  /** When set, appends wait for it, or fail with it. */
  gate: Promise<void> | undefined;
  /** Opens the log again, as the next run after its process is gone. */
  reopened(): Promise<SessionWriter>;
  /** Kills the process, and opens the bus of the next run. */
  killed(): Promise<Pick<BusRig, "bus" | "store">>;
}

/**
 * @param keeps false for a store that keeps no reservations.
 * @param sync how the store syncs beside its batches; absent: it syncs with them only.
 */
export async function openBus(keeps = true, sync?: () => Promise<void>): Promise<BusRig> {
  const world = testWorld();
  const store = memorySessionStore({ isAlive: () => false });
  const [logId, session] = [world.ids.next("log"), world.ids.next("sess")];
  const { pid, processStart } = world.machine;
  const createdAt = "2025-06-15T15:06:40.000Z";
  const log = { logId, session, workingDir: "/", profile: "test", model: "m", createdAt };
  const writer = await store.create(log, { pid, processStart });
  const appends: BusRig["appends"] = [];
  const watched: SessionWriter = {
    logId,
    epoch: writer.epoch,
    lastEvent: writer.lastEvent,
    ...(keeps && writer.reserved !== undefined ? { reserved: writer.reserved } : {}),
    async append(batch, durability) {
      appends.push({ batch, durability });
      await rig.gate;
      await writer.append(batch, durability);
    },
    ...(sync === undefined ? {} : { sync }),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
  const busOf = (run: SessionId, held: SessionWriter) =>
    new Bus({
      session: run,
      logId,
      store,
      writer: held,
      clock: world.clock,
      redaction: new Redaction(redactor([])),
    });
  const reopened = (run = world.ids.next("sess")) => store.open(logId, run, { pid, processStart });
  const rig: BusRig = {
    world,
    bus: busOf(session, watched),
    store,
    logId,
    appends,
    gate: undefined,
    reopened,
    async killed() {
      const run = world.ids.next("sess");
      return { store, bus: busOf(run, await reopened(run)) };
    },
  };
  return rig;
}

export function text(words: string): Event {
  return { kind: "TextDelta", payload: { text: words } };
}

export function custom(number: number): Event {
  return { kind: "CustomEvent", payload: { namespace: "test", kind: "n", payload: number } };
}

export function turnStarted({ world }: Pick<BusRig, "world">): Event {
  return { kind: "TurnStarted", payload: { turn: 1, originator: world.ids.next("cli") } };
}

export function turnEnded(): Event {
  return { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } };
}

export async function take(events: AsyncIterable<Envelope>, count: number): Promise<Envelope[]> {
  const taken: Envelope[] = [];
  if (count === 0) return taken;
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

import { HarnessError, hasReason } from "../../src/base/errors.ts";
import { memorySessionStore } from "../../src/session/store/memory-store.ts";
import type { Durability, SessionStore, SessionWriter } from "../../src/session/store/store.ts";
import type { Chance } from "../support/chance.ts";
import type { SimProcess } from "./scheduler.ts";

/** Current faults of the disk. */
export interface DiskFaults {
  /** Every write is refused, and leaves nothing. */
  full: boolean;
  /** Probability that a write fails with an unknown result. */
  failing: number;
  /** A sync is told as done, and is not. */
  lying: boolean;
}

/** One thing that was done to the store, so that it can be done again after the power was gone. */
interface Entry {
  apply(store: SessionStore): Promise<void>;
  synced: boolean;
}

/**
 * The disk under the store: it outlives every process, and forgets what was not synced when the power goes.
 *
 * Beneath is the store in memory; a journal of what was done to it makes the store anew, as far as it was synced.
 */
export class SimDisk {
  readonly faults: DiskFaults = { full: false, failing: 0, lying: false };
  readonly #chance: Chance;
  readonly #isAlive: (pid: number) => boolean;
  #journal: Entry[] = [];
  #store: SessionStore;
  /** Writers of the store beneath, by the number of their opening: those that are made anew replace them. */
  readonly #writers = new Map<number, SessionWriter>();
  #openings = 0;

  constructor(chance: Chance, isAlive: (pid: number) => boolean) {
    this.#chance = chance;
    this.#isAlive = isAlive;
    this.#store = this.#empty();
  }

  /** The store as a process has it. Every call of it is a place where the simulation may do something else first. */
  open(process: SimProcess): SessionStore {
    const beneath = () => this.#store;
    const read = async <Value>(what: string, value: (store: SessionStore) => Promise<Value>) => {
      await process.pause(`disk: ${what}`);
      return await value(beneath());
    };
    const opened = async (what: string, open: (store: SessionStore) => Promise<SessionWriter>) => {
      await process.pause(`disk: ${what}`);
      const number = ++this.#openings;
      const apply = async (store: SessionStore) => void this.#writers.set(number, await open(store));
      if (this.faults.full) throw unwritable("the disk is full");
      if (this.#chance.happens(this.faults.failing)) throw unwritable("the disk failed");
      await this.#apply({ apply, synced: false });
      return this.#writer(number, process);
    };
    const changed = async <Value>(
      what: string,
      change: (store: SessionStore) => Promise<Value>,
    ): Promise<Value> => {
      await process.pause(`disk: ${what}`);
      const values: Value[] = [];
      const apply = async (store: SessionStore) => {
        values.push(await change(store));
      };
      await this.#write({ apply, synced: true });
      return values[0] as Value;
    };
    return {
      create: (log, holder) => opened("create", (store) => store.create(log, holder)),
      open: (logId, session, holder) => opened("open", (store) => store.open(logId, session, holder)),
      find: (id) => read("find", (store) => store.find(id)),
      list: (query) => read("list", (store) => store.list(query)),
      events: (logId, since, limit) => read("events", (store) => store.events(logId, since, limit)),
      markedEvents: (logId, since, limit) =>
        read("events", (store) => store.markedEvents(logId, since, limit)),
      eventsBefore: (logId, before, limit) =>
        read("events", (store) => store.eventsBefore(logId, before, limit)),
      messages: (logId) => read("messages", (store) => store.messages(logId)),
      messagesAt: (logId, at) => read("messages", (store) => store.messagesAt(logId, at)),
      orphans: (logId) => read("orphans", (store) => store.orphans(logId)),
      costs: (logId, since) => read("costs", (store) => store.costs(logId, since)),
      expired: (logId) => read("expired", (store) => store.expired(logId)),
      losses: (which) => read("losses", (store) => store.losses(which)),
      lossesTold: (losses) => changed("losses told", (store) => store.lossesTold(losses)),
      lastDay: (beforeDay) => read("last day", (store) => store.lastDay(beforeDay)),
      pin: (logId, pinned) => changed("pin", (store) => store.pin(logId, pinned)),
      expire: (logId, beforeDay) => changed("expire", (store) => store.expire(logId, beforeDay)),
      delete: (logId) => changed("delete", (store) => store.delete(logId)),
      maintain: (signal) => read("maintain", (store) => store.maintain(signal)),
      notes: {
        rename: (...at) => changed("rename", (store) => notesOf(store).rename(...at)),
        renamed: () => read("renamed", async (store) => (await notesOf(store).renamed?.()) ?? []),
        archive: (...at) => changed("archive", (store) => notesOf(store).archive(...at)),
        markRead: (...at) => changed("mark", (store) => notesOf(store).markRead(...at)),
        unread: (...at) => read("unread", (store) => notesOf(store).unread(...at)),
        setDraft: (...at) => changed("draft", (store) => notesOf(store).setDraft(...at)),
        hasDraft: (...at) => read("draft", async (store) => (await notesOf(store).hasDraft?.(...at)) ?? true),
        draft: (...at) => read("draft", (store) => notesOf(store).draft(...at)),
      },
      check: (depth, signal) => this.#store.check(depth, signal),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  /** The disk's current content, read without a process. */
  get content(): SessionStore {
    return this.#store;
  }

  /** The power goes: what was written after the last sync is gone, in the order of writing. */
  async losePower(): Promise<void> {
    const last = this.#journal.findLastIndex(({ synced }) => synced);
    this.#journal = this.#journal.slice(0, last + 1);
    this.#store = this.#empty();
    this.#writers.clear();
    for (const { apply } of this.#journal) await apply(this.#store);
  }

  async #write(entry: Entry): Promise<void> {
    if (this.faults.full) throw unwritable("the disk is full");
    if (this.#chance.happens(this.faults.failing)) {
      if (this.#chance.happens(0.5)) await this.#apply(entry);
      throw unwritable("the disk failed");
    }
    await this.#apply(entry);
  }

  async #apply(entry: Entry): Promise<void> {
    await entry.apply(this.#store);
    this.#journal.push(entry);
  }

  #writer(number: number, process: SimProcess): SessionWriter {
    const beneath = () => {
      const writer = this.#writers.get(number);
      if (writer === undefined)
        throw new Error("this writer was never synced, and its process has died since");
      return writer;
    };
    const { logId, epoch, lastEvent, reserved = 0 } = beneath();
    let broken: unknown;
    const written = async (entry: Entry) => {
      try {
        await this.#write(entry);
      } catch (thrown) {
        // As the store on disk: after a failure nothing is known, so nothing more is written; a full disk is known.
        if (hasReason(thrown, "StoreUnwritable") && !this.faults.full) broken = thrown;
        throw thrown;
      }
    };
    return {
      logId,
      epoch,
      lastEvent,
      reserved,
      append: async (batch, durability: Durability) => {
        await process.pause(`disk: append ${durability}`);
        if (broken !== undefined) throw broken;
        const apply = () => beneath().append(batch, durability);
        await written({ apply, synced: durability === "power" && !this.faults.lying });
        // Written, and whoever asked for it does not know yet.
        await process.pause(`disk: appended ${durability}`);
      },
      sync: async () => {
        await process.pause("disk: sync");
        if (broken !== undefined) throw broken;
        await written({ apply: async () => undefined, synced: !this.faults.lying });
        await process.pause("disk: synced");
      },
      [Symbol.asyncDispose]: async () => {
        await process.pause("disk: give back the lease");
        const apply = async () => await beneath()[Symbol.asyncDispose]();
        await this.#apply({ apply, synced: false });
      },
    };
  }

  #empty(): SessionStore {
    return memorySessionStore({ isAlive: (pid) => this.#isAlive(pid) });
  }
}

function unwritable(detail: string): HarnessError {
  return new HarnessError("StoreUnwritable", { path: "the simulated disk", detail });
}

function notesOf({ notes }: SessionStore): NonNullable<SessionStore["notes"]> {
  if (notes === undefined) throw new Error("the store of the simulation keeps notes");
  return notes;
}

import { abandonable, afterGrace } from "../../base/async/abandon.ts";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { DeadlineReached, HarnessError, messageOf } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import type { SessionNotes } from "../../session/store/notes/notes.ts";
import type { SessionStore, SessionWriter, StoreFinding } from "../../session/store/store.ts";

/** Default limit of one call of a program's own store. */
export const STORE_MS_MAX = 10_000;

/** Time that a pending call has once the time of its turn is over: a store that works ends it. */
const STORE_STOP_MS_MAX = 1_000;

/** Limit of each call of a store, by a clock. */
export interface StoreLimit {
  readonly clock: Clock;
  readonly msMax: number;
  /** Returns a signal that aborts when the time of the log's running turn is over. Default: no turn has a limit. */
  readonly turnTime?: (logId: LogId) => AbortSignal | undefined;
}

/**
 * Wraps a store of a program, whose code may throw anything, return anything, or never answer: every call ends within
 * its limit, or soon after the time of its log's turn is over, and fails with a `HarnessError`. `maintain` and `check`
 * last as long as their signal lives: their limit begins when it aborts, and they then throw its reason. `maintain`
 * begins once an earlier one has ended. A writer that has failed takes no more calls, and its lease is given back
 * without waiting.
 */
export function programStore(store: SessionStore, limit: StoreLimit): SessionStore {
  const ask = <Value>(name: Method, run: () => Promise<Value>, more: Partial<Answer<Value>> = {}) =>
    answerOf({ name, run, ...more }, limit);
  const list = <Value>(name: Method, run: () => Promise<readonly Value[]>, logId?: LogId) =>
    ask(name, run, { isRight: isList, ...defined({ logId }) });
  const writer = async (name: Method, run: () => Promise<SessionWriter>) => {
    // The call has failed by then, and reports the store.
    const unused = (opened: SessionWriter) => void release(opened).catch(() => undefined);
    return programWriter(await ask(name, run, { isRight: isWriter, unused }), limit);
  };
  const oneMaintenance = oneAtATime();
  return {
    create: (...given) => writer("create", () => store.create(...given)),
    open: (...given) => writer("open", () => store.open(...given)),
    find: (id) => ask("find", () => store.find(id), { isRight: isInfo }),
    list: (query) => list("list", () => store.list(query)),
    events: (...given) => list("events", () => store.events(...given), given[0]),
    markedEvents: (...given) => list("markedEvents", () => store.markedEvents(...given), given[0]),
    eventsBefore: (...given) => list("eventsBefore", () => store.eventsBefore(...given), given[0]),
    messages: (logId) => list("messages", () => store.messages(logId), logId),
    messagesAt: (...given) => list("messagesAt", () => store.messagesAt(...given), given[0]),
    orphans: (logId) => list("orphans", () => store.orphans(logId), logId),
    costs: (...given) => list("costs", () => store.costs(...given), given[0]),
    expired: (logId) => list("expired", () => store.expired(logId), logId),
    lastDay: (beforeDay) => ask("lastDay", () => store.lastDay(beforeDay), { isRight: isDay }),
    losses: (which) => list("losses", () => store.losses(which)),
    lossesTold: (losses) => ask("lossesTold", () => store.lossesTold(losses)),
    pin: (...given) => ask("pin", () => store.pin(...given)),
    expire: (...given) => ask("expire", () => store.expire(...given), { isRight: Number.isSafeInteger }),
    ...(store.notes === undefined ? {} : { notes: programNotes(store.notes, ask) }),
    delete: (...given) => ask("delete", () => store.delete(...given)),
    maintain: (signal, ...given) =>
      untilStopped("maintain", () => oneMaintenance(signal, () => store.maintain(signal, ...given)), {
        ...limit,
        signal,
      }),
    check: (depth, signal) => findings(() => store.check(depth, signal), { ...limit, signal }),
    [Symbol.asyncDispose]: () => ask("dispose", async () => await store[Symbol.asyncDispose]()),
  };
}

/** Wraps the notes of a program's store: each call ends within the limit of the store. */
function programNotes(
  notes: SessionNotes,
  ask: <Value>(name: Method, run: () => Promise<Value>, more?: Partial<Answer<Value>>) => Promise<Value>,
): SessionNotes {
  return {
    rename: (...given) => ask("rename", () => notes.rename(...given)),
    ...(notes.renamed === undefined
      ? {}
      : {
          renamed: () =>
            ask("renamed", async () => (await notes.renamed?.()) ?? [], { isRight: Array.isArray }),
        }),
    archive: (...given) => ask("archive", () => notes.archive(...given)),
    markRead: (...given) => ask("markRead", () => notes.markRead(...given)),
    unread: (...given) => ask("unread", () => notes.unread(...given), { isRight: Number.isSafeInteger }),
    setDraft: (...given) => ask("setDraft", () => notes.setDraft(...given)),
    draft: (...given) => ask("draft", () => notes.draft(...given), { isRight: isNote }),
    ...(notes.hasDraft === undefined
      ? {}
      : {
          hasDraft: (...given) =>
            ask("hasDraft", async () => (await notes.hasDraft?.(...given)) ?? true, { isRight: isBoolean }),
        }),
  };
}

/** Begins each run once the one before has ended, also one that nobody waits for any more. */
function oneAtATime() {
  let last: Promise<void> | undefined;
  return async <Value>(signal: AbortSignal, run: () => Promise<Value>): Promise<Value> => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const earlier = last;
    last = over;
    try {
      if (earlier !== undefined) {
        await earlier;
        signal.throwIfAborted();
      }
      return await run();
    } finally {
      end();
      if (last === over) last = undefined;
    }
  };
}

type Method =
  | Exclude<keyof SessionStore, symbol>
  | keyof SessionNotes
  | "append"
  | "sync"
  | "dispose"
  | "close";

/** One call of foreign code, and how to judge what it returns. */
interface Answer<Value> {
  readonly name: Method;
  readonly run: () => Promise<Value>;
  /** The log that it is about. */
  readonly logId?: LogId;
  readonly isRight?: (value: unknown) => boolean;
  /** Takes a value that nobody gets: it came after the limit, or has another form. */
  readonly unused?: (value: Value) => void;
}

async function answerOf<Value>(
  { name, run, logId, isRight = () => true, unused }: Answer<Value>,
  { clock, msMax, turnTime }: StoreLimit,
): Promise<Value> {
  const turn = logId === undefined ? undefined : turnTime?.(logId);
  using late = turn && afterGrace({ clock, signal: turn, ms: STORE_STOP_MS_MAX });
  using limit = deadline(clock, msMax, late?.signal ?? new AbortController().signal);
  const running = (async () => await run())();
  try {
    const value = await whileAlive(running, limit.signal);
    if (isRight(value)) return value;
    unused?.(value);
    throw otherForm();
  } catch (thrown) {
    // A failure came too late, too.
    if (limit.signal.aborted && unused !== undefined) running.then(unused, () => undefined);
    throw failureOf(name, thrown);
  }
}

/** Limit of a call that lasts as long as its signal lives. */
interface StopLimit extends StoreLimit {
  readonly signal: AbortSignal;
}

async function untilStopped<Value>(
  name: Method,
  run: () => Promise<Value>,
  { clock, msMax: ms, signal }: StopLimit,
): Promise<Value> {
  using limit = afterGrace({ clock, signal, ms });
  try {
    return await whileAlive((async () => await run())(), limit.signal);
  } catch (thrown) {
    throw signal.aborted ? signal.reason : failureOf(name, thrown);
  }
}

async function* findings(
  run: () => AsyncIterable<StoreFinding>,
  { clock, msMax: ms, signal }: StopLimit,
): AsyncGenerator<StoreFinding> {
  try {
    for await (const finding of abandonable(run(), { clock, signal, ms })) {
      if (!isFinding(finding)) throw otherForm();
      yield finding;
    }
  } catch (thrown) {
    throw signal.aborted ? signal.reason : failureOf("check", thrown);
  }
}

function otherForm(): Error {
  return new Error("its answer has another form than the contract says");
}

function failureOf(name: Method, thrown: unknown): HarnessError {
  if (thrown instanceof HarnessError) return thrown;
  const detail =
    thrown instanceof DeadlineReached ? `no answer within ${thrown.afterMs} ms` : messageOf(thrown);
  return new HarnessError("StoreFailed", { call: name, detail }, { cause: thrown });
}

function programWriter(writer: SessionWriter, limit: StoreLimit): SessionWriter {
  const { logId } = writer;
  let failure: unknown;
  const write = async (name: "append" | "sync", run: () => Promise<void>) => {
    if (failure !== undefined) throw failure;
    try {
      await answerOf({ name, run, logId }, limit);
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  };
  const { sync } = writer;
  return {
    logId,
    epoch: writer.epoch,
    lastEvent: writer.lastEvent,
    ...defined({ reserved: writer.reserved }),
    append: (batch, durability) => write("append", () => writer.append(batch, durability)),
    ...(typeof sync === "function" ? { sync: () => write("sync", () => sync.call(writer)) } : {}),
    async [Symbol.asyncDispose]() {
      const closing = answerOf({ name: "close", run: () => release(writer) }, limit);
      if (failure === undefined) await closing;
      else closing.catch(() => undefined); // `append` has reported the store
    },
  };
}

async function release(writer: SessionWriter): Promise<void> {
  await writer[Symbol.asyncDispose]();
}

function isWriter(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value["append"] === "function" &&
    typeof value["logId"] === "string" &&
    ["epoch", "lastEvent"].every((key) => Number.isSafeInteger(value[key])) &&
    (value["reserved"] === undefined || Number.isSafeInteger(value["reserved"]))
  );
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

function isDay(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value));
}

function isInfo(value: unknown): boolean {
  return value === undefined || (isObject(value) && typeof value["logId"] === "string");
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isNote(value: unknown): boolean {
  return value === undefined || (isObject(value) && typeof value["text"] === "string");
}

function isFinding(value: unknown): boolean {
  return (
    isObject(value) && ["kind", "weight", "text", "remedy"].every((key) => typeof value[key] === "string")
  );
}

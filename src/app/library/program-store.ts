import { abandonable, afterGrace } from "../../base/async/abandon.ts";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { DeadlineReached, HarnessError, messageOf } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import type { SessionStore, SessionWriter, StoreFinding } from "../../session/store/store.ts";

/** Default limit of one call of a program's own store. */
export const STORE_MS_MAX = 10_000;

/** Limit of each call of a store, by a clock. */
export interface StoreLimit {
  readonly clock: Clock;
  readonly msMax: number;
}

/**
 * Wraps a store of a program, whose code may throw anything, return anything, or never answer: every call ends within
 * its limit, and fails with a `HarnessError`. `maintain` and `check` last as long as their signal lives: their limit
 * begins when it aborts, and they then throw its reason. A writer that has failed takes no more calls, and its lease
 * is given back without waiting.
 */
export function programStore(store: SessionStore, limit: StoreLimit): SessionStore {
  const ask = <Value>(name: Method, run: () => Promise<Value>, more: Partial<Answer<Value>> = {}) =>
    answerOf({ name, run, ...more }, limit);
  const list = <Value>(name: Method, run: () => Promise<readonly Value[]>) =>
    ask(name, run, { isRight: Array.isArray });
  const writer = async (name: Method, run: () => Promise<SessionWriter>) => {
    // The call has failed by then, and reports the store.
    const unused = (opened: SessionWriter) => void release(opened).catch(() => undefined);
    return programWriter(await ask(name, run, { isRight: isWriter, unused }), limit);
  };
  return {
    create: (...given) => writer("create", () => store.create(...given)),
    open: (...given) => writer("open", () => store.open(...given)),
    find: (id) => ask("find", () => store.find(id), { isRight: isInfo }),
    list: (query) => list("list", () => store.list(query)),
    events: (...given) => list("events", () => store.events(...given)),
    markedEvents: (...given) => list("markedEvents", () => store.markedEvents(...given)),
    eventsBefore: (...given) => list("eventsBefore", () => store.eventsBefore(...given)),
    messages: (logId) => list("messages", () => store.messages(logId)),
    messagesAt: (...given) => list("messagesAt", () => store.messagesAt(...given)),
    orphans: (logId) => list("orphans", () => store.orphans(logId)),
    costs: (...given) => list("costs", () => store.costs(...given)),
    expired: (logId) => list("expired", () => store.expired(logId)),
    lastDay: (beforeDay) => ask("lastDay", () => store.lastDay(beforeDay)),
    losses: (which) => list("losses", () => store.losses(which)),
    lossesTold: (losses) => ask("lossesTold", () => store.lossesTold(losses)),
    pin: (...given) => ask("pin", () => store.pin(...given)),
    expire: (...given) => ask("expire", () => store.expire(...given)),
    delete: (logId) => ask("delete", () => store.delete(logId)),
    maintain: (signal) => untilStopped("maintain", () => store.maintain(signal), { ...limit, signal }),
    check: (depth, signal) => findings(() => store.check(depth, signal), { ...limit, signal }),
    [Symbol.asyncDispose]: () => ask("dispose", async () => await store[Symbol.asyncDispose]()),
  };
}

type Method = Exclude<keyof SessionStore, symbol> | "append" | "dispose" | "close";

/** One call of foreign code, and how to judge what it returns. */
interface Answer<Value> {
  readonly name: Method;
  readonly run: () => Promise<Value>;
  readonly isRight?: (value: unknown) => boolean;
  /** Takes a value that nobody gets: it came after the limit, or has another form. */
  readonly unused?: (value: Value) => void;
}

async function answerOf<Value>(
  { name, run, isRight = () => true, unused }: Answer<Value>,
  { clock, msMax }: StoreLimit,
): Promise<Value> {
  using limit = deadline(clock, msMax, new AbortController().signal);
  const running = (async () => await run())();
  try {
    const value = await whileAlive(running, limit.signal);
    if (isRight(value)) return value;
    unused?.(value);
    throw otherForm();
  } catch (thrown) {
    if (limit.reached && unused !== undefined) running.then(unused, () => undefined); // its failure came too late, too
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
  using patience = afterGrace({ clock, signal, ms });
  try {
    return await whileAlive((async () => await run())(), patience.signal);
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
  let failure: unknown;
  return {
    logId: writer.logId,
    epoch: writer.epoch,
    lastEvent: writer.lastEvent,
    async append(batch, durability) {
      if (failure !== undefined) throw failure;
      try {
        await answerOf({ name: "append", run: () => writer.append(batch, durability) }, limit);
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      }
    },
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
  return isObject(value) && typeof value["append"] === "function" && Number.isSafeInteger(value["lastEvent"]);
}

function isInfo(value: unknown): boolean {
  return value === undefined || (isObject(value) && typeof value["logId"] === "string");
}

function isFinding(value: unknown): boolean {
  return (
    isObject(value) && ["kind", "weight", "text", "remedy"].every((key) => typeof value[key] === "string")
  );
}

import { nextTurn } from "../../../base/async/next-turn.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { followSession } from "../../../view/follow.ts";
import { withInfo, withTurnCost } from "../../../view/paging/known-facts.ts";
import type { EngineQuery, ReadTail } from "../../../view/paging/older-facts.ts";
import { callsBefore, olderFacts, turnBefore } from "../../../view/paging/older-facts.ts";
import { PAGE_EVENTS } from "../../../view/transcript/pages.ts";
import { inBackground } from "../layout/in-background.ts";
import type { OpenSession } from "../options.ts";
import type { SessionInfoReader } from "./session-info.ts";
import { eventsUpTo, lastBefore, tailStart } from "./session-tail.ts";
import type { ShownLog } from "./shown-log.ts";

/** A log with at most so many events is read whole; of a longer one the last page, and others when they are shown. */
const WHOLE_EVENTS_MAX = 2 * PAGE_EVENTS;
/** Events that are taken in a row before keys and frames have their turn. */
const EVENTS_AT_ONCE = 64;

export interface LogFollowerOptions {
  readonly open: OpenSession;
  readonly log: ShownLog;
  readonly info: SessionInfoReader;
  readonly query: EngineQuery;
  /** Ends the reading when it aborts. */
  readonly signal: AbortSignal;
  /** Takes each event that was read. */
  readonly add: (envelope: Envelope) => void;
  /** Called after a change of the log that no event has made. */
  readonly completed: () => void;
  /** Called if facts of earlier events cannot be read. */
  readonly refused: (failure: unknown) => void;
}

/** Reads the log of a session while it grows: a short one whole, of a long one the last page and what follows it. */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #isReplaying = false;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** True while stored events of a long log are added: what is missing in sight may be among those to come. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** Reads until the events of the session end. @throws the refusal of the engine, or what broke the subscription. */
  async read(connection: Connection): Promise<void> {
    const { open, signal } = this.#options;
    if (open.past > WHOLE_EVENTS_MAX) await this.#readTail(connection);
    else await this.#readFrom(followSession(connection, open.session, { since: 0, signal }));
  }

  /** Reads the last page of a long log and what follows it. */
  async #readTail(connection: Connection): Promise<void> {
    const { open, info: reader, query, log, signal, completed, refused } = this.#options;
    const { session, past } = open;
    const info = await reader.read();
    if (info instanceof HarnessError) throw info;
    const since = tailStart(info, past);
    const events = followSession(connection, session, { since, signal });
    try {
      const tail = { session, events: await eventsUpTo(events, past), since };
      await this.#addTail(tail, info);
      if (signal.aborted) return;
      inBackground(completeLog(log, { tail, query, signal, completed, refused }), { showFailure: refused });
      await this.#readFrom(events);
    } finally {
      // A page that cannot be shown leaves no subscription open.
      await events.return(undefined);
    }
  }

  /** Adds the last page of a long log, with the turn and the calls that it is in. */
  async #addTail(tail: ReadTail, info: ResultOf<"GetSession">): Promise<void> {
    const { log, query, signal, add, completed } = this.#options;
    if (signal.aborted) return;
    const turn = await turnBefore(query, info, tail);
    const calls = await callsBefore(query, tail);
    if (signal.aborted) return;
    if (turn !== undefined) add(turn.started);
    for (const { started } of calls) add(started);
    log.beginBehind(
      lastBefore(tail),
      calls.map(({ started }) => started),
    );
    await this.#addAll(tail.events);
    if (signal.aborted) return;
    for (const { started, children } of calls) log.countChildren(started.payload.callId, children);
    log.complete((view) => withInfo(turn === undefined ? view : withTurnCost(view, turn.usd), info));
    completed();
  }

  async #readFrom(events: AsyncGenerator<Envelope>): Promise<void> {
    const { signal, add } = this.#options;
    let inARow = 0;
    for await (const envelope of events) {
      if (signal.aborted) return;
      add(envelope);
      inARow += 1;
      if (inARow % EVENTS_AT_ONCE === 0) await nextTurn();
    }
  }

  async #addAll(events: readonly Envelope[]): Promise<void> {
    const { signal, add } = this.#options;
    this.#isReplaying = true;
    try {
      for (const [at, envelope] of events.entries()) {
        if (at % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) await nextTurn();
        if (signal.aborted) return;
        add(envelope);
      }
    } finally {
      this.#isReplaying = false;
    }
  }
}

/** Completes the view of a log with what only the events before its tail say. */
async function completeLog(
  log: ShownLog,
  {
    tail,
    query,
    signal,
    completed,
    refused,
  }: Pick<LogFollowerOptions, "query" | "signal" | "completed" | "refused"> & { readonly tail: ReadTail },
): Promise<void> {
  try {
    for await (const change of olderFacts(query, tail)) {
      if (signal.aborted) return;
      log.complete(change);
      completed();
    }
  } catch (thrown) {
    if (!signal.aborted) refused(thrown);
  }
}

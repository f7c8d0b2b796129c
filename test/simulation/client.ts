import { HarnessError } from "../../src/base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../src/base/ids.ts";
import { canonicalJson } from "../../src/base/json.ts";
import type { Accepted, Command } from "../../src/protocol/commands/commands.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../src/protocol/kinds.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { connectInproc } from "../../src/server/hub/inproc.ts";
import type { Multiplexer } from "../../src/server/hub/multiplexer.ts";
import { crashRange } from "../../src/session/store/log-facts.ts";
import type { SimProcess } from "./scheduler.ts";

export interface ClientSurroundings {
  readonly process: SimProcess;
  readonly violated: (what: string) => void;
}

/** Outcome of a command: accepted, refused with a reason, or unknown because the engine died. */
export type Fate =
  | { readonly kind: "accepted"; readonly accepted: Accepted }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * A client that outlives engines: it follows one log, slowly, and goes on after the last event that it saw.
 *
 * Whatever it is shown must be the log's events in their order, without one twice, and without a gap but that of a
 * crash. An id that it saw once never has another content.
 */
export class SimClient {
  readonly #around: ClientSurroundings;
  #connection: Connection | undefined;
  #leave: AbortController | undefined;
  #last: EventSeq = 0;
  /** The run that it follows. */
  session: SessionId | undefined;
  readonly log: LogId;
  readonly seen: Envelope[] = [];
  /** Content of each id that it saw. */
  readonly #contents = new Map<EventSeq, string>();

  constructor(log: LogId, around: ClientSurroundings) {
    this.log = log;
    this.#around = around;
  }

  get isAttached(): boolean {
    return this.#connection !== undefined;
  }

  /** Connects to an engine, and follows a session from where it had come to. */
  async attach(multiplexer: Multiplexer, session: SessionId): Promise<void> {
    this.detach();
    const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: [] };
    const connection = connectInproc(multiplexer, { identityClass: "human", label: "sim" }, served);
    await connection.handshake(PROTOCOL_VERSION);
    this.#connection = connection;
    this.session = session;
    this.#leave = new AbortController();
    void this.#follow(connection, session, this.#leave.signal);
  }

  /** Goes away without a word; what it has seen it keeps. */
  detach(): void {
    this.#leave?.abort(new Error("the client went away"));
    this.#leave = undefined;
    this.#connection = undefined;
  }

  /**
   * Begins at the first event again, because the power went, and writes with it: their ids may be used again, also
   * those of deltas that were written first because no reservation was safe yet.
   */
  forget(): void {
    this.detach();
    this.#last = 0;
    this.#contents.clear();
    this.seen.length = 0;
  }

  async send(command: Command): Promise<Fate> {
    const connection = this.#connection;
    if (connection === undefined) return { kind: "refused", reason: "not attached" };
    try {
      return { kind: "accepted", accepted: await connection.send(command) };
    } catch (thrown) {
      if (thrown instanceof HarnessError) return { kind: "refused", reason: thrown.reason };
      this.#around.violated(`${command.kind} threw ${String(thrown)}`);
      return { kind: "refused", reason: "a bug" };
    }
  }

  #compare(event: Envelope): void {
    const { id, kind, session, payload } = event;
    const content = canonicalJson([kind, session, payload]);
    const before = this.#contents.get(id);
    this.#contents.set(id, content);
    if (before === undefined || before === content) return;
    // A reader in the middle of lost events sees a gap that ends with one of them.
    if (event.kind !== "StreamGap") this.#around.violated(`event ${id} was ${before}, and is ${content}`);
  }

  async #follow(connection: Connection, session: SessionId, signal: AbortSignal): Promise<void> {
    const { process, violated } = this.#around;
    try {
      for await (const event of connection.subscribe(session, { since: this.#last, signal })) {
        if (signal.aborted) return;
        if (!follows(event, this.#last)) violated(`a client saw event ${event.id} after ${this.#last}`);
        this.#compare(event);
        this.#last = event.id;
        this.seen.push(event);
        await process.pause("client: reads on", signal);
      }
    } catch (thrown) {
      // Its own leaving, and the end of a bus whose log cannot be written, are told to whoever follows.
      if (!signal.aborted && !(thrown instanceof HarnessError)) violated(`following threw ${String(thrown)}`);
    }
  }
}

/** Returns true if nothing is missing between two events of a log but what a crash took. */
export function follows(event: Envelope, last: EventSeq): boolean {
  const from = crashRange(event)?.from ?? event.id;
  return event.id > last && from <= last + 1 && (from === event.id ? event.id === last + 1 : true);
}

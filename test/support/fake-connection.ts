import { BoundedQueue } from "../../src/base/async/queue.ts";
import type { ClientId, Id, IdPrefix, LogId, SessionId } from "../../src/base/ids.ts";
import { idFromBytes } from "../../src/base/ids.ts";
import type { Accepted, Command } from "../../src/protocol/commands/commands.ts";
import { SLASH_COMMANDS } from "../../src/protocol/commands/own-commands.ts";
import type { Connection, SubscribeOptions } from "../../src/protocol/connection.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import type { Handshake } from "../../src/protocol/handshake.ts";
import type { QueryKind } from "../../src/protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../src/protocol/queries/queries.ts";

const QUEUE_EVENTS_MAX = 10_000;

/** The same identifier for the same number. */
export function fakeId<Prefix extends IdPrefix>(prefix: Prefix, number: number): Id<Prefix> {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(12, number);
  return idFromBytes(prefix, bytes);
}

export const SESSION: SessionId = fakeId("sess", 1);
export const LOG: LogId = fakeId("log", 1);
export const CLIENT: ClientId = fakeId("cli", 1);

/** Answers of an engine in which there is nothing. */
const REPLIES: Readonly<Partial<Record<QueryKind, object>>> = {
  ListSlashCommands: { slash_commands: SLASH_COMMANDS },
  ListSessions: { sessions: [] },
  ListSkills: { skills: [] },
  ListPrices: { prices: {} },
  GetSession: { session: SESSION, model: "mock:one", last_events: [] },
};

/** An engine as a client sees it, played by a test: it keeps a log, records commands and answers as it is told. */
export class FakeConnection implements Connection {
  /** Another one where the engine was started anew. */
  clientId: ClientId = CLIENT;
  readonly identityClass = "human";
  readonly sent: Command[] = [];
  readonly queries: { readonly kind: QueryKind }[] = [];
  /** The answer to a query; throws to refuse it. */
  reply: (query: { readonly kind: QueryKind }) => unknown = ({ kind }) => {
    const answer = REPLIES[kind];
    if (answer === undefined) throw new Error(`this fake answers no ${kind}`);
    return answer;
  };
  readonly subscriptions: (number | undefined)[] = [];
  /** Answers a command; throws to refuse it, and may publish events. */
  answer: (command: Command) => Accepted | Promise<Accepted> = () => ({});
  readonly #log: Envelope[] = [];
  readonly #open = new Set<BoundedQueue<Envelope>>();

  handshake(): Promise<Handshake> {
    return Promise.reject(new Error("this fake has no handshake"));
  }

  async send(command: Command): Promise<Accepted> {
    this.sent.push(command);
    return await this.answer(command);
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind>> {
    this.queries.push(query);
    return (await this.reply(query)) as ResultOf<Kind>;
  }

  publish(event: Event, frame: Partial<Pick<Envelope, "session" | "parentCall" | "originator">> = {}): void {
    const id = this.#log.length + 1;
    const envelope: Envelope = { id, session: SESSION, ts: "2026-01-01T00:00:00.000Z", ...frame, ...event };
    this.#log.push(envelope);
    for (const queue of this.#open) queue.push(envelope);
  }

  async *subscribe(_session: SessionId, options: SubscribeOptions): AsyncGenerator<Envelope> {
    this.subscriptions.push(options.since);
    using queue = new BoundedQueue<Envelope>(QUEUE_EVENTS_MAX);
    const { since, signal } = options;
    if (since !== undefined) for (const old of this.#log) if (old.id > since) queue.push(old);
    this.#open.add(queue);
    const end = () => queue.end();
    signal.addEventListener("abort", end);
    try {
      yield* queue;
    } finally {
      this.#open.delete(queue);
      signal.removeEventListener("abort", end);
    }
  }

  /** Ends every open subscription after what is queued, or breaks it with an error. */
  breakOff(error?: Error): void {
    for (const queue of this.#open) {
      if (error === undefined) queue.end();
      else queue.fail(error);
    }
  }

  get subscribers(): number {
    return this.#open.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.breakOff();
  }
}

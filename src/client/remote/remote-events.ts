import { BoundedQueue } from "../../base/async/queue.ts";
import { defined } from "../../base/defined.ts";
import { asError, hasReason } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { readEnvelope } from "../../protocol/read.ts";
import { isBesideLog, reachedBy } from "../../view/follow.ts";
import type { Link, LinkReader, LinkTarget } from "./link.ts";
import type { ServerFrame } from "./server-frames.ts";

/** Limit on events that wait for the reader; a slower reader gets the rest from the log later. */
export const WAITING_EVENTS_MAX = 4_096;
/** Limit on their characters; a single event may be longer. */
export const WAITING_CHARS_MAX = 33_554_432;

export interface RemoteEventsDependencies {
  readonly session: SessionId;
  readonly since: EventSeq | undefined;
  readonly args: boolean | undefined;
  readonly signal: AbortSignal;
  /** Opens a socket for a target; retries while that may help. */
  open(target: LinkTarget, reader: LinkReader, signal: AbortSignal): Promise<Link>;
  /** Waits; the time grows with the number of sockets in a row without an event. */
  pause(fruitless: number, signal: AbortSignal): Promise<void>;
  /** Returns the current run of a session. */
  runOf(session: SessionId): SessionId;
  /** Opens a new run if the engine restarted and nobody has yet; returns false if that would not help. */
  reattach(session: SessionId, refused: SessionId): Promise<boolean>;
  /** Called when the session has ended. */
  ended(session: SessionId): void;
}

/**
 * The events of one session over any number of sockets. Each socket continues after the last event, so there is neither
 * a gap nor a duplicate (CTL-03, ENG-08).
 */
export class RemoteEvents {
  readonly #dependencies: RemoteEventsDependencies;
  readonly #leave = new AbortController();
  readonly #signal: AbortSignal;
  #since: EventSeq | undefined;
  /** The run that the newest socket was opened for. */
  #run: SessionId;
  /** The first socket, opened with the subscription, not with the first read. */
  readonly #first: Promise<Stretch>;

  constructor(dependencies: RemoteEventsDependencies) {
    this.#dependencies = dependencies;
    this.#since = dependencies.since;
    this.#run = dependencies.session;
    this.#signal = AbortSignal.any([dependencies.signal, this.#leave.signal]);
    this.#first = this.#open();
    this.#first.catch(() => undefined); // `read` throws it
  }

  /** Settles once the first socket is open or has failed. */
  get opened(): Promise<unknown> {
    return this.#first;
  }

  async *read(): AsyncGenerator<Envelope> {
    const { session } = this.#dependencies;
    let next: Promise<Stretch> = this.#first;
    let fruitless = 0;
    try {
      while (true) {
        const stretch = await next;
        for await (const { event, chars } of stretch.events) {
          stretch.countRead(chars);
          if (!isBesideLog(event)) {
            const reached = reachedBy(event);
            if (this.#since !== undefined && reached <= this.#since) continue;
            this.#since = reached;
          }
          fruitless = 0;
          const run = this.#dependencies.runOf(session);
          const isEnd = event.kind === "SessionEnded" && event.session === run;
          if (isEnd) this.#dependencies.ended(run);
          yield event;
          if (isEnd || this.#signal.aborted) return;
        }
        if (this.#signal.aborted) return;
        const { refusal } = stretch;
        if (refusal !== undefined && !(await this.#mayGoOn(refusal))) throw refusal;
        fruitless += 1;
        if (fruitless > 1) await this.#dependencies.pause(fruitless, this.#signal);
        next = this.#open();
      }
    } catch (thrown) {
      if (this.#signal.aborted) return;
      throw thrown;
    } finally {
      this.#leave.abort(new Error("nobody reads on"));
    }
  }

  async #mayGoOn(refusal: Error): Promise<boolean> {
    const { session, reattach } = this.#dependencies;
    if (hasReason(refusal, "TokenExpired")) return true; // unless the next socket is refused for that too
    return hasReason(refusal, "UnknownSession") && (await reattach(session, this.#run));
  }

  async #open(): Promise<Stretch> {
    const { session, runOf, open, args } = this.#dependencies;
    const stretch = new Stretch();
    const at = defined({ since: this.#since, args });
    this.#run = runOf(session);
    const link = await open({ session: this.#run, ...at }, stretch, this.#signal);
    stretch.bind(link);
    this.#since ??= link.greeting.since;
    return stretch;
  }
}

interface Waiting {
  readonly event: Envelope;
  readonly chars: number;
}

/** The events of one socket. */
class Stretch implements LinkReader {
  readonly #queue = new BoundedQueue<Waiting>(WAITING_EVENTS_MAX);
  #link: Link | undefined;
  #chars = 0;
  #isOver = false;
  /** The engine's reason for ending it, if it gave one. */
  refusal: Error | undefined;

  get events(): AsyncIterable<Waiting> {
    return this.#queue;
  }

  /** Notes that an event of `chars` characters was read. */
  countRead(chars: number): void {
    this.#chars -= chars;
  }

  bind(link: Link): void {
    this.#link = link;
    if (this.#isOver) link.close();
  }

  frame(frame: ServerFrame): void {
    if (frame.kind === "error") this.refusal = frame.error;
    if (frame.kind !== "event" || this.#isOver) return;
    const { chars } = frame;
    try {
      const event = readEnvelope(frame.body);
      const hasRoom = this.#chars === 0 || this.#chars + chars <= WAITING_CHARS_MAX;
      if (event === undefined) return;
      if (hasRoom && this.#queue.push({ event, chars })) {
        this.#chars += chars;
        return;
      }
    } catch (thrown) {
      this.refusal = asError(thrown);
    }
    // The order is lost here: the next socket continues after the last event that was read.
    this.#isOver = true;
    this.#queue.end();
    this.#link?.close();
  }

  closed(): void {
    this.#queue.end();
  }
}

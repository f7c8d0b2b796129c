import type { EventSeq } from "../../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { SessionStep } from "../../../view/session/session-view.ts";
import type { LocalNote } from "../../../view/transcript/local-notes.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../../../view/transcript/pages.ts";
import { KnownCommands } from "../../slash/known-commands.ts";
import type { OpenSession } from "../options.ts";
import type { EngineLink } from "./engine-link.ts";
import { LogFollower } from "./log-follower.ts";
import { PartReader } from "./part-reader.ts";
import { SessionInfoReader } from "./session-info.ts";
import { ShownLog } from "./shown-log.ts";

export interface FollowedSessionOptions {
  readonly engine: EngineLink;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Called after each event, with the views before and after it. */
  readonly changed: (envelope: Envelope, step: SessionStep) => void;
  /** Called after a change of the views that no event has made. */
  readonly completed: () => void;
  /** Called if the events of the session end, or cannot be read any more. */
  readonly ended: (failure: unknown) => void;
  /** Called if a part of the session cannot be read. */
  readonly refused: (failure: unknown) => void;
}

/** One session while it is shown: follows its events, and keeps what is known of it. It ends when it is disposed of. */
export class FollowedSession implements Disposable {
  readonly open: OpenSession;
  readonly log = new ShownLog();
  /** Its commands, as its engine lists them. */
  readonly commands: KnownCommands;
  readonly info: SessionInfoReader;
  readonly #options: FollowedSessionOptions;
  readonly #hidden = new AbortController();
  /** Aborts once the client leaves or shows another session. */
  readonly #signal: AbortSignal;
  readonly #follower: LogFollower;
  readonly #parts: PartReader;
  #isOver = false;
  /** The last end of a run that was read of it. */
  #lastEnd: EnvelopeOf<"SessionEnded"> | undefined;

  constructor(open: OpenSession, options: FollowedSessionOptions) {
    const { engine, completed, refused } = options;
    this.open = open;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#hidden.signal]);
    this.commands = new KnownCommands(engine, open.session);
    this.info = new SessionInfoReader(engine, open.session);
    const shared = { log: this.log, signal: this.#signal, completed, refused };
    this.#follower = new LogFollower({
      ...shared,
      open,
      info: this.info,
      query: (query) => engine.query(query),
      add: (envelope) => this.#add(envelope),
    });
    this.#parts = new PartReader({
      ...shared,
      session: open.session,
      connection: async () => (await engine.reach()).connection,
    });
  }

  /** True once its events have ended: its run is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Follows its events until they end, or it is not shown any more. */
  async follow(): Promise<void> {
    try {
      const { connection } = await this.#options.engine.reach();
      await this.#follower.read(connection);
      if (!this.#signal.aborted) this.#end(undefined);
    } catch (thrown) {
      if (!this.#signal.aborted) this.#end(thrown);
    }
  }

  setViewport(event: EventSeq | undefined): void {
    if (event !== this.log.shownAt) this.#parts.retry(); // the person tries again
    this.log.setViewport(event);
  }

  async readBack(first: EventSeq, place: PagePosition): Promise<void> {
    if (!this.#follower.isReplaying) await this.#parts.readBack(first, place);
  }

  async pageOf(part: TranscriptRange, place: PagePosition): Promise<TranscriptPage | undefined> {
    return await this.#parts.pageOf(part, place);
  }

  [Symbol.dispose](): void {
    this.#hidden.abort();
  }

  #add(envelope: Envelope): void {
    this.commands.add(envelope);
    this.info.expire();
    if (envelope.kind === "SessionEnded" && envelope.parentCall === undefined) this.#lastEnd = envelope;
    this.#options.changed(envelope, this.log.add(envelope));
  }

  #end(failure: unknown): void {
    this.#isOver = true;
    // An end that is followed by more events is that of an earlier run.
    if (failure === undefined && this.#lastEnd !== undefined) {
      this.log.note(endNote(this.#lastEnd));
      this.#options.completed();
    }
    this.#options.ended(failure);
  }
}

/** Returns the line about a session that nobody has continued since it has ended. */
function endNote({ ts, payload: { reason } }: EnvelopeOf<"SessionEnded">): LocalNote {
  return { text: `the session has ended (${reason}): your next message continues it`, tone: "info", ts };
}

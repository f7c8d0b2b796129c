import { whileAlive } from "../../../base/async/deadline.ts";
import { nextTurn } from "../../../base/async/next-turn.ts";
import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../base/ids.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import type { Connection, NewsOptions } from "../../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../../protocol/content.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { followSession } from "../../../view/follow.ts";
import { withInfo, withTurnCost } from "../../../view/paging/known-facts.ts";
import type { ReadTail } from "../../../view/paging/older-facts.ts";
import { callsBefore, olderFacts, turnBefore } from "../../../view/paging/older-facts.ts";
import { readTranscriptPage } from "../../../view/paging/read-transcript-page.ts";
import type { SessionStep, SessionView } from "../../../view/session/session-view.ts";
import { NEW_SESSION, sessionStep } from "../../../view/session/session-view.ts";
import type { LocalNote } from "../../../view/transcript/local-notes.ts";
import { transcriptAfterEvent, withLocalNote } from "../../../view/transcript/local-notes.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../../../view/transcript/pages.ts";
import { PAGE_EVENTS, withPage } from "../../../view/transcript/pages.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import {
  clearedTranscript,
  droppedFrom,
  NEW_TRANSCRIPT,
  transcriptWithCalls,
  withChildrenLeftOut,
} from "../../../view/transcript/transcript.ts";
import { KnownCommands } from "../../slash/known-commands.ts";
import { Sender } from "../../slash/sender.ts";
import { inBackground } from "../layout/in-background.ts";
import type { SessionAccess } from "../layout/services.ts";
import type { BegunSession, OpenSession, ReachedByTerminal, WhichSession } from "../options.ts";
import { eventsUpTo, lastBefore, tailStart } from "./session-tail.ts";

/** A log with at most so many events is read whole; of a longer one the last page, and others when they are shown. */
const WHOLE_EVENTS_MAX = 2 * PAGE_EVENTS;
/** Characters of the transcript that are kept in memory, about; the rest is read back when it is shown. */
const KEPT_CHARACTERS_MAX = 4_000_000;
/** Events that are taken in a row before keys and frames have their turn. */
const EVENTS_AT_ONCE = 64;

export interface SessionFollowerOptions {
  readonly engine: Promise<ReachedByTerminal>;
  /** Ends every wait when it aborts. */
  readonly signal: AbortSignal;
  /** Called after each event, with the views before and after it. */
  readonly changed: (envelope: Envelope, step: SessionStep) => void;
  /** Called once another session is shown, before its events. @param at the event to show first; default: the end. */
  readonly opened: (at?: EventSeq) => void;
  /** Called after a change of the views that no event has made. */
  readonly completed: () => void;
  /** Called if the events of the session end, or cannot be read any more. */
  readonly ended: (failure: unknown) => void;
  /** Called if another session cannot be shown. */
  readonly refused: (failure: unknown) => void;
  readonly say: (text: string) => void;
}

/** The session that is shown: opens it, follows its events, and sends commands and queries. */
export class SessionFollower implements SessionAccess {
  readonly #options: SessionFollowerOptions;
  #reached: ReachedByTerminal | undefined;
  #hasFailed = false;
  #open: OpenSession | undefined;
  /** Commands of the session that is shown. */
  #commands: KnownCommands | undefined;
  #opening: Promise<OpenSession> | undefined;
  readonly #selves = new Set<string>();
  #view: SessionView = NEW_SESSION;
  #transcript: Transcript = NEW_TRANSCRIPT;
  /** True once the events of the session that is shown have ended: its run is over. */
  #isOver = false;
  /** The last end of a run that was read of it. */
  #lastEnd: EnvelopeOf<"SessionEnded"> | undefined;
  /** True while the stored events of a long session are added. */
  #isReplaying = false;
  /** Ends the subscription to the session that is shown. */
  #following = new AbortController();
  /** The event at the top of the window; absent while the end is shown. */
  #shownAt: EventSeq | undefined;
  /** The first events of the parts that are being read back, and of those that could not be. */
  readonly #readingBack = new Set<EventSeq>();
  readonly #unreadable = new Set<EventSeq>();

  constructor(options: SessionFollowerOptions) {
    this.#options = options;
  }

  get open(): OpenSession | undefined {
    return this.#open;
  }
  get view(): SessionView {
    return this.#view;
  }
  get transcript(): Transcript {
    return this.#transcript;
  }
  get self(): string | undefined {
    return this.#reached?.connection.clientId;
  }
  get selves(): ReadonlySet<string> {
    return this.#selves;
  }
  /** The last session of the folder, which a person could continue. */
  get last(): SessionInfo | undefined {
    return this.#reached?.last;
  }
  get isModelNamed(): boolean {
    return this.#reached?.isModelNamed === true;
  }
  get begins(): BegunSession | undefined {
    return this.#reached?.begins;
  }
  get isUntouched(): boolean {
    if (this.#open === undefined) return true;
    if (this.#open.history || this.#view.waiting.length > 0) return false;
    return this.#transcript.segments.every(
      ({ items }) => items?.every(({ kind }) => kind === "note") === true,
    );
  }
  /** True once the engine is reached. */
  get isReached(): boolean {
    return this.#reached !== undefined;
  }

  /** True if the engine could not be reached. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get isOverNetwork(): boolean {
    return this.#reached?.isOverNetwork === true;
  }

  commandsOf(open: OpenSession): KnownCommands {
    const shown = this.#open === open ? this.#commands : undefined;
    return shown ?? new KnownCommands(this, open.session);
  }

  note(note: LocalNote): void {
    this.#transcript = withLocalNote(this.#transcript, note);
  }

  clear(): void {
    this.#transcript = clearedTranscript(this.#transcript);
  }

  /** Waits for the engine, and shows the session that the command line names. @throws the failure of its start. */
  async reach(): Promise<ReachedByTerminal> {
    try {
      this.#reached = await this.#options.engine;
    } catch (thrown) {
      this.#hasFailed = true;
      throw thrown;
    }
    if (this.#reached.named !== undefined) this.#follow(this.#reached.named);
    return this.#reached;
  }

  /**
   * Returns the session that is shown, or that was chosen and is about to be, so that a prompt is sent to the one that
   * the person chose. Begins one if there is none, and continues one whose run is over.
   * @throws HarnessError the engine's refusal.
   */
  async session(): Promise<OpenSession> {
    const open = this.#open;
    if (this.#opening !== undefined) return await this.#opening;
    if (open === undefined) return await this.#show({ kind: "new" });
    if (!this.#isOver) return open;
    // One that was removed because nobody has used it gives way to a new one.
    return await this.#show({ kind: "stored", info: { session: open.session } }, { orNew: this.isUntouched });
  }

  async goTo(which: WhichSession): Promise<void> {
    try {
      await this.#show(which);
    } catch (thrown) {
      this.#options.refused(thrown);
    }
  }

  /**
   * Opens a session and shows it, unless the person has chosen another one meanwhile.
   * @param orNew true: begins one instead if it was deleted.
   */
  async #show(which: WhichSession, { orNew = false } = {}): Promise<OpenSession> {
    const opening = this.#options.engine.then(async (engine) => {
      try {
        return await engine.open(which);
      } catch (thrown) {
        if (!orNew || !hasReason(thrown, "NoSuchSession")) throw thrown;
        return await engine.open({ kind: "new" });
      }
    });
    this.#opening = opening;
    try {
      const open = await opening;
      if (this.#opening === opening) this.#follow(open, which.kind === "stored" ? which.at : undefined);
      return open;
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await this.#whileHere(sender.answerTo(command));
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await this.#whileHere(sender.query(query));
  }

  /** Waits for an answer. @throws the reason of the signal once the client has left, whatever ended the wait. */
  async #whileHere<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (thrown) {
      this.#options.signal.throwIfAborted();
      throw thrown;
    }
  }

  async attach(session: SessionId, file: AttachedFile): Promise<AttachmentInfo | HarnessError | undefined> {
    const { engine, signal } = this.#options;
    try {
      const { connection } = await whileAlive(engine, signal);
      return connection.attach === undefined
        ? undefined
        : await whileAlive(connection.attach(session, file), signal);
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown;
      throw thrown;
    }
  }

  news(options: NewsOptions): AsyncIterable<NewsItem> | undefined {
    return this.#reached?.connection.news?.(options);
  }

  setViewport(event: EventSeq | undefined): void {
    if (event !== this.#shownAt) this.#unreadable.clear(); // the person tries again
    this.#shownAt = event;
  }

  async readBack(first: EventSeq, place: PagePosition): Promise<void> {
    const { open } = this;
    const segment = this.#transcript.segments.find(
      (each) => each.first === first && each.items === undefined,
    );
    if (open === undefined || segment === undefined || this.#isReplaying) return;
    if (this.#readingBack.has(first) || this.#unreadable.has(first)) return;
    const signal = this.#whileShown;
    this.#readingBack.add(first);
    try {
      const page = await this.#readPage(open, segment, { place, signal });
      if (signal.aborted) return;
      this.#transcript = this.#bounded(withPage(this.#transcript, page), page.first);
      this.#options.completed();
    } catch (thrown) {
      if (signal.aborted) return;
      this.#unreadable.add(first);
      this.#options.refused(thrown);
    } finally {
      this.#readingBack.delete(first);
    }
  }

  async pageOf(part: TranscriptRange, place: PagePosition): Promise<TranscriptPage | undefined> {
    const { open } = this;
    if (open === undefined) return undefined;
    const signal = this.#whileShown;
    try {
      const page = await this.#readPage(open, part, { place, signal });
      return signal.aborted ? undefined : page;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      throw thrown;
    }
  }

  async #readPage(
    { session }: OpenSession,
    segment: TranscriptRange,
    { place, signal }: { readonly place: PagePosition; readonly signal: AbortSignal },
  ): Promise<TranscriptPage> {
    const { connection } = await this.#options.engine;
    const { reached } = this.#transcript;
    return await readTranscriptPage(connection, { session, segment, place, reached, signal });
  }

  /** Aborts once the client leaves or shows another session. */
  get #whileShown(): AbortSignal {
    return AbortSignal.any([this.#options.signal, this.#following.signal]);
  }

  async #sender(): Promise<Sender | HarnessError> {
    const { engine, signal, say } = this.#options;
    try {
      const { connection } = await this.#whileHere(whileAlive(engine, signal));
      return new Sender({ connection, signal, say: async (text) => say(text) });
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown;
      throw thrown;
    }
  }

  /** @param at the event to show first; undefined: the end. */
  #follow(open: OpenSession, at?: EventSeq): void {
    this.#following.abort();
    this.#following = new AbortController();
    this.#open = open;
    this.#commands = new KnownCommands(this, open.session);
    this.#isOver = false;
    this.#lastEnd = undefined;
    this.#isReplaying = false;
    this.#view = NEW_SESSION;
    this.#transcript = NEW_TRANSCRIPT;
    this.#shownAt = undefined;
    this.#readingBack.clear();
    this.#unreadable.clear();
    this.#options.opened(at);
    const signal = this.#whileShown;
    inBackground(this.#read(open, signal), { showFailure: this.#options.ended });
  }

  async #read(open: OpenSession, signal: AbortSignal): Promise<void> {
    try {
      const { connection } = await this.#options.engine;
      if (open.past > WHOLE_EVENTS_MAX) await this.#readTail(connection, open, signal);
      else await this.#readFrom(followSession(connection, open.session, { since: 0, signal }), signal);
      if (!signal.aborted) this.#ended(undefined);
    } catch (thrown) {
      if (!signal.aborted) this.#ended(thrown);
    }
  }

  #ended(failure: unknown): void {
    this.#isOver = true;
    // An end that is followed by more events is that of an earlier run.
    if (failure === undefined && this.#lastEnd !== undefined) {
      this.note(endNote(this.#lastEnd));
      this.#options.completed();
    }
    this.#options.ended(failure);
  }

  /** Reads the last page of a long log and what follows it. */
  async #readTail(connection: Connection, open: OpenSession, signal: AbortSignal): Promise<void> {
    const { session, past } = open;
    const info = await this.query({ kind: "GetSession", sessionId: session, last: 0 });
    if (info instanceof HarnessError) throw info;
    const since = tailStart(info, past);
    const events = followSession(connection, session, { since, signal });
    try {
      const tail = { session, events: await eventsUpTo(events, past), since };
      await this.#addTail(tail, info, signal);
      if (signal.aborted) return;
      inBackground(this.#complete(tail, signal), { showFailure: this.#options.refused });
      await this.#readFrom(events, signal);
    } finally {
      // A page that cannot be shown leaves no subscription open.
      await events.return(undefined);
    }
  }

  /** Shows the last page of a long log, with the turn and the calls that it is in. */
  async #addTail(tail: ReadTail, info: ResultOf<"GetSession">, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const turn = await turnBefore((query) => this.query(query), info, tail);
    const calls = await callsBefore((query) => this.query(query), tail);
    if (signal.aborted) return;
    if (turn !== undefined) this.#add(turn.started);
    for (const { started } of calls) this.#add(started);
    this.#transcript = transcriptWithCalls(
      lastBefore(tail),
      calls.map(({ started }) => started),
    );
    await this.#addAll(tail.events, signal);
    if (signal.aborted) return;
    for (const { started, children } of calls)
      this.#transcript = withChildrenLeftOut(this.#transcript, started.payload.callId, children);
    this.#view = withInfo(turn === undefined ? this.#view : withTurnCost(this.#view, turn.usd), info);
    this.#options.completed();
  }

  async #readFrom(events: AsyncGenerator<Envelope>, signal: AbortSignal): Promise<void> {
    let inARow = 0;
    for await (const envelope of events) {
      if (signal.aborted) return;
      this.#add(envelope);
      inARow += 1;
      if (inARow % EVENTS_AT_ONCE === 0) await nextTurn();
    }
  }

  /** Adds stored events. What is missing in sight meanwhile may be among those to come: nothing is read back. */
  async #addAll(events: readonly Envelope[], signal: AbortSignal): Promise<void> {
    this.#isReplaying = true;
    try {
      for (const [at, envelope] of events.entries()) {
        if (at % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) await nextTurn();
        if (signal.aborted) return;
        this.#add(envelope);
      }
    } finally {
      if (!signal.aborted) this.#isReplaying = false;
    }
  }

  #add(envelope: Envelope): void {
    if (this.self !== undefined) this.#selves.add(this.self);
    this.#commands?.add(envelope);
    if (envelope.kind === "SessionEnded" && envelope.parentCall === undefined) this.#lastEnd = envelope;
    const step = sessionStep(this.#view, envelope);
    this.#view = step.after;
    const { length } = this.#transcript.segments;
    this.#transcript = transcriptAfterEvent(this.#transcript, envelope);
    if (this.#transcript.segments.length > length) this.#transcript = this.#bounded(this.#transcript);
    this.#options.changed(envelope, step);
  }

  /** Completes the view with what only earlier events say. */
  async #complete(tail: ReadTail, signal: AbortSignal): Promise<void> {
    try {
      for await (const change of olderFacts((query) => this.query(query), tail)) {
        if (signal.aborted) return;
        this.#view = change(this.#view);
        this.#options.completed();
      }
    } catch (thrown) {
      if (!signal.aborted) this.#options.refused(thrown);
    }
  }

  #bounded(transcript: Transcript, near = this.#shownAt ?? transcript.reached): Transcript {
    return droppedFrom(transcript, near, KEPT_CHARACTERS_MAX);
  }
}

/** Returns the line about a session that nobody has continued since it has ended. */
function endNote({ ts, payload: { reason } }: EnvelopeOf<"SessionEnded">): LocalNote {
  return { text: `the session has ended (${reason}): your next message continues it`, tone: "info", ts };
}

import type { HarnessError } from "../../../base/errors.ts";
import { hasReason } from "../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../base/ids.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import type { NewsOptions } from "../../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../../protocol/content.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import type { LocalNote } from "../../../view/transcript/local-notes.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../../../view/transcript/pages.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import { KnownCommands } from "../../slash/known-commands.ts";
import { inBackground } from "../layout/in-background.ts";
import type { SessionAccess } from "../layout/services.ts";
import type { BegunSession, OpenSession, ReachedByTerminal, WhichSession } from "../options.ts";
import type { EngineLinkOptions } from "./engine-link.ts";
import { EngineLink } from "./engine-link.ts";
import type { FollowedSessionOptions } from "./followed-session.ts";
import { FollowedSession } from "./followed-session.ts";
import type { SessionInfoAnswer } from "./session-info.ts";
import { SessionInfoReader } from "./session-info.ts";
import { ShownLog } from "./shown-log.ts";

export interface SessionFollowerOptions extends EngineLinkOptions, Omit<FollowedSessionOptions, "engine"> {
  /** Called once another session is shown, before its events. @param at the event to show first; default: the end. */
  readonly opened: (at?: EventSeq) => void;
}

/** Chooses the session that is shown: opens it, changes to another one, and continues one whose run is over. */
export class SessionFollower implements SessionAccess {
  readonly #options: SessionFollowerOptions;
  readonly #engine: EngineLink;
  #shown: FollowedSession | undefined;
  /** Notes of this client before it shows a session. */
  readonly #blank = new ShownLog();
  #opening: Promise<OpenSession> | undefined;
  readonly #selves = new Set<string>();

  constructor(options: SessionFollowerOptions) {
    this.#options = options;
    this.#engine = new EngineLink(options);
  }

  get open(): OpenSession | undefined {
    return this.#shown?.open;
  }
  get view(): SessionView {
    return this.#log.view;
  }
  get transcript(): Transcript {
    return this.#log.transcript;
  }
  get self(): string | undefined {
    return this.#engine.reached?.connection.clientId;
  }
  get selves(): ReadonlySet<string> {
    return this.#selves;
  }
  /** The last session of the folder, which a person could continue. */
  get last(): SessionInfo | undefined {
    return this.#engine.reached?.last;
  }
  get isModelNamed(): boolean {
    return this.#engine.reached?.isModelNamed === true;
  }
  get begins(): BegunSession | undefined {
    return this.#engine.reached?.begins;
  }
  get isUntouched(): boolean {
    const { open } = this;
    return open === undefined || (!open.history && this.#isEmpty);
  }
  get hasFailed(): boolean {
    return this.#engine.hasFailed;
  }
  get isOverNetwork(): boolean {
    return this.#engine.reached?.isOverNetwork === true;
  }

  commandsOf(open: OpenSession): KnownCommands {
    const shown = this.#shown;
    return shown?.open === open ? shown.commands : new KnownCommands(this.#engine, open.session);
  }

  infoOf(
    open: OpenSession,
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<SessionInfoAnswer> {
    const shown = this.#shown;
    const info = shown?.open === open ? shown.info : new SessionInfoReader(this.#engine, open.session);
    if (isFresh) info.expire();
    return info.read();
  }

  isPast(event: EventSeq): boolean {
    return event <= (this.open?.past ?? 0);
  }

  note(note: LocalNote): void {
    this.#log.note(note);
  }

  clear(): void {
    this.#log.clear();
  }

  /** Waits for the engine, and shows the session that the command line names. @throws the failure of its start. */
  async reach(): Promise<ReachedByTerminal> {
    const reached = await this.#engine.reach();
    if (reached.named !== undefined) this.#follow(reached.named);
    return reached;
  }

  /**
   * Returns the session that is shown, or that was chosen and is about to be, so that a prompt is sent to the one that
   * the person chose. Begins one if there is none, and continues one whose run is over.
   * @throws HarnessError the engine's refusal.
   */
  async session(): Promise<OpenSession> {
    const shown = this.#shown;
    if (this.#opening !== undefined) return await this.#opening;
    if (shown === undefined) return await this.#show({ kind: "new" });
    const { open, isOver } = shown;
    if (!isOver) return open;
    // One that was removed because nobody has used it gives way to a new one, with its model.
    const instead = this.#isEmpty ? { kind: "new" as const, model: open.model } : undefined;
    return await this.#show({ kind: "stored", info: { session: open.session } }, instead);
  }

  async goTo(which: WhichSession): Promise<void> {
    try {
      await this.#show(which);
    } catch (thrown) {
      this.#options.refused(thrown);
    }
  }

  /** Says to the engine that the person leaves for good, if nothing is in the session: it need not be kept for them. */
  async leave(): Promise<void> {
    const { open } = this;
    if (open === undefined || !this.isUntouched) return;
    await this.send({ kind: "DetachSession", sessionId: open.session, left: true });
  }

  async send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError> {
    return await this.#engine.send(command);
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError> {
    return await this.#engine.query(query);
  }

  async attach(session: SessionId, file: AttachedFile): Promise<AttachmentInfo | HarnessError | undefined> {
    return await this.#engine.attach(session, file);
  }

  news(options: NewsOptions): AsyncIterable<NewsItem> | undefined {
    return this.#engine.news(options);
  }

  setViewport(event: EventSeq | undefined): void {
    this.#shown?.setViewport(event);
  }

  async readBack(first: EventSeq, place: PagePosition): Promise<void> {
    await this.#shown?.readBack(first, place);
  }

  async pageOf(part: TranscriptRange, place: PagePosition): Promise<TranscriptPage | undefined> {
    return await this.#shown?.pageOf(part, place);
  }

  /** True if the session that is shown was read, and nothing is in it. */
  get #isEmpty(): boolean {
    const { open, view, transcript } = this;
    if (view.waiting.length > 0 || (open?.history === true && view.reached < open.past)) return false;
    return transcript.segments.every(({ items }) => items?.every(({ kind }) => kind === "note") === true);
  }

  get #log(): ShownLog {
    return this.#shown?.log ?? this.#blank;
  }

  /**
   * Opens a session and shows it, unless the person has chosen another one meanwhile.
   * @param instead the one to open if it was deleted. Default: none, that is a failure.
   */
  async #show(which: WhichSession, instead?: WhichSession): Promise<OpenSession> {
    const opening = this.#options.engine.then(async (engine) => await this.#openIn(engine, which, instead));
    this.#opening = opening;
    try {
      const open = await opening;
      if (this.#opening === opening) this.#follow(open, which.kind === "stored" ? which.at : undefined);
      return open;
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async #openIn(
    engine: ReachedByTerminal,
    which: WhichSession,
    instead: WhichSession | undefined,
  ): Promise<OpenSession> {
    try {
      const open = await engine.open(which);
      return which.kind === "stored" && which.continues === true ? { ...open, continues: true } : open;
    } catch (thrown) {
      if (instead !== undefined && hasReason(thrown, "NoSuchSession")) return await engine.open(instead);
      const model = this.view.run?.model ?? this.open?.model;
      const isWithoutModel =
        which.kind === "new" && which.model === undefined && hasReason(thrown, "NoModel");
      // Where no model is the default one, another session has that of the session that is shown.
      if (isWithoutModel && model !== undefined) return await engine.open({ kind: "new", model });
      throw thrown;
    }
  }

  /** @param at the event to show first; undefined: the end. */
  #follow(open: OpenSession, at?: EventSeq): void {
    this.#shown?.[Symbol.dispose]();
    const shown = new FollowedSession(open, {
      ...this.#options,
      engine: this.#engine,
      changed: (envelope, step) => {
        if (this.self !== undefined) this.#selves.add(this.self);
        this.#options.changed(envelope, step);
      },
    });
    this.#shown = shown;
    this.#options.opened(at);
    inBackground(shown.follow(), { showFailure: this.#options.ended });
  }
}

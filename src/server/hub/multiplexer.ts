import { InOrder } from "../../base/async/in-order.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import type { Accepted, Command, CommandOf, SessionCommandKind } from "../../protocol/commands/commands.ts";
import type { SubscribeOptions } from "../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { SessionEndReason } from "../../protocol/events/events.ts";
import type { AttachRequest } from "../../session/access/attach-request.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import { clientLabel } from "../../session/access/client-label.ts";
import type { AskQuery, QueryHandlers } from "../../session/commands/query-handlers.ts";
import type {
  StoredSessionCommand,
  StoredSessionHandler,
} from "../../session/commands/stored-session-commands.ts";
import { isStoredSessionCommand } from "../../session/commands/stored-session-commands.ts";
import { assertMayDecide } from "../../session/questions/decision-rights.ts";
import type { People } from "../../session/questions/people.ts";
import { isPerson, mayAnswer } from "../../session/questions/people.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { OpenedSession } from "../../session/turns/opened-session.ts";
import type { Session } from "../../session/turns/session.ts";
import { endedSessionEvents, eventsOnce, lastTitle } from "./ended-session.ts";
import { LazyNews } from "./news/lazy-news.ts";
import type { NewsSource } from "./news/news.ts";
import type { PrepareOpened, ProfileSwitchDependencies } from "./profile-switch.ts";
import type { ProviderKeyHandler } from "./provider-key.ts";
import { passProviderKey } from "./provider-key.ts";
import { openQueries } from "./queries/queries.ts";
import type { RunningFacts } from "./queries/session-info.ts";
import { RunningSessions } from "./running-sessions.ts";
import { assertWithinScope, guardEvents } from "./scope-check.ts";
import { UploadMemory } from "./upload-memory.ts";

export interface MultiplexerDependencies {
  readonly world: World;
  /** Store with the logs of sessions that have ended. */
  readonly store: Pick<SessionStore, "expired" | "find" | "markedEvents">;
  /** Opens a new session, or a new run on an existing log, for the client that asked for it. */
  openSession(request: CommandOf<"CreateSession">, client?: AttachedClient): Promise<OpenedSession>;
  /** Called with each session that an agent has opened, and each new run that one has opened on a log (CTL-12). */
  onAgentSession?(session: SessionId, agent: AttachedClient): void;
  /** Absent: sessions keep the profile that they were opened with. */
  readonly prepareSwitch?: PrepareOpened;
  /** Stores the key of a provider. Absent: none is stored here. */
  readonly storeKey?: ProviderKeyHandler;
  /** Absent: sessions are neither branched, pinned nor named here. */
  readonly keeping?: StoredSessionHandler;
  /** Loads the handlers of the queries that the engine answers for all sessions, at the first query. */
  readonly queries?: (hub: Multiplexer) => Promise<QueryHandlers>;
  /** Loads what describes sessions for the news, at the first reader. */
  readonly news?: () => Promise<NewsSource>;
  /** Filled here. Default: a new one. */
  readonly sessions?: RunningSessions;
}

/** A session that was opened elsewhere. */
interface Adopted extends Pick<OpenedSession, "session"> {
  /** True if an agent opened it; that agent may then decide over it. Absent: a person did. */
  readonly isAgents?: boolean | undefined;
}

/**
 * All sessions of one engine and all clients of them: every transport sends its commands here, and this is where their
 * order is made ([A] § Multi-client semantics).
 */
export class Multiplexer {
  readonly #parts: MultiplexerDependencies;
  readonly #sessions: RunningSessions;
  /** Sessions that an agent has opened. */
  readonly #ofAgents = new Set<SessionId>();
  /** Logs that a new run is being opened on. */
  readonly #reopening = new Map<LogId, Promise<OpenedSession>>();
  /** Runs that were announced and are being opened. */
  readonly #coming = new Map<SessionId, Promise<OpenedSession>>();
  /** Changes of what is kept beside a log, in the order in which they come: its events have the same order. */
  readonly #ofLog = new InOrder<LogId>();
  readonly #news: LazyNews;
  /** Memory of the files that clients are uploading. */
  readonly uploads = new UploadMemory();
  #stopping = false;
  readonly #stop = new AbortController();

  constructor(parts: MultiplexerDependencies) {
    this.#parts = parts;
    this.#sessions = parts.sessions ?? new RunningSessions(parts.world.ids);
    this.#news = new LazyNews({
      clock: parts.world.clock,
      store: parts.store,
      live: (id) => this.#sessions.get(id)?.logId,
      logOf: (id) => this.#logOf(id),
      source: parts.news,
    });
    this.query = openQueries({
      engine: async () => (await parts.queries?.(this)) ?? {},
      session: (id) => this.#sessions.get(id)?.queries,
      logOf: (id) => this.#logOf(id),
    });
  }

  attach(request: AttachRequest): AttachedClient {
    return { id: this.#parts.world.ids.next("cli"), ...request, label: clientLabel(request.label) };
  }

  /** Carries out a command. @throws HarnessError if the command is refused. */
  async send(command: Command, client: AttachedClient): Promise<Accepted> {
    const log = this.#parts.world.log.for("multiplex");
    const { kind } = command;
    log.write("trace", "command", { kind, client: client.id });
    try {
      const before = this.#news.logBefore(command);
      const accepted = await this.#carryOut(command, client);
      // Nobody waits for it: the answer does not depend on readers of news.
      if (before !== undefined) this.#watchSettling(this.#news.commandDone(before, accepted.sessionId));
      return accepted;
    } catch (thrown) {
      const reason = thrown instanceof HarnessError ? thrown.reason : "InternalError";
      log.write("debug", "command refused", { kind, client: client.id, reason });
      throw thrown;
    }
  }

  /** Notes for the news that the log of a session, or what is known beside it, has changed or is deleted. */
  readonly changed = (log: LogId): void => this.#news.changed(log);

  /** The news about all sessions that clients may see (CTL-19). */
  get news(): Pick<LazyNews, "read" | "inBatches"> {
    return this.#news;
  }

  /** Stores a file for inputs of a session. @throws HarnessError if it is refused. */
  async attachFile(
    sessionId: SessionId,
    file: AttachedFile,
    client: AttachedClient,
  ): Promise<AttachmentInfo> {
    if (this.#stopping) throw new HarnessError("EngineStopping", {});
    // It is part of an input: who may send one may attach.
    if (client.scope !== undefined)
      await assertWithinScope(client.scope, { kind: "SendInput", sessionId, content: [] }, this.#logOf);
    if (this.#coming.has(sessionId)) await this.whenThere(sessionId);
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new HarnessError("UnknownSession", { id: sessionId });
    return await session.attach(file);
  }

  async #carryOut(command: Command, client: AttachedClient): Promise<Accepted> {
    if (this.#stopping) throw new HarnessError("EngineStopping", {});
    // A client without restrictions waits for nothing here: a cancel counts from the moment that it is sent.
    if (client.scope !== undefined) await assertWithinScope(client.scope, command, this.#logOf);
    if (command.kind === "CreateSession") return await this.#createFor(command, client);
    if (command.kind === "StoreProviderKey")
      return await passProviderKey(command, client, this.#parts.storeKey);
    assertMayDecide(command, client, (id) => ({
      isAgents: this.#ofAgents.has(id),
      turnOf: this.#sessions.get(id)?.turnOf,
    }));
    if (command.kind === "Answer" && this.people.asks(command.askId)) {
      this.people.close(command.askId, client.id);
      return {};
    }
    if (this.#coming.has(command.sessionId)) await this.whenThere(command.sessionId);
    if (command.kind === "CustomCommand") return await this.#custom(command, client);
    if (isStoredSessionCommand(command)) return await this.#keep(command, client);
    const session = this.#sessions.get(command.sessionId);
    if (command.kind === "SwitchProfile") return await this.#switch(session, command, client);
    if (command.kind === "AttachSession" && (session === undefined || session.ending !== undefined))
      return await this.#attachAnew(command, client);
    return session === undefined ? await this.#sendToEnded(command) : await session.send(command, client);
  }

  /** Carries out a command about a session that runs or has ended. @throws HarnessError UnknownSession. */
  async #keep(command: CommandOf<StoredSessionCommand>, client: AttachedClient): Promise<Accepted> {
    const { kind, sessionId } = command;
    const log = await this.#logOf(sessionId);
    if (log === undefined) throw new HarnessError("UnknownSession", { id: sessionId });
    const { keeping } = this.#parts;
    if (keeping === undefined)
      throw new HarnessError("InvalidCommand", { kind, why: "it is not served here" });
    // What the reader has seen may not be in the log yet.
    if (kind === "MarkRead") await this.#sessions.onLog(log)?.durable("process");
    if (!CHANGE_THE_LOG.has(kind)) return await keeping(command, client);
    return await this.#ofLog.run(log, async () => {
      const accepted = await keeping(command, client);
      // The run that the log has now, whichever of its runs is named.
      const session = this.#sessions.onLog(log);
      if (kind === "PinSession") session?.pin(command.pinned); // it no longer ends by itself, or does again
      if (kind === "RenameSession") await session?.renamed(stringAt(accepted.result, "title") ?? "", client);
      return accepted;
    });
  }

  /** Shows the title that a person gave while no run could emit it, so that the log says what lists say. */
  async #showTitle({ logId }: Pick<Session, "logId">): Promise<void> {
    await this.#ofLog.run(logId, async () => {
      const info = await this.#parts.store.find(logId);
      if (info?.renamed !== true) return;
      const shown = await lastTitle(this.#parts.store, logId, this.#stop.signal);
      if (shown !== info.title) await this.#sessions.onLog(logId)?.renamed(info.title);
    });
  }

  /** Carries out a plugin's command, or a verb of an earlier protocol. @throws HarnessError UnknownCommandNamespace. */
  async #custom(command: CommandOf<"CustomCommand">, client: AttachedClient): Promise<Accepted> {
    const { sessionId, namespace } = command;
    await this.#assertKnown(sessionId);
    const owner = this.#sessions.get(sessionId)?.ownerOf(namespace);
    if (owner !== undefined) return await owner(command, client);
    const { answerFormerVerb } = await import("./former-verbs.ts");
    const answered = await answerFormerVerb(command, {
      client,
      nowMs: this.#parts.world.clock.now(),
      pid: this.#parts.world.machine.pid,
      query: async (query) => await this.query(query, { ...client, signal: this.#stop.signal }),
      send: async (instead) => await this.#carryOut(instead, client),
    });
    if (answered !== undefined) return answered;
    throw new HarnessError("UnknownCommandNamespace", { namespace });
  }

  async #assertKnown(id: SessionId): Promise<void> {
    const isKnown = this.#sessions.get(id) !== undefined || (await this.#parts.store.find(id)) !== undefined;
    if (!isKnown) throw new HarnessError("UnknownSession", { id });
  }

  /**
   * Continues an ended session as a new run on its log, whose id is answered: one run, even if others ask
   * meanwhile (SES-11).
   * @throws HarnessError LogHeld if another process has the log.
   */
  async #attachAnew({ sessionId }: CommandOf<"AttachSession">, client: AttachedClient): Promise<Accepted> {
    const log = await this.#parts.store.find(sessionId);
    if (log === undefined) throw new HarnessError("UnknownSession", { id: sessionId });
    const { logId } = log;
    const opened = await this.#runOn({ kind: "CreateSession", resume: logId }, logId, client);
    const { session } = opened;
    // The client needs its id first: its events ask about the rest of an earlier run.
    this.#watchSettling(session.send({ kind: "AttachSession", sessionId: session.id }, client));
    return acceptedAs(opened);
  }

  /** A person decides on what a session reads, may do and costs: an agent stays under the profile it was given. */
  async #switch(
    session: Session | undefined,
    command: CommandOf<"SwitchProfile">,
    client: AttachedClient,
  ): Promise<Accepted> {
    const { prepareSwitch: prepare } = this.#parts;
    if (prepare === undefined)
      throw new HarnessError("InvalidCommand", { kind: command.kind, why: "it is not served here" });
    if (session === undefined) throw new HarnessError("UnknownSession", { id: command.sessionId });
    const { switchProfile } = await import("./profile-switch.ts");
    const parts: ProfileSwitchDependencies = {
      prepare,
      adopt: (opened) => this.adopt(opened),
      expect: ({ next, logId }, opening) => {
        const over = () => {
          this.#coming.delete(next);
          this.#reopening.delete(logId);
        };
        this.#coming.set(next, opening);
        this.#reopening.set(logId, opening);
        opening.then(over, over);
      },
    };
    return await switchProfile(session, { command, client }, parts);
  }

  /** Logs the failure of work that nobody waits for. */
  #watchSettling(settling: Promise<unknown>): void {
    settling.catch((thrown: unknown) => {
      const what = messageOf(thrown);
      this.#parts.world.log.for("multiplex").write("debug", "what was left open is not settled", { what });
    });
  }

  /** Attaches to a log that runs here already: it has one run, whichever client asks for it (CTL-11). */
  async #createFor(command: CommandOf<"CreateSession">, client: AttachedClient): Promise<Accepted> {
    const { resume } = command;
    const opening = resume === undefined ? this.open(command, client) : this.#runOn(command, resume, client);
    return acceptedAs(await opening);
  }

  /** Returns the run that a log has here, or a new one on it. */
  async #runOn(
    request: CommandOf<"CreateSession">,
    logId: LogId,
    client: AttachedClient,
  ): Promise<OpenedSession> {
    const onLog = () => this.#sessions.all.filter(({ logId: on }) => on === logId);
    // Waits for runs of it that are being ended; their failures go to the clients that end them.
    await Promise.allSettled(onLog().map(({ ending }) => ending));
    const live = onLog().find(({ ending }) => ending === undefined);
    return live === undefined ? await this.#reopen(request, logId, client) : { session: live };
  }

  #reopen(request: CommandOf<"CreateSession">, logId: LogId, client: AttachedClient): Promise<OpenedSession> {
    const known = this.#reopening.get(logId);
    if (known !== undefined) return known;
    const opening = this.open(request, client).finally(() => this.#reopening.delete(logId));
    this.#reopening.set(logId, opening);
    this.#watchSettling(opening.then(({ session }) => this.#showTitle(session)));
    return opening;
  }

  /** Opens a session, or a new run on a log that has none here. */
  async open(request: CommandOf<"CreateSession">, client?: AttachedClient): Promise<OpenedSession> {
    const opened = await this.#parts.openSession(request, client);
    const { session } = opened;
    const isAgents = client?.identityClass === "agent";
    await this.adopt({ session, isAgents });
    if (isAgents) this.#parts.onAgentSession?.(session.id, client);
    return opened;
  }

  /** Takes over a session that was opened meanwhile. @throws HarnessError EngineStopping, once it is ended again. */
  async adopt({ session, isAgents }: Adopted): Promise<void> {
    if (this.#stopping) {
      await session.end("binary-shutdown"); // it was opened while all the others were ended
      throw new HarnessError("EngineStopping", {});
    }
    this.add(session, { isAgents });
  }

  /** Takes over a session that was opened already. It is dropped once it has ended: its log has all of it. */
  add(session: Session, { isAgents = false }: Pick<Adopted, "isAgents"> = {}): void {
    const { id } = session;
    this.#sessions.add(session);
    if (isAgents) this.#ofAgents.add(id);
    session.onChanged(() => this.changed(session.logId));
    session.onEnded(() => {
      this.#sessions.remove(id);
      this.#ofAgents.delete(id);
      this.changed(session.logId);
    });
    this.changed(session.logId);
  }

  /** Answers a query of any client, attached or not. @throws HarnessError as `openQueries` says. */
  readonly query: AskQuery;

  /** People who are subscribed to some session. */
  get people(): People {
    return this.#sessions.people;
  }

  /** Number of sessions that have not ended. */
  get live(): number {
    return this.#sessions.size;
  }

  /** Returns a session that runs here. */
  runningSession(id: SessionId): RunningFacts | undefined {
    return this.#sessions.get(id);
  }

  /** Sessions that run here. */
  get sessions(): readonly SessionId[] {
    return this.#sessions.ids;
  }

  /** Sessions that run here, with their logs. */
  get running(): readonly Pick<Session, "logId" | "contentExpired">[] {
    return this.#sessions.all;
  }

  /** Subscribes to a session. Reading throws Forbidden if the session lies outside of the client's scope. */
  subscribe(
    id: SessionId,
    since: EventSeq | undefined,
    signal: AbortSignal,
    client?: Pick<AttachedClient, "scope"> &
      Partial<Pick<AttachedClient, "id" | "identityClass" | "label">> &
      Partial<Pick<SubscribeOptions, "deltasMayWait" | "args">>,
  ): AsyncIterable<Envelope> {
    const { label, identityClass, deltasMayWait, args } = client ?? {};
    const who = {
      ...(client?.id === undefined ? {} : { client: client.id }),
      ...(isPerson(client) ? { person: this.people.initialEvents } : {}),
      ...(mayAnswer(client) ? ({ answers: true } as const) : {}),
      ...defined({ label, identityClass, deltasMayWait, args }),
    };
    const events = (until: AbortSignal): AsyncIterable<Envelope> =>
      this.#sessions.get(id)?.subscribe(since, until, who) ??
      eventsOnce(this.#coming.get(id), () => events(until)) ??
      endedSessionEvents(id, this.#parts.store, { since, signal: until });
    return guardEvents(client?.scope, id, { logOf: this.#logOf, events, signal });
  }

  /** Returns the log of a session, whichever of its runs is named. */
  readonly #logOf = async (id: SessionId): Promise<LogId | undefined> => {
    await this.whenThere(id);
    return this.#sessions.get(id)?.logId ?? (await this.#parts.store.find(id))?.logId;
  };

  /** Waits for an announced session that is only being opened: until it is open, or will not be. */
  async whenThere(id: SessionId): Promise<void> {
    await Promise.allSettled([this.#coming.get(id)]);
  }

  /** Takes no new commands, ends every session, and resolves when all is freed. Throws the first failure at the end. */
  async close(reason: SessionEndReason): Promise<void> {
    this.#stopping = true;
    this.#stop.abort(new HarnessError("EngineStopping", {}));
    const endings = await Promise.allSettled(this.#sessions.all.map((session) => session.end(reason)));
    this.#sessions.clear();
    this.#news.close();
    for (const ending of endings) if (ending.status === "rejected") throw ending.reason;
  }

  /** Refuses a command to a session that has ended: nothing in it can act. */
  async #sendToEnded({ kind, sessionId }: CommandOf<SessionCommandKind>): Promise<Accepted> {
    if (kind === "DetachSession" && (await this.#parts.store.find(sessionId)) !== undefined)
      return { sessionId };
    throw new HarnessError("UnknownSession", { id: sessionId });
  }
}

/** Commands whose effects on one log have the order in which they were accepted. */
const CHANGE_THE_LOG: ReadonlySet<string> = new Set<StoredSessionCommand>([
  ...(["RenameSession", "ArchiveSession", "PinSession", "DeleteSession"] as const),
]);

function acceptedAs({ session, notices = [], expiring }: OpenedSession): Accepted {
  const result = { notices, ...defined({ expiring }) };
  return { sessionId: session.id, ...(notices.length === 0 ? {} : { result }) };
}

import type {
  AgentContext,
  AuthStatusResponse,
  ForkSessionRequest,
  InitializeRequest,
  InitializeResponse,
  JsonRpcId,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  ResumeSessionResponse,
  SessionStatusResponse,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
  SetSessionTitleRequest,
  SetSessionTitleResponse,
} from "@agentclientprotocol/sdk/unstable";
import { PROTOCOL_VERSION as ACP_VERSION } from "@agentclientprotocol/sdk/unstable";
import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { editorAbilities, NO_ABILITIES } from "../abilities.ts";
import { requestError } from "../request-error.ts";
import { configOptions, modeCommand, modeState, offeredModels, optionCommand } from "../session/options.ts";
import { AcpSession } from "../session/session.ts";
import { verbatimLine } from "../session/updates/shown-call.ts";
import type { AnsweredStream } from "../watch-answers.ts";
import { carryOutPrompt, changeOption } from "./carry-out.ts";
import { availableCommands } from "./commands.ts";
import { created, endWork, infoOf, listedCommands, sessionIdOf, tailOf } from "./engine-requests.ts";
import { listedPage, setTitle } from "./stored-sessions.ts";
import { UnsavedFiles } from "./unsaved.ts";
import type { WantedSession } from "./wanted-session.ts";
import { wantedSession, wantsOwnRun } from "./wanted-session.ts";

/** Sessions that one editor follows at a time. */
export const EDITOR_SESSIONS_MAX = 64;
const LABEL_CHARACTERS_MAX = 80;

/** Handles that an editor needs of an engine. */
export interface AcpEngine {
  readonly port: Pick<EnginePort, "attach">;
  /** Returns a new session like the one that this was started for, in a folder. */
  fresh(workingDir: string): Promise<CommandOf<"CreateSession">>;
}

/** Parts that an editor is served with. */
export interface EditorDependencies {
  readonly world: Pick<World, "log" | "files" | "clock">;
  readonly version: string;
  /**
   * Connects to the engine when it is first needed, and again after a failure: the editor gets the reason in its
   * own form.
   */
  readonly engine: () => Promise<AcpEngine>;
}

interface Attached {
  readonly connection: Connection;
  readonly engine: AcpEngine;
}

/** A request of the editor that opens a session. */
export interface Opening {
  readonly client: AgentContext;
  readonly requestId: JsonRpcId;
}

interface OpenedSession {
  readonly session: AcpSession;
  readonly unsaved: UnsavedFiles | undefined;
}

/** One editor: its open sessions, and the translation of its requests into commands of its one client. */
export class Editor implements AsyncDisposable {
  readonly #parts: EditorDependencies;
  readonly #answered: AnsweredStream;
  readonly #sessions = new Map<string, OpenedSession>();
  #label = "an editor (ACP)";
  #abilities = NO_ABILITIES;
  #attaching: Promise<Attached> | undefined;
  #isLeft = false;

  constructor(parts: EditorDependencies, answered: AnsweredStream) {
    this.#parts = parts;
    this.#answered = answered;
  }

  initialize(request: InitializeRequest): InitializeResponse {
    const { clientInfo } = request;
    const name = clientInfo?.title ?? clientInfo?.name;
    if (name !== undefined) this.#label = `${shortened(name, LABEL_CHARACTERS_MAX)} (ACP)`;
    this.#abilities = editorAbilities(request);
    return {
      protocolVersion: ACP_VERSION,
      agentInfo: { name: "cinch", title: "cinch", version: this.#parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          ...{ list: {}, resume: {}, close: {}, delete: {}, fork: {}, status: {}, archive: {}, title: {} },
          ...{ additionalDirectories: {}, systemPrompt: {} },
        },
        auth: { status: {} },
      },
      // A program that starts this has the keys of its owner already.
      authMethods: [],
    };
  }

  authStatus(): AuthStatusResponse {
    return { state: "not_required" };
  }

  async begin(request: NewSessionRequest, opening: Opening): Promise<NewSessionResponse> {
    this.#assertRoom();
    const { connection, engine } = await this.#attached();
    const wanted = wantedSession(await engine.fresh(request.cwd), request);
    const { session, notices } = await created(connection, wanted);
    const info = {
      ...{ plan_mode: wanted.run?.planMode },
      ...(await infoOf(connection, session)),
      working_dir: request.cwd,
    };
    const opened = this.#open(opening, { connection, name: session, session, info });
    this.#answered.after(opening.requestId, () => {
      opened.begin(0);
      this.#greet(opened, connection, notices);
    });
    return { sessionId: session, ...shownOptions(opened) };
  }

  /** @param isShown true if past events are sent again. */
  async load(
    request: Omit<LoadSessionRequest, "mcpServers"> & WantedSession,
    opening: Opening & { readonly isShown: boolean },
  ): Promise<ResumeSessionResponse> {
    return shownOptions(await this.#resume(request, { ...opening, name: request.sessionId }));
  }

  /** @param name name of the session in the editor. Default: the id of the new run. */
  async #resume(
    request: Omit<LoadSessionRequest, "mcpServers"> & WantedSession,
    { isShown, name, ...opening }: Opening & { readonly isShown: boolean; readonly name?: string },
  ): Promise<AcpSession> {
    const id = sessionIdOf(request.sessionId);
    this.#assertRoom();
    const { connection, engine } = await this.#attached();
    const info = await infoOf(connection, id);
    const { session, notices } = info.live
      ? { session: info.session, notices: lateNotices(request) }
      : await created(connection, {
          ...wantedSession(await engine.fresh(info.working_dir), request),
          resume: info.log,
        });
    const known = name ?? session;
    this.#sessions.get(known)?.session.close();
    // The run that has begun knows more: its level, for example.
    const now = info.live ? info : await infoOf(connection, session);
    const opened = this.#open(opening, { connection, name: known, session, info: now });
    const from = isShown ? 0 : await tailOf(connection, info);
    await opened.replay({ from, to: info.events }, { isShown });
    this.#answered.after(opening.requestId, () => this.#greet(opened, connection, notices));
    return opened;
  }

  /** Opens a copy of a session, up to the end of its last turn. */
  async fork(request: ForkSessionRequest, opening: Opening): Promise<NewSessionResponse> {
    this.#assertRoom();
    const { connection } = await this.#attached();
    const branch = { kind: "BranchSession", sessionId: this.#runOf(request.sessionId) } as const;
    const { sessionId } = await connection.send(branch);
    if (sessionId === undefined) throw new HarnessError("EngineStopping", {});
    const opened = await this.#resume({ ...request, sessionId }, { ...opening, isShown: false });
    return { sessionId: opened.session, ...shownOptions(opened) };
  }

  async list(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { connection } = await this.#attached();
    return await listedPage(connection, request);
  }

  async setTitle({ sessionId, title }: SetSessionTitleRequest): Promise<SetSessionTitleResponse> {
    const { connection } = await this.#attached();
    return await setTitle(connection, this.#runOf(sessionId), title);
  }

  /** Leaves a session out of lists, ends what runs in it, and closes it here; or shows it there again. */
  async archive(name: string, archived: boolean): Promise<Record<string, never>> {
    const { connection } = await this.#attached();
    const info = await infoOf(connection, this.#runOf(name));
    if (archived) {
      const isOpenElsewhere = othersIn(info, connection).length > 0;
      this.#close(name);
      await endWork(connection, info, { isOpenElsewhere });
    }
    await connection.send({ kind: "ArchiveSession", sessionId: info.session, archived });
    return {};
  }

  async status(name: string): Promise<SessionStatusResponse> {
    const { connection } = await this.#attached();
    const { live } = await infoOf(connection, this.#runOf(name));
    return { status: live ? "open" : "saved" };
  }

  /**
   * Deletes a session for good. One that still runs is ended first, unless a turn runs in it or another client has it
   * open.
   */
  async delete(name: string): Promise<Record<string, never>> {
    const { connection } = await this.#attached();
    const sessionId = this.#runOf(name);
    const info = await infoOf(connection, sessionId);
    if (info.live) {
      const mine = this.#sessions.get(name)?.session;
      const others = othersIn(info, connection);
      const user =
        mine?.isBusy === true
          ? "its turn; cancel it"
          : others.map(({ label }) => `"${label}"; close it there`)[0];
      if (user !== undefined) {
        const why = `it is in use by ${user}, then delete it`;
        throw new HarnessError("InvalidCommand", { kind: "session/delete", why });
      }
      mine?.close();
      this.#sessions.delete(name);
      await connection.send({ kind: "EndSession", sessionId });
    }
    await connection.send({ kind: "DeleteSession", sessionId: info.session });
    return {};
  }

  async setMode({ sessionId, modeId }: SetSessionModeRequest): Promise<Record<string, never>> {
    const { session } = this.#opened(sessionId);
    await changeOption(session, modeCommand(session.session, modeId, session.options));
    return {};
  }

  async setOption(request: SetSessionConfigOptionRequest): Promise<SetSessionConfigOptionResponse> {
    const { session } = this.#opened(request.sessionId);
    const { configId, value } = request;
    await changeOption(session, optionCommand(session.session, { configId, value }, session.options));
    return { configOptions: configOptions(session.options) };
  }

  async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const { session, unsaved } = this.#opened(sessionId);
    const { connection } = await this.#attached();
    return await carryOutPrompt(prompt, {
      session,
      unsaved,
      connection,
      clock: this.#parts.world.clock,
      signal,
    });
  }

  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.session.cancel();
  }

  async close(sessionId: string): Promise<Record<string, never>> {
    this.#opened(sessionId);
    this.#close(sessionId);
    return {};
  }

  #close(name: string): void {
    const session = this.#sessions.get(name)?.session;
    session?.cancel();
    session?.close();
    this.#sessions.delete(name);
  }

  /** Turns a thrown error into the editor's form: its reason and words. */
  async withRequestErrors<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    try {
      return await run();
    } catch (thrown) {
      throw requestError(thrown, this.#parts.world.log);
    }
  }

  /** The editor has left: nothing that it was asked gets an answer. */
  leave(): void {
    this.#isLeft = true;
    for (const { session } of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    const attached = await this.#attaching?.catch(() => undefined);
    await attached?.connection[Symbol.asyncDispose]();
  }

  #attached(): Promise<Attached> {
    this.#attaching ??= this.#attach().catch((thrown: unknown) => {
      this.#attaching = undefined;
      throw thrown;
    });
    return this.#attaching;
  }

  async #attach(): Promise<Attached> {
    const engine = await this.#parts.engine();
    const connection = engine.port.attach({ identityClass: "human", label: this.#label, wire: "stdio" });
    await connection.handshake(PROTOCOL_VERSION);
    return { engine, connection };
  }

  #open(
    { client }: Opening,
    parts: {
      readonly connection: Connection;
      readonly name: string;
      readonly session: SessionId;
      readonly info: SessionInfo;
    },
  ): AcpSession {
    const { connection, name, session: id, info } = parts;
    const { world } = this.#parts;
    const abilities = this.#abilities;
    const unsaved = abilities.reads ? new UnsavedFiles({ world, client, session: name }) : undefined;
    const session = new AcpSession({
      ...{ client, connection, name, session: id, abilities, log: world.log },
      ...{ info, unsaved },
      commands: async (of) => availableCommands(await listedCommands(connection, of)),
    });
    if (this.#isLeft) session.close();
    else this.#sessions.set(name, { session, unsaved });
    return session;
  }

  #opened(name: string): OpenedSession {
    const opened = this.#sessions.get(name);
    if (opened === undefined) throw new HarnessError("UnknownSession", { id: shortened(name, 40) });
    return opened;
  }

  /** Returns the run behind the editor's name of a session, which may be closed. */
  #runOf(name: string): SessionId {
    return this.#sessions.get(name)?.session.session ?? sessionIdOf(name);
  }

  #assertRoom(): void {
    if (this.#sessions.size < EDITOR_SESSIONS_MAX) return;
    const why = `${EDITOR_SESSIONS_MAX} sessions are open in this editor; close one`;
    throw new HarnessError("InvalidCommand", { kind: "CreateSession", why });
  }

  /** Sends the facts of a session that the editor has opened, once it knows its name. */
  #greet(session: AcpSession, connection: Connection, notices: readonly string[]): void {
    const greeting = async () => {
      await session.offer();
      for (const notice of notices) await session.notify(notice, verbatimLine);
      const { providers } = await connection.query({ kind: "ListProviders", models: true });
      await session.offerModels(offeredModels(providers));
    };
    greeting().catch((thrown: unknown) => requestError(thrown, this.#parts.world.log));
  }
}

function shownOptions({ options }: AcpSession): ResumeSessionResponse {
  return { modes: modeState(options), configOptions: configOptions(options) };
}

/** Returns a notice about what a running session cannot get any more. */
function lateNotices(wanted: WantedSession): readonly string[] {
  return wantsOwnRun(wanted)
    ? [
        "This session was running already: the editor's folders, MCP servers and system text are not added to it.",
      ]
    : [];
}

/** Returns the other clients that follow a session. */
function othersIn(
  { clients = [] }: SessionInfo,
  { clientId }: Connection,
): readonly { readonly label: string }[] {
  return clients.filter(({ id }) => id !== clientId);
}

import type {
  AgentContext,
  ContentBlock,
  InitializeRequest,
  InitializeResponse,
  JsonRpcId,
  ListSessionsResponse,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
} from "@agentclientprotocol/sdk";
import {
  PROTOCOL_VERSION as ACP_VERSION,
  agent,
  MessageTooLargeError,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import { HarnessError } from "../../base/errors.ts";
import { relativeWithin } from "../../base/files/below.ts";
import type { SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { arrayAt } from "../../base/json.ts";
import { shortened } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import { readCommand } from "../../protocol/read.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { availableCommands, readPromptCommand } from "./commands.ts";
import { promptInput } from "./prompt.ts";
import { requestError } from "./request-error.ts";
import { AcpSession } from "./session.ts";
import { verbatimLine } from "./shown-call.ts";
import type { AnsweredStream } from "./watch-answers.ts";
import { watchAnswers } from "./watch-answers.ts";

/** A longer message ends the connection: it is unknown which request it was. */
export const ACP_MESSAGE_BYTES_MAX = 32 * 1024 * 1024;
/** Sessions that one editor follows at a time. */
export const EDITOR_SESSIONS_MAX = 64;
/** Sessions of a list, the newest first. */
const LISTED_MAX = 200;
const LABEL_CHARACTERS_MAX = 80;

/** Handles that an editor needs of an engine. */
export interface AcpEngine {
  readonly port: Pick<EnginePort, "attach">;
  /** Returns a new session like the one that this was started for, in a folder. */
  fresh(workingDir: string): Promise<CommandOf<"CreateSession">>;
}

export interface AcpDependencies {
  readonly world: Pick<World, "log">;
  readonly version: string;
  /**
   * Connects to the engine when it is first needed, and again after a failure: the editor gets the reason in its
   * own form.
   */
  readonly engine: () => Promise<AcpEngine>;
  /** Messages of the editor, one a line. */
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Ends the service. */
  readonly signal: AbortSignal;
}

/**
 * Serves one editor that speaks the Agent Client Protocol, version 1, over a pair of byte streams, as one client of an
 * engine (CTL-16). Resolves when the editor has left; running turns then continue if the engine does.
 *
 * The person at the editor answers its questions: it is a client of class human. A program that could start this for
 * them could start any other client of theirs too; a running engine is reached as its owner, or not at all.
 * @throws HarnessError BodyTooLarge for a message above 32 MiB.
 */
export async function serveAcp(parts: AcpDependencies): Promise<void> {
  const answered = watchAnswers(
    ndJsonStream(parts.output, parts.input, { maxMessageBytes: ACP_MESSAGE_BYTES_MAX }),
  );
  const editor = new Editor(parts, answered);
  const { agent: on } = methods;
  const connection = agent({ name: "cinch" })
    .onRequest(on.initialize, ({ params }) => editor.initialize(params))
    .onRequest(on.session.new, ({ params, client, requestId }) =>
      editor.withRequestErrors(() => editor.begin(params, client, requestId)),
    )
    .onRequest(on.session.load, ({ params, client, requestId }) =>
      editor.withRequestErrors(() => editor.load(params, { client, requestId, shows: true })),
    )
    .onRequest(on.session.resume, ({ params, client, requestId }) =>
      editor.withRequestErrors(() =>
        editor.load({ mcpServers: [], ...params }, { client, requestId, shows: false }),
      ),
    )
    .onRequest(on.session.list, ({ params }) =>
      editor.withRequestErrors(() => editor.list(params.cwd, params.cursor)),
    )
    .onRequest(on.session.close, ({ params }) =>
      editor.withRequestErrors(() => editor.close(params.sessionId)),
    )
    .onRequest(on.session.prompt, ({ params, signal }) =>
      editor.withRequestErrors(() => editor.prompt(params, signal)),
    )
    .onNotification(on.session.cancel, ({ params }) => editor.cancel(params.sessionId))
    .connect(answered.stream);
  // At once when it closes, and before pending answers are rejected: leaving denies nothing.
  connection.signal.addEventListener("abort", () => editor.leave(), { once: true });
  const stop = () => connection.close(parts.signal.reason);
  if (parts.signal.aborted) stop();
  parts.signal.addEventListener("abort", stop, { once: true });
  try {
    await connection.closed;
  } finally {
    parts.signal.removeEventListener("abort", stop);
    await editor[Symbol.asyncDispose]();
  }
  const { reason } = connection.signal;
  if (reason instanceof MessageTooLargeError)
    throw new HarnessError("BodyTooLarge", { limit: String(ACP_MESSAGE_BYTES_MAX) }, { cause: reason });
}

interface Attached {
  readonly connection: Connection;
  readonly engine: AcpEngine;
}

interface Loading {
  readonly client: AgentContext;
  readonly requestId: JsonRpcId;
  /** True if past events are sent again. */
  readonly shows: boolean;
}

/** One editor: its open sessions, and the translation of its requests into commands of its one client. */
class Editor implements AsyncDisposable {
  readonly #parts: AcpDependencies;
  readonly #answered: AnsweredStream;
  readonly #sessions = new Map<string, AcpSession>();
  #label = "an editor (ACP)";
  #attaching: Promise<Attached> | undefined;
  #isLeft = false;

  constructor(parts: AcpDependencies, answered: AnsweredStream) {
    this.#parts = parts;
    this.#answered = answered;
  }

  initialize({ clientInfo }: InitializeRequest): InitializeResponse {
    const name = clientInfo?.title ?? clientInfo?.name;
    if (name !== undefined) this.#label = `${shortened(name, LABEL_CHARACTERS_MAX)} (ACP)`;
    return {
      protocolVersion: ACP_VERSION,
      agentInfo: { name: "cinch", title: "cinch", version: this.#parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      // A program that starts this has the keys of its owner already.
      authMethods: [],
    };
  }

  async begin(
    { cwd, additionalDirectories = [], mcpServers }: NewSessionRequest,
    client: AgentContext,
    requestId: JsonRpcId,
  ): Promise<NewSessionResponse> {
    if (additionalDirectories.length > 0)
      throw new HarnessError("InvalidPath", { why: "additionalDirectories: a session has one folder" });
    this.#assertRoom();
    const { connection, engine } = await this.#attached();
    const { session, notices } = await created(connection, await engine.fresh(cwd));
    const commands = offeredBy(connection);
    const opened = this.#open({ client, connection, name: session, session, workingDir: cwd, commands });
    this.#answered.after(requestId, () => {
      opened.begin(0);
      this.#greet(opened, { mcpServers, notices });
    });
    return { sessionId: session };
  }

  async load(
    { sessionId: name, mcpServers }: LoadSessionRequest,
    { client, requestId, shows }: Loading,
  ): Promise<Record<string, never>> {
    if (!isId("sess", name)) throw new HarnessError("UnknownSession", { id: shortened(name, 40) });
    this.#assertRoom();
    const { connection, engine } = await this.#attached();
    const info = await connection.query({ kind: "GetSession", sessionId: name, last: 0 });
    const { session, notices } = info.live
      ? { session: info.session, notices: [] }
      : await created(connection, { ...(await engine.fresh(info.working_dir)), resume: info.log });
    this.#sessions.get(name)?.close();
    const place = { workingDir: info.working_dir, commands: offeredBy(connection) };
    const opened = this.#open({ client, connection, name, session, ...place });
    if (shows) await opened.replay(info.events);
    else opened.begin(info.events);
    this.#answered.after(requestId, () => this.#greet(opened, { mcpServers, notices }));
    return {};
  }

  async list(
    cwd: string | null | undefined,
    cursor: string | null | undefined,
  ): Promise<ListSessionsResponse> {
    // No cursor was ever given: a first page for it would make the editor ask for ever.
    if (typeof cursor === "string") throw new HarnessError("InvalidPath", { why: "cursor: it is unknown" });
    const { connection } = await this.#attached();
    const { sessions } = await connection.query({ kind: "ListSessions", past: true, limit: LISTED_MAX });
    const wanted = sessions.filter(
      ({ turns, working_dir }) =>
        turns > 0 && (typeof cwd !== "string" || relativeWithin(cwd, working_dir) === ""),
    );
    return {
      sessions: wanted.map(({ session, working_dir, title, updated_at }) => ({
        sessionId: session,
        cwd: working_dir,
        title,
        updatedAt: updated_at,
      })),
    };
  }

  async prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const session = this.#session(sessionId);
    const { connection } = await this.#attached();
    const list = () => listed(connection, session.session);
    const asked = await readPromptCommand(prompt, session.session, list);
    const send = async (content: readonly ContentBlock[], wants = {}) => {
      const input = {
        kind: "SendInput",
        sessionId: session.session,
        content: promptInput(content),
        ...wants,
      };
      return await session.prompt(readCommand(input), signal);
    };
    switch (asked.kind) {
      case "input":
        return await send(asked.prompt, asked.wants);
      case "prompt": {
        const { prompt: text } = await connection.query(asked.query, signal);
        return await send([{ type: "text", text }, ...asked.rest]);
      }
      case "command": {
        const done = asked.done(await session.command(asked.command));
        if (done !== "") await session.say(done);
        return { stopReason: "end_turn" };
      }
      case "refused":
        await session.say(asked.why);
        return { stopReason: "end_turn" };
    }
  }

  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.cancel();
  }

  async close(sessionId: string): Promise<Record<string, never>> {
    const session = this.#session(sessionId);
    session.cancel();
    session.close();
    this.#sessions.delete(sessionId);
    return {};
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
    for (const session of this.#sessions.values()) session.close();
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
    const connection = engine.port.attach({ identityClass: "human", label: this.#label });
    await connection.handshake(PROTOCOL_VERSION);
    return { engine, connection };
  }

  #open(parts: Omit<ConstructorParameters<typeof AcpSession>[0], "log">): AcpSession {
    const session = new AcpSession({ ...parts, log: this.#parts.world.log });
    if (this.#isLeft) session.close();
    else this.#sessions.set(parts.name, session);
    return session;
  }

  #session(name: string): AcpSession {
    const session = this.#sessions.get(name);
    if (session === undefined) throw new HarnessError("UnknownSession", { id: shortened(name, 40) });
    return session;
  }

  #assertRoom(): void {
    if (this.#sessions.size < EDITOR_SESSIONS_MAX) return;
    const why = `${EDITOR_SESSIONS_MAX} sessions are open in this editor; close one`;
    throw new HarnessError("InvalidCommand", { kind: "CreateSession", why });
  }

  /** Sends the facts of a session that the editor has opened, once it knows its name. */
  #greet(session: AcpSession, { mcpServers, notices }: Greeting): void {
    const greeting = async () => {
      await session.offer();
      const names = mcpServers.map(({ name }) => shortened(name, LABEL_CHARACTERS_MAX)).join(", ");
      const unconnected =
        names === ""
          ? []
          : [`MCP servers of the editor are not connected in this version of cinch: ${names}`];
      for (const notice of [...notices, ...unconnected]) await session.say(`${verbatimLine(notice)}\n\n`);
    };
    greeting().catch((thrown: unknown) => requestError(thrown, this.#parts.world.log));
  }
}

/** Asks for the slash commands of a session. */
async function listed(connection: Connection, sessionId: SessionId): Promise<readonly SlashCommandInfo[]> {
  return (await connection.query({ kind: "ListSlashCommands", sessionId })).slash_commands;
}

function offeredBy(connection: Connection): ConstructorParameters<typeof AcpSession>[0]["commands"] {
  return async (session) => availableCommands(await listed(connection, session));
}

interface Greeting {
  readonly mcpServers: readonly McpServer[];
  readonly notices: readonly string[];
}

interface Created {
  readonly session: SessionId;
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

/** Creates a session, or a new run on the log of one that has ended. */
async function created(connection: Connection, request: CommandOf<"CreateSession">): Promise<Created> {
  const { sessionId: session, result } = await connection.send(request);
  if (session === undefined) throw new HarnessError("EngineStopping", {});
  const notices = arrayAt(result, "notices").filter((notice) => typeof notice === "string");
  return { session, notices };
}

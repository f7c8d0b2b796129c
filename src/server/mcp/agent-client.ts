import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import { plain } from "../../base/text/text.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import { readCommand } from "../../protocol/read.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { AttachRequest } from "../../session/access/attach-request.ts";
import { RIGHTS } from "../../session/access/rights.ts";
import type { Scope } from "../../session/access/scope.ts";
import { allowsCommand } from "../../session/access/scope.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { sessionIdIn } from "../hub/follow-request.ts";
import { OWN_KEY } from "./words.ts";

const LABEL_CHARACTERS_MAX = 100;

export interface AgentClientParts {
  readonly engine: EnginePort;
  /** What its token allows. */
  readonly scope: Scope;
  /** The session that it works with where it names none. */
  readonly session?: SessionId;
  /**
   * It works with one session all its life: the first that it creates or attaches to. From then on it sees no other
   * (CTL-08).
   */
  readonly isBound?: boolean;
  /** What a session that it begins is like where it does not say. */
  readonly fresh?: FreshSession;
  /** Told of each session that it begins to work with, before anything is done in it. Never rejects. */
  readonly onSession?: (session: SessionId) => Promise<void>;
}

export interface FreshSession {
  readonly profile?: string | undefined;
  readonly model?: string | undefined;
  readonly workingDir?: string | undefined;
}

/** What a client tells of itself when it introduces itself. */
export interface Introduction {
  readonly name?: string | undefined;
  readonly capabilities?: { readonly experimental?: unknown } | undefined;
}

/**
 * One MCP client as the engine meets it: always of class agent, whatever its token says, since whoever speaks MCP is a
 * program (hard rule 11). It attaches when it first needs the engine.
 */
export class AgentClient implements AsyncDisposable {
  readonly #parts: AgentClientParts;
  #introduction: Introduction = {};
  #attaching: Promise<Connection> | undefined;
  #session: SessionId | undefined;
  #narrowed: Scope | undefined;
  #beginning: Promise<SessionId> | undefined;
  #isToldOf = false;
  /** Its session was given to it, and may have ended long ago. */
  #isUnattached: boolean;
  readonly #left: Promise<Connection>[] = [];
  /** The sessions that it has begun, and those that it has sent input to. */
  readonly #made = new Set<SessionId>();
  readonly #prompted = new Set<SessionId>();

  constructor(parts: AgentClientParts) {
    this.#parts = parts;
    const { sessions } = parts.scope;
    const only = sessions !== "all" && sessions.length === 1 ? sessions[0] : undefined;
    this.#session = parts.session ?? only;
    this.#isUnattached = this.#session !== undefined;
    if (parts.isBound === true && this.#session !== undefined) this.#narrow(this.#session);
  }

  get engine(): EnginePort {
    return this.#parts.engine;
  }

  /** What it may see now. */
  get scope(): Scope {
    return this.#narrowed ?? this.#parts.scope;
  }

  /** How it asks queries: always as an agent. */
  get asking(): Pick<AttachRequest, "identityClass" | "scope"> {
    return { identityClass: "agent", scope: this.scope };
  }

  /** Scope of its token, whichever session it works with. */
  get granted(): Scope {
    return this.#parts.scope;
  }

  /** The session that it works with where it names none; absent: none yet. */
  get session(): SessionId | undefined {
    return this.#session;
  }

  introduce(introduction: Introduction): void {
    this.#introduction = introduction;
  }

  /** @throws HarnessError HandshakeVersionMismatch. */
  async connection(): Promise<Connection> {
    this.#attaching ??= this.#attach().catch((thrown: unknown) => {
      this.#attaching = undefined;
      throw thrown;
    });
    return await this.#attaching;
  }

  /**
   * The session that a request is about: the one it names, else the one that this client works with, else a new one.
   * @throws HarnessError InvalidSessionID; what CreateSession is refused with.
   */
  async sessionFor(named: string | undefined): Promise<SessionId> {
    if (named !== undefined) return sessionIdIn(named);
    if (this.#session === undefined) return await this.#begun({});
    if (this.#isUnattached && allowsCommand(this.scope, "AttachSession")) await this.attachTo(this.#session);
    return this.#session;
  }

  /** As `sessionFor`, where it begins none. @throws HarnessError InvalidSessionID, InvalidCommand where it has none. */
  existing(named: string | undefined): SessionId {
    if (named !== undefined) return sessionIdIn(named);
    if (this.#session !== undefined) return this.#session;
    const why =
      "sessionId: this client works with no session yet; name one, or begin one with harness.create_session";
    throw new HarnessError("InvalidCommand", { kind: "(none)", why });
  }

  /**
   * Begins a session, or a new run on a log, and works with it from now on.
   * @throws HarnessError InvalidCommand where it is bound to one already; what CreateSession is refused with.
   */
  async create(request: FreshSession & { readonly resume?: string | undefined }): Promise<SessionId> {
    if (this.#parts.isBound !== true) return await this.#create(request);
    if (this.#narrowed !== undefined || this.#beginning !== undefined) {
      const which = this.#session ?? "the session that it is beginning";
      const why = `this process works with ${which} alone: start another cinch mcp for another session`;
      throw new HarnessError("InvalidCommand", { kind: "CreateSession", why });
    }
    return await this.#begun(request);
  }

  /** @throws HarnessError what AttachSession is refused with. */
  async attachTo(id: SessionId): Promise<SessionId> {
    const accepted = await (await this.connection()).send({ kind: "AttachSession", sessionId: id });
    const run = accepted.sessionId ?? id;
    this.#workWith(run);
    await this.#parts.onSession?.(run);
    return run;
  }

  /** Notes that it begins turns in a session, which it may cancel. */
  prompts(id: SessionId): void {
    this.#prompted.add(id);
  }

  /**
   * Keeps it from deciding over a session of a person that it has only attached to. The engine cannot tell: since then it
   * knows this client by that session alone, as if its token named it.
   * @throws HarnessError Forbidden.
   */
  assertMayDecide(kind: CommandKind, id: SessionId): void {
    const isNarrowed = this.#narrowed !== undefined && this.#parts.scope.sessions === "all";
    if (!isNarrowed || RIGHTS[kind] !== "decide" || this.#made.has(id)) return;
    if (kind === "CancelTurn" && this.#prompted.has(id)) return;
    throw new HarnessError("Forbidden", { what: `${kind} in a session that this client has not begun` });
  }

  /** True for one session once: its banner has not been told yet. */
  takeBanner(): boolean {
    const isFirst = !this.#isToldOf;
    this.#isToldOf = true;
    return isFirst;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = this.#attaching === undefined ? this.#left : [...this.#left, this.#attaching];
    for (const attaching of all) {
      const connection = await attaching.catch(() => undefined); // its failure was told to whoever asked for it
      await connection?.[Symbol.asyncDispose]();
    }
  }

  #begun(request: FreshSession & { readonly resume?: string | undefined }): Promise<SessionId> {
    this.#beginning ??= this.#create(request).finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  async #create(request: FreshSession & { readonly resume?: string | undefined }): Promise<SessionId> {
    const command = readCommand({ kind: "CreateSession", ...this.#parts.fresh, ...given(request) });
    const { sessionId: made } = await (await this.connection()).send(command);
    if (made === undefined)
      throw new HarnessError("InternalError", { what: "a session was made without an id" });
    this.#made.add(made);
    this.#workWith(made);
    await this.#parts.onSession?.(made);
    return made;
  }

  #workWith(id: SessionId): void {
    this.#session = id;
    this.#isUnattached = false;
    if (this.#parts.isBound !== true || this.#narrowed !== undefined) return;
    this.#narrow(id);
    // What comes from now on is held to this session by the engine; what it follows already goes on.
    if (this.#attaching !== undefined) this.#left.push(this.#attaching);
    this.#attaching = undefined;
  }

  #narrow(id: SessionId): void {
    this.#narrowed = { ...this.#parts.scope, sessions: [id] };
  }

  async #attach(): Promise<Connection> {
    const { name = "", capabilities } = this.#introduction;
    const label = plain(name, LABEL_CHARACTERS_MAX).trim();
    const connection = this.engine.attach({
      identityClass: "agent",
      label: label === "" ? "mcp" : label,
      scope: this.scope,
    });
    const experimental: unknown = capabilities?.experimental;
    const own: unknown =
      typeof experimental === "object" && experimental !== null
        ? Reflect.get(experimental, OWN_KEY)
        : undefined;
    await connection.handshake(stringAt(own, "protocol_version") ?? PROTOCOL_VERSION);
    return connection;
  }
}

/** Without what is undefined, which would take the place of what stands for it. */
function given<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>;
}

import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
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
import { OWN_KEY } from "./mcp-names.ts";

export interface AgentClientDependencies {
  readonly engine: EnginePort;
  /** Rights of its token. */
  readonly scope: Scope;
  /** Session of requests that name none. */
  readonly session?: SessionId;
  /**
   * True if it works with one session all its life: the first that it creates or attaches to. From then on it sees no
   * other (CTL-08).
   */
  readonly isBound?: boolean;
  /** Defaults of a session that it creates. */
  readonly fresh?: FreshSession;
  /** Called with each session that it starts to work with, before anything is done in it. Never rejects. */
  readonly onSession?: (session: SessionId) => Promise<void>;
}

export interface FreshSession {
  readonly profile?: string | undefined;
  readonly model?: string | undefined;
  readonly workingDir?: string | undefined;
}

/** Name and version that a client sends when it introduces itself. */
export interface Introduction {
  readonly name?: string | undefined;
  readonly capabilities?: { readonly experimental?: unknown } | undefined;
}

/**
 * One MCP client as the engine sees it: always of class agent, whatever its token says, since an MCP client is a
 * program (hard rule 11). It attaches when it first needs the engine.
 */
export class AgentClient implements AsyncDisposable {
  readonly #parts: AgentClientDependencies;
  #introduction: Introduction = {};
  #attaching: Promise<Connection> | undefined;
  #session: SessionId | undefined;
  #narrowed: Scope | undefined;
  #beginning: Promise<SessionId> | undefined;
  #isToldOf = false;
  /** True if its session was given to it, and may have ended long ago. */
  #isUnattached: boolean;
  readonly #left: Promise<Connection>[] = [];
  /** Sessions that it has created, and those that it has sent input to. */
  readonly #made = new Set<SessionId>();
  readonly #prompted = new Set<SessionId>();

  constructor(parts: AgentClientDependencies) {
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

  /** Its current scope. */
  get scope(): Scope {
    return this.#narrowed ?? this.#parts.scope;
  }

  /** Identity of its queries: always an agent's. */
  get asking(): Pick<AttachRequest, "identityClass" | "scope"> {
    return { identityClass: "agent", scope: this.scope };
  }

  /** Scope of its token, whichever session it works with. */
  get granted(): Scope {
    return this.#parts.scope;
  }

  /** Session of requests that name none; undefined: none yet. */
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
   * Returns the session that a request is about: the one it names, else the one that this client works with, else a
   * new one.
   * @throws HarnessError InvalidSessionID; the refusal of CreateSession.
   */
  async sessionFor(named: string | undefined): Promise<SessionId> {
    if (named !== undefined) return sessionIdIn(named);
    if (this.#session === undefined) return await this.#beginSession({});
    if (this.#isUnattached && allowsCommand(this.scope, "AttachSession")) await this.attachTo(this.#session);
    return this.#session;
  }

  /** Does the same and creates none. @throws HarnessError InvalidSessionID, InvalidCommand if it has none. */
  existing(named: string | undefined): SessionId {
    if (named !== undefined) return sessionIdIn(named);
    if (this.#session !== undefined) return this.#session;
    const why =
      "sessionId: this client works with no session yet; name one, or begin one with harness.create_session";
    throw new HarnessError("InvalidCommand", { kind: "(none)", why });
  }

  /**
   * Creates a session, or a new run on a log, and works with it from now on.
   * @throws HarnessError InvalidCommand if it is bound to one already; the refusal of CreateSession.
   */
  async create(request: FreshSession & { readonly resume?: string | undefined }): Promise<SessionId> {
    if (this.#parts.isBound !== true) return await this.#create(request);
    if (this.#narrowed !== undefined || this.#beginning !== undefined) {
      const which = this.#session ?? "the session that it is beginning";
      const why = `this process works with ${which} alone: start another cinch mcp for another session`;
      throw new HarnessError("InvalidCommand", { kind: "CreateSession", why });
    }
    return await this.#beginSession(request);
  }

  /** @throws HarnessError the refusal of AttachSession. */
  async attachTo(id: SessionId): Promise<SessionId> {
    const accepted = await (await this.connection()).send({ kind: "AttachSession", sessionId: id });
    const run = accepted.sessionId ?? id;
    this.#workWith(run);
    await this.#parts.onSession?.(run);
    return run;
  }

  /** Notes that it starts turns in a session, which it may cancel. */
  noteTurns(id: SessionId): void {
    this.#prompted.add(id);
  }

  /**
   * Keeps it from deciding over a session of a person that it has only attached to. The engine cannot know: it now sees
   * this client as bound to that session, as if its token named it.
   * @throws HarnessError Forbidden.
   */
  assertMayDecide(kind: CommandKind, id: SessionId): void {
    const isNarrowed = this.#narrowed !== undefined && this.#parts.scope.sessions === "all";
    if (!isNarrowed || RIGHTS[kind] !== "decide" || this.#made.has(id)) return;
    if (kind === "CancelTurn" && this.#prompted.has(id)) return;
    throw new HarnessError("Forbidden", { what: `${kind} in a session that this client has not begun` });
  }

  /** Returns true once for each session: its banner has not been sent yet. */
  takeBanner(): boolean {
    const isFirst = !this.#isToldOf;
    this.#isToldOf = true;
    return isFirst;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = this.#attaching === undefined ? this.#left : [...this.#left, this.#attaching];
    for (const attaching of all) {
      const connection = await attaching.catch(() => undefined); // the caller got its failure
      await connection?.[Symbol.asyncDispose]();
    }
  }

  #beginSession(request: FreshSession & { readonly resume?: string | undefined }): Promise<SessionId> {
    this.#beginning ??= this.#create(request).finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  async #create(request: FreshSession & { readonly resume?: string | undefined }): Promise<SessionId> {
    const command = readCommand({
      kind: "CreateSession",
      ...this.#parts.fresh,
      ...withoutUndefined(request),
    });
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
    // New requests are restricted to this session by the engine; subscriptions continue.
    if (this.#attaching !== undefined) this.#left.push(this.#attaching);
    this.#attaching = undefined;
  }

  #narrow(id: SessionId): void {
    this.#narrowed = { ...this.#parts.scope, sessions: [id] };
  }

  async #attach(): Promise<Connection> {
    const { name = "", capabilities } = this.#introduction;
    const connection = this.engine.attach({
      identityClass: "agent",
      label: name.trim() === "" ? "mcp" : name,
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

/** Drops undefined fields, which would override defaults. */
function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<T>;
}

import type { EventSeq, SessionId } from "../base/ids.ts";
import type { Connection } from "../protocol/connection.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type {
  Health,
  McpServerInfo,
  ModelInfo,
  ProfileInfo,
  ProviderInfo,
  RuntimeInfo,
  SessionInfo,
  SkillInfo,
  SkillText,
  SlashCommandInfo,
  TaskInfo,
  ToolInfo,
} from "../protocol/resources.ts";
import type { Scope } from "./access/scope.ts";
import type { AttachRequest } from "./attach-request.ts";
import type { Served } from "./handshake.ts";

/** What a wire meets of the engine. Rules live behind it; a wire only carries. */
export interface EnginePort {
  attach(request: AttachRequest): Connection;
  readonly catalogue: Catalogue;
  readonly served: Served;
}

export interface SessionsQuery {
  /** Those that have ended too. */
  readonly past: boolean;
  /** At most so many, the newest first. */
  readonly limit: number;
}

/**
 * What there is to look at in an engine, in the shapes of `protocol/resources.ts` (CTL-15).
 *
 * What belongs to sessions is told within a scope: what lies outside of it is not listed, and is refused by its id
 * (AUTH-07). Without one, it is for whoever may see everything.
 */
export interface Catalogue {
  sessions(query: SessionsQuery, scope: Scope): Promise<readonly SessionInfo[]>;
  /** @throws HarnessError Forbidden, UnknownSession. */
  session(id: SessionId, scope: Scope): Promise<SessionInfo>;
  /**
   * What the log of a session holds above an event, in order, with a StreamGap where content has expired; it ends where
   * the log ended when it was asked.
   * @throws HarnessError Forbidden, UnknownSession.
   */
  log(id: SessionId, since: EventSeq, scope: Scope): AsyncIterable<Envelope>;
  /** @throws HarnessError Forbidden, UnknownSession. */
  tasks(id: SessionId, scope: Scope): Promise<readonly TaskInfo[]>;
  profiles(): Promise<readonly ProfileInfo[]>;
  /** @throws HarnessError UnknownResource, ConfigInvalid. */
  profile(name: string): Promise<ProfileInfo>;
  providers(): Promise<readonly ProviderInfo[]>;
  /**
   * The providers, each that is set up with its models, or with why those could not be had in time.
   * @throws the signal's reason.
   */
  providerCatalogues(signal: AbortSignal): Promise<readonly ProviderInfo[]>;
  /** @throws HarnessError UnknownProvider, and what the provider fails with. */
  models(provider: string, signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Those of cinch, and what the sessions that run here have beside them; or all that one of these has. */
  tools(session?: SessionId, scope?: Scope): Promise<readonly ToolInfo[]>;
  skills(scope?: Scope): Promise<readonly SkillInfo[]>;
  /** @throws HarnessError UnknownResource. */
  skill(name: string, scope?: Scope): Promise<SkillText>;
  /** Those of every session, and what the sessions that run here add: one of them, or all. */
  slashCommands(session?: SessionId, scope?: Scope): Promise<readonly SlashCommandInfo[]>;
  mcpServers(scope?: Scope): Promise<readonly McpServerInfo[]>;
  /** Tells nothing private: it is answered without a token. */
  health(): Health;
  /** The process and how many sessions it has. @throws HarnessError Forbidden for a scope of some sessions. */
  runtime(scope?: Scope): RuntimeInfo;
}

import type { EventSeq, SessionId } from "../../src/base/ids.ts";
import type { Scope } from "../../src/session/access/scope.ts";
import { EVERYTHING } from "../../src/session/access/scope.ts";
import type { EnginePort } from "../../src/session/engine-port.ts";

/** Queries of an engine as a person with a scope asks them, each with the part of its answer that a test looks at. */
export function reading({ query, log }: Pick<EnginePort, "query" | "log">) {
  const as = (scope: Scope = EVERYTHING) =>
    ({ identityClass: "human", scope, signal: new AbortController().signal }) as const;
  return {
    sessions: async (fields: { readonly past: boolean; readonly limit: number }, scope?: Scope) =>
      (await query({ kind: "ListSessions", ...fields }, as(scope))).sessions,
    session: async (sessionId: SessionId, scope?: Scope, last = 0) =>
      await query({ kind: "GetSession", sessionId, last }, as(scope)),
    log: (id: SessionId, since: EventSeq, scope: Scope) => log(id, since, scope),
    tasks: async (sessionId: SessionId, scope?: Scope) =>
      (await query({ kind: "ListTasks", sessionId }, as(scope))).tasks,
    profile: async (name: string) => await query({ kind: "GetProfile", name }, as()),
    providerCatalogues: async () => (await query({ kind: "ListProviders", models: true }, as())).providers,
    tools: async (sessionId?: SessionId, scope?: Scope) =>
      (await query({ kind: "ListTools", sessionId }, as(scope))).tools,
    skills: async (scope?: Scope) => (await query({ kind: "ListSkills" }, as(scope))).skills,
    skill: async (name: string, scope?: Scope) => await query({ kind: "GetSkill", name }, as(scope)),
    slashCommands: async (sessionId?: SessionId, scope?: Scope) =>
      (await query({ kind: "ListSlashCommands", sessionId }, as(scope))).slash_commands,
    mcpServers: async (scope?: Scope) => (await query({ kind: "ListMcpServers" }, as(scope))).servers,
    runtime: async () => await query({ kind: "GetRuntime" }, as()),
  };
}

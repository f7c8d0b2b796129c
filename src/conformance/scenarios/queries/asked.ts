import type { SessionId } from "../../../base/ids.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { ParamsOf } from "../../../protocol/queries/queries.ts";

/** Subject of the queries: a session with one turn that made a call, and names in its engine. */
export interface AskedAbout {
  readonly sessionId: SessionId;
  readonly profile: string;
  readonly provider: string;
  readonly model: string;
}

/** Fields that each query is asked with. A query without an entry does not compile. */
export const ASKED_FIELDS: { readonly [Kind in QueryKind]: (about: AskedAbout) => ParamsOf<Kind> } = {
  ListSessions: () => ({ past: true, limit: 20 }),
  GetSession: ({ sessionId }) => ({ sessionId }),
  ListTasks: ({ sessionId }) => ({ sessionId }),
  GetHealth: () => ({}),
  GetRuntime: () => ({}),
  ListProfiles: () => ({}),
  GetProfile: ({ profile }) => ({ name: profile }),
  ListProviders: () => ({ models: false }),
  ListModels: ({ provider }) => ({ provider }),
  ListTools: ({ sessionId }) => ({ sessionId }),
  ListSkills: () => ({}),
  GetSkill: () => ({ name: "unheard" }),
  ListSlashCommands: ({ sessionId }) => ({ sessionId }),
  ListMcpServers: () => ({}),
  FindSession: ({ sessionId }) => ({ text: sessionId }),
  GetSessionProfile: ({ sessionId }) => ({ sessionId }),
  CheckProfile: ({ sessionId, profile }) => ({ sessionId, profile }),
  ListAgents: ({ sessionId }) => ({ sessionId }),
  ExpandPrompt: ({ sessionId }) => ({ sessionId, name: "unheard", args: ["now"] }),
  ExpandMcpPrompt: ({ sessionId }) => ({ sessionId, name: "unheard.prompt" }),
  ListPrices: ({ model }) => ({ models: [model] }),
  GetEngineHealth: () => ({}),
  GetWebClient: () => ({}),
  ListExpiring: () => ({}),
  ListTurns: ({ sessionId }) => ({ sessionId, limit: 10 }),
  ListItems: ({ sessionId }) => ({ sessionId, after: 0, limit: 10 }),
  GetItem: ({ sessionId }) => ({ sessionId, event: 1 }),
  Complete: ({ sessionId }) => ({ sessionId, text: "/mo", cursor: 3 }),
  GetSpend: ({ sessionId }) => ({ sessionId }),
  GetContext: ({ sessionId }) => ({ sessionId }),
  GetChanges: ({ sessionId }) => ({ sessionId, turn: 1, context: 0 }),
  GetWorkspace: ({ sessionId }) => ({ sessionId }),
  GetDraft: ({ sessionId }) => ({ sessionId, reader: "conformance" }),
  SearchSessions: ({ sessionId }) => ({ sessionId, text: "called" }),
  ListRules: ({ sessionId }) => ({ sessionId }),
  ListHooks: ({ sessionId }) => ({ sessionId }),
};

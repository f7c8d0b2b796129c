import type { Table } from "../table.ts";

/** What a configuration says of sub-agents (ENG-10). What is absent stays at the built-in limit. */
export interface AgentKeys {
  /** Provider calls of one sub-agent whose definition says nothing. */
  readonly roundsMax?: number;
  /** How deep they may stand in each other; 0 for none at all. */
  readonly depthMax?: number;
}

/** What a configuration says of tasks that are handed to a cheaper model (ENG-23). */
export interface DelegateKeys {
  /** `provider:name`. Absent: the cheapest model of the session's provider, as far as prices are known. */
  readonly model?: string;
}

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function delegateFrom(parent: Table): { readonly delegate?: DelegateKeys } {
  const table = parent.table("delegate");
  if (table === undefined) return {};
  const model = table.string("model");
  table.refuseUnknown();
  if (model !== undefined && !/^[^:\s]+:\S+$/.test(model))
    throw table.problem("model", `"${model}" is no model: write provider:name`);
  return { delegate: model === undefined ? {} : { model } };
}

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function agentsFrom(parent: Table): { readonly agents?: AgentKeys } {
  const table = parent.table("agents");
  if (table === undefined) return {};
  const roundsMax = table.integer("rounds", 1);
  const depthMax = table.integer("depth", 0);
  table.refuseUnknown();
  return {
    agents: {
      ...(roundsMax === undefined ? {} : { roundsMax }),
      ...(depthMax === undefined ? {} : { depthMax }),
    },
  };
}

import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { openAgents } from "./open-agents.ts";
import { openDelegate } from "./open-delegate.ts";

/** Opens the tools Agent and Delegate in one session. */
export function openSubagents(host: SessionHost): OpenFeature | undefined {
  const agents = openAgents(host);
  const delegate = openDelegate(host);
  if (agents === undefined) return delegate;
  return {
    ...agents,
    agentTools: (runner) => [
      ...(agents.agentTools?.(runner) ?? []),
      ...(delegate?.agentTools?.(runner) ?? []),
    ],
  };
}

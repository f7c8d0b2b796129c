import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { openAgents } from "./open-agents.ts";
import { openDelegate } from "./open-delegate.ts";
import { RunningAgents } from "./tools/running-agents.ts";

/** Opens the tools Agent and Delegate in one session. */
export function openSubagents(host: SessionHost): OpenFeature | undefined {
  const running = new RunningAgents(host.world.ids);
  const { commands } = running;
  const agents = openAgents(host, running);
  const delegate = openDelegate(host, running);
  if (agents === undefined) return delegate === undefined ? undefined : { ...delegate, commands };
  return {
    ...agents,
    commands,
    agentTools: (runner) => [
      ...(agents.agentTools?.(runner) ?? []),
      ...(delegate?.agentTools?.(runner) ?? []),
    ],
  };
}

import type { CallId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { Cost } from "../costs/cost.ts";
import { addCost, NO_COST } from "../costs/cost.ts";
import { isMissing } from "../follow.ts";
import { callSummary } from "../texts/call-summary.ts";
import type { OpenCalls } from "./calls/open-calls.ts";
import type { UncertainEntry } from "./gaps/uncertain.ts";
import { uncertainValues } from "./gaps/uncertain.ts";

/** Sub-agents that are kept; beyond that the oldest that has ended is forgotten, or the oldest of all. */
export const SUB_AGENTS_MAX = 100;
const SUMMARY_CHARACTERS_MAX = 200;

/** A sub-agent of a session. An uncertain one may have ended, or have begun another turn. */
export interface SubAgent extends UncertainEntry {
  /** The call that runs the sub-agent whose sub-agent this is. */
  readonly parentCall?: CallId;
  /** Summary of the call that runs it; nothing in it can drive a terminal. */
  readonly summary: string;
  readonly cost: Cost;
  readonly isRunning: boolean;
  /** Reason of the end of its last turn. */
  readonly ended?: TurnEndReason;
}

/** Sub-agents of a run by the calls that run them, the oldest first. */
export type SubAgents = ReadonlyMap<CallId, SubAgent>;

export const NO_SUB_AGENTS: SubAgents = new Map();

/**
 * Returns the sub-agents after one more event; the same value if none of them changed.
 * @param before the running calls before the event, and true if events were missed: a new sub-agent may be an old one
 * that has ended.
 */
export function subAgentsAfter(
  agents: SubAgents,
  envelope: Envelope,
  before: { readonly calls: OpenCalls; readonly isUnknown: boolean },
): SubAgents {
  if (isMissing(envelope)) return agents.size > 0 ? uncertainValues(agents) : agents;
  const { parentCall } = envelope;
  if (parentCall === undefined) return ownAfter(agents, envelope);
  const known = agents.get(parentCall);
  const next = agentAfter(known ?? newAgent(parentCall, before), envelope);
  const withNext = next === known ? agents : withAgent(agents, parentCall, next);
  return envelope.kind === "ToolResult"
    ? stopped(withNext, (id) => id === envelope.payload.callId)
    : withNext;
}

/**
 * Ends sub-agents by events of the session's own agent: the result of their call, and the end of the turn or of
 * the run.
 */
function ownAfter(agents: SubAgents, { kind, payload }: Envelope): SubAgents {
  switch (kind) {
    case "ToolResult":
      return stopped(agents, (id) => id === payload.callId);
    case "TurnEnded":
    case "SessionEnded":
      return stopped(agents, () => true);
    case "TurnStarted":
      return stopped(agents, (_, { isUncertain }) => isUncertain === true);
    default:
      return agents;
  }
}

function newAgent(
  callId: CallId,
  { calls, isUnknown }: { readonly calls: OpenCalls; readonly isUnknown: boolean },
): SubAgent {
  const call = calls.get(callId);
  const text = call === undefined ? "sub-agent" : callSummary(call.tool, call.args);
  return {
    summary: shortened(text, SUMMARY_CHARACTERS_MAX),
    cost: NO_COST,
    isRunning: true,
    ...(call?.parentCall === undefined ? {} : { parentCall: call.parentCall }),
    ...(isUnknown ? { isUncertain: true } : {}),
  };
}

function agentAfter(agent: SubAgent, { kind, payload }: Envelope): SubAgent {
  switch (kind) {
    case "TurnStarted":
      return { ...certain(agent), isRunning: true };
    case "TurnEnded":
      return { ...certain(agent), isRunning: false, ended: payload.reason };
    case "CostIncremented":
      return { ...agent, cost: addCost(agent.cost, payload) };
    default:
      return agent;
  }
}

function withAgent(agents: SubAgents, callId: CallId, agent: SubAgent): SubAgents {
  const next = new Map(agents).set(callId, agent);
  if (next.size > SUB_AGENTS_MAX) {
    const [oldest] = next.keys();
    const ended = next.entries().find(([, { isRunning }]) => !isRunning)?.[0];
    next.delete(ended ?? oldest ?? callId);
  }
  return next;
}

function stopped(agents: SubAgents, isMeant: (callId: CallId, agent: SubAgent) => boolean): SubAgents {
  const isOpen = ({ isRunning, isUncertain }: SubAgent) => isRunning || isUncertain === true;
  if (!agents.entries().some(([id, agent]) => isOpen(agent) && isMeant(id, agent))) return agents;
  return new Map(
    [...agents].map(([id, each]) => [id, isMeant(id, each) ? { ...certain(each), isRunning: false } : each]),
  );
}

function certain({ isUncertain: _, ...agent }: SubAgent): SubAgent {
  return agent;
}

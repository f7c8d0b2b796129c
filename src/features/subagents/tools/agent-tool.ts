import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { nearestWords } from "../../../base/text/near.ts";
import { count } from "../../../base/text/text.ts";
import type { InputOf } from "../../../tools/arguments.ts";
import { errorOutput, textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { agentHint } from "../definitions/agent-hint.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { GENERAL_AGENT } from "../definitions/definition.ts";
import { grantedKinds, grantedPrograms, toolFilter } from "../definitions/grants.ts";
import { AGENT_FACTS } from "../tools.ts";
import type { RunningAgents } from "./running-agents.ts";
import { stoppedOutput } from "./running-agents.ts";
import type { SpawnAgent, SpawnedAgent } from "./spawn-agent.ts";
import { assertTask } from "./task.ts";

/** The longest time for one sub-agent, including its waits. No single task should take longer. */
export const AGENT_MS_MAX = 3_600_000;
/** Characters listed of each kind. The list is part of every request. */
const LISTED_CHARACTERS_MAX = 160;

export interface AgentToolDependencies {
  /** The kinds, including the built-in one. */
  readonly agents: readonly AgentDefinition[];
  readonly spawn: SpawnAgent;
  readonly running: RunningAgents;
  readonly roundsMax: number;
  readonly depthMax: number;
  /** True if only ToolSearch finds it. */
  readonly lazy: boolean;
}

/** Returns the input schema, which lists every kind with its description. */
function inputSchema(agents: readonly AgentDefinition[]) {
  return {
    type: "object",
    properties: {
      type: { enum: agents.map(({ name }) => name), description: agents.map(listed).join("\n") },
      prompt: { type: "string", description: "the whole task, with all that it must know" },
      description: { type: "string", description: "three to five words for people" },
      worktree: { type: "boolean", description: "work in a git worktree of its own" },
    },
    required: ["prompt"],
  } as const;
}

type AgentInput = InputOf<ReturnType<typeof inputSchema>>;

interface AgentPlan extends CallPlan {
  readonly agent: AgentDefinition;
  readonly prompt: string;
  readonly worktree: boolean;
}

/**
 * Gives a task to a sub-agent and answers with its last text (TOOL-05, ENG-10).
 *
 * The call itself is allowed, because each call of the sub-agent is judged by the session's permissions. A worktree
 * needs the level WorkspaceWrite.
 */
export function agentTool(dependencies: AgentToolDependencies): Tool<AgentPlan> {
  const { agents, spawn, running, depthMax, lazy } = dependencies;
  return {
    ...AGENT_FACTS,
    description:
      "Gives one task to a sub-agent with a fresh history, which knows only the prompt, and answers with its last message. For work whose details you do not need.",
    aliases: {},
    inputSchema: inputSchema(agents),
    msMax: AGENT_MS_MAX,
    ...(lazy ? { lazy: true } : {}),

    async plan(input, context) {
      const { type = GENERAL_AGENT.name, prompt, worktree } = input as AgentInput;
      const agent = findAgent(type, agents);
      refuseChain(agent, agents, { context, depthMax });
      assertTask(prompt);
      const inWorktree = worktree ?? agent.worktree;
      return {
        summary: `${AGENT_FACTS.name}:${agent.name}`,
        target: { kind: "none" },
        agent,
        prompt,
        worktree: inWorktree,
        ...(inWorktree
          ? { level: "WorkspaceWrite", levelWhy: "it makes a git worktree" }
          : { inPlanMode: true }),
      };
    },

    async run({ agent, prompt, worktree }, context) {
      const { callId: parentCall, originator, turn, signal, within } = context;
      const chain = [...(within?.agents ?? []), agent.name];
      const programs = grantedPrograms(agent);
      using own = running.open(parentCall, signal);
      try {
        const ended = await spawn({
          parentCall,
          ...(within === undefined ? {} : { within: within.parentCall }),
          agents: chain,
          originator,
          turn,
          hint: agentHint(agent),
          prompt,
          sees: toolFilter(agent, chain.length < depthMax),
          ...defined({ programs, model: agent.model }),
          roundsMax: agent.roundsMax ?? dependencies.roundsMax,
          worktree,
          signal: own.signal,
          running: own,
        });
        signal.throwIfAborted();
        const isStopped = own.isStopped && ended.reason === "cancelled";
        return isStopped ? stoppedOutput(ended.rounds) : answer(ended);
      } catch (thrown) {
        signal.throwIfAborted();
        if (own.isStopped) return stoppedOutput(0);
        if (thrown instanceof HarnessError) throw new ToolFailure(thrown.message, { cause: thrown });
        throw thrown;
      }
    },
  };
}

function listed({ name, description }: AgentDefinition): string {
  const short =
    description.length > LISTED_CHARACTERS_MAX
      ? `${description.slice(0, LISTED_CHARACTERS_MAX)}…`
      : description;
  return `${name}: ${short.toWellFormed()}`;
}

/** @throws ToolFailure that names the existing kinds. */
function findAgent(type: string, agents: readonly AgentDefinition[]): AgentDefinition {
  const agent = agents.find(({ name }) => name === type);
  if (agent !== undefined) return agent;
  const names = agents.map(({ name }) => name);
  const suggestions = nearestWords(type, names);
  const hint =
    suggestions.length > 0 ? `Did you mean ${suggestions.join(" or ")}?` : `There are: ${names.join(", ")}.`;
  throw new ToolFailure(`There is no sub-agent ${JSON.stringify(type.slice(0, 80))}. ${hint}`);
}

/**
 * Refuses to start a sub-agent below one of its own kind, because another of that kind would not solve the task either.
 */
function refuseChain(
  agent: AgentDefinition,
  agents: readonly AgentDefinition[],
  { context: { within }, depthMax }: { readonly context: ToolContext; readonly depthMax: number },
): void {
  const above = within?.agents ?? [];
  const chain = [...above, agent.name].join(" → ");
  if (agent.name !== GENERAL_AGENT.name && above.includes(agent.name))
    throw new ToolFailure(`Sub-agents may not start each other in a circle: ${chain}. Do it yourself.`);
  if (above.length >= depthMax)
    throw new ToolFailure(`Sub-agents stand at most ${depthMax} deep, and this would be one more: ${chain}.`);
  const caller = agents.find(({ name }) => name === above.at(-1));
  const kinds = caller === undefined ? undefined : grantedKinds(caller);
  if (kinds !== undefined && !kinds.includes(agent.name))
    throw new ToolFailure(`The sub-agent ${above.at(-1)} may start ${kinds.join(", ")} alone.`);
}

function answer({ text, reason, rounds, error, remarks }: SpawnedAgent): ToolOutput {
  const ending = reason === "complete" || reason === "yield" ? undefined : ENDINGS[reason];
  const after = count(rounds, "round");
  const notes = [
    ...(ending !== undefined && text !== ""
      ? [`The sub-agent was ended before it was done: ${ending}, after ${after}.`]
      : []),
    ...remarks,
  ];
  if (text === "") {
    const why = ending ?? "it said nothing";
    const cause = error === undefined ? "." : `: ${error}`;
    return errorOutput(
      [`The sub-agent gave no answer: ${why}, after ${after}${cause}`, ...remarks].join("\n"),
    );
  }
  return textOutput(notes.length === 0 ? text : `${text}\n\n${notes.map((note) => `[${note}]`).join("\n")}`);
}

const ENDINGS: Readonly<Partial<Record<SpawnedAgent["reason"], string>>> = {
  turn_limit: "it had come to its limit of rounds",
  no_progress: "it went in circles",
  length: "its answer was cut off at the output limit",
  budget: "the cost cap was reached",
  error: "it failed",
  cancelled: "it was cancelled",
  empty: "the model answered with nothing",
};

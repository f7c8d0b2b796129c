import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { DelegatedTask, DelegateRequest } from "../../../session/spawn.ts";
import type { InputOf } from "../../../tools/arguments.ts";
import { errorOutput, textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolOutput } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { DELEGATE_FACTS } from "../tools.ts";
import { AGENT_MS_MAX } from "./agent-tool.ts";
import type { RunningAgents } from "./running-agents.ts";
import { stoppedOutput } from "./running-agents.ts";
import { assertTask } from "./task.ts";

export interface DelegateToolDependencies {
  /** The cheaper model, as `provider:name`. */
  readonly model: string;
  readonly running: RunningAgents;
  readonly delegate: (request: DelegateRequest) => Promise<DelegatedTask>;
  /** True if only ToolSearch finds it. */
  readonly lazy: boolean;
}

const INPUT = {
  type: "object",
  properties: { prompt: { type: "string", description: "the whole task, with all that it must know" } },
  required: ["prompt"],
} as const;

interface DelegatePlan extends CallPlan {
  readonly prompt: string;
}

/**
 * Gives a task to a cheaper model in a separate session, waits for its end, and answers with its last text (ENG-23).
 *
 * The session has its own log, and clients can attach to it. Calls that nobody there allows are refused.
 */
export function delegateTool({
  model,
  delegate,
  running,
  lazy,
}: DelegateToolDependencies): Tool<DelegatePlan> {
  return {
    ...DELEGATE_FACTS,
    description:
      "Gives a simple task to a cheaper model in a session of its own, which knows only the prompt, and answers with its last message. What needs a person's consent is refused there.",
    aliases: {},
    inputSchema: INPUT,
    msMax: AGENT_MS_MAX,
    ...(lazy ? { lazy: true } : {}),

    plan(input) {
      const { prompt } = input as InputOf<typeof INPUT>;
      assertTask(prompt);
      // In plan mode the delegated session is in plan mode too, so that it changes nothing.
      const harmless = { target: { kind: "none" }, inPlanMode: true } as const;
      return Promise.resolve({ summary: DELEGATE_FACTS.name, ...harmless, prompt });
    },

    async run({ prompt }, { callId, signal, progress }) {
      using own = running.open(callId, signal);
      try {
        const onBegun = (session: string) => progress(`session ${session} (${model})\n`);
        const ended = await delegate({ callId, model, prompt, onBegun, signal: own.signal });
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

function answer({ text, reason, rounds, session, error }: DelegatedTask): ToolOutput {
  const whole = reason === "complete" || reason === "yield";
  const where = `session ${session}, ${count(rounds, "round")}`;
  if (text === "")
    return errorOutput(
      `There is no answer: it ended with "${reason}"${error === undefined ? "" : `: ${error}`} (${where}).`,
    );
  return textOutput(whole ? text : `${text}\n\n[It was ended before it was done: "${reason}" (${where}).]`);
}

import type { InputOf } from "../arguments.ts";
import { textOutput } from "../output.ts";
import type { Tool, ToolContext, ToolOutput } from "../tool.ts";
import { type CallPlan, ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import type { BackgroundRuns, RunReport } from "./background-runs.ts";

export const BASH_TASK_FACTS: ToolFacts = {
  name: "BashTask",
  packs: ["shell", "git"],
  effect: "session",
  mutating: true,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "execute",
  inSubAgents: "granted",
};

const INPUT = {
  type: "object",
  properties: { id: { type: "string" }, action: { enum: ["poll", "stop"] } },
  required: ["id", "action"],
} as const;

interface TaskPlan extends CallPlan {
  readonly id: string;
  readonly action: "poll" | "stop";
}

/**
 * Polls or stops commands that Bash started in the background. It needs no level, since it sees only runs of
 * this session.
 */
export function bashTaskTool(runs: BackgroundRuns): Tool<TaskPlan> {
  return {
    ...BASH_TASK_FACTS,
    description: "Polls a background Bash for its state and new output, or stops it.",
    aliases: {},
    inputSchema: INPUT,
    lazy: true,
    plan(input) {
      const { id, action } = input as InputOf<typeof INPUT>;
      const reads = action === "poll" ? ({ inPlanMode: true } as const) : {};
      return Promise.resolve({ summary: "BashTask", target: { kind: "none" }, ...reads, id, action });
    },
    run: (plan, context) => run(plan, context, runs),
  };
}

async function run(
  { id, action }: TaskPlan,
  { world }: ToolContext,
  runs: BackgroundRuns,
): Promise<ToolOutput> {
  if (action === "stop") await runs.stop(id);
  const report = await runs.poll(id, world);
  if (report === undefined) {
    const known = runs.ids().join(", ");
    throw new ToolFailure(
      `There is no background run ${id}. ${known === "" ? "None was started." : `Known: ${known}.`}`,
    );
  }
  const { state, what, hasSecrets } = report;
  const isEnded = (state === "done" || state === "failed") && hasSecrets !== true;
  const output = textOutput(render(id, report));
  return isEnded ? { ...output, ended: { command: what, failed: state === "failed" } } : output;
}

function render(id: string, { state, runningMs, output, exit, detail }: RunReport): string {
  const how = [
    ...(exit?.kind === "code" ? [`exit code ${exit.code}`] : []),
    ...(exit?.kind === "signal" ? [`ended by ${exit.signal}`] : []),
    ...(exit?.kind === "failed" ? [exit.error.message] : []),
    ...(detail === undefined ? [] : [detail]),
  ];
  const first = `[${[`${id} ${state}`, `${Math.round(runningMs / 1000)} s`, ...how].join(", ")}]`;
  return `${first}\n${output.replace(/\n+$/, "") || "(no new output)"}`;
}

import { BY_USER } from "../../../engine/loop/dispatch.ts";
import type { EngineDependencies } from "../../../engine/loop/turn.ts";
import { endSurvivors } from "../../../engine/recover.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { OpenShellRun } from "../../history/unfinished.ts";
import { shellInput } from "./shell-text.ts";

const OUTPUTS = {
  begun: errorOutput(
    "The process ended while this ran. Whether it took effect, wholly or in part, is unknown: look before you run it again.",
  ),
  waiting: errorOutput("not executed: the process ended before it"),
} as const;

/**
 * Ends the commands of people that a killed run left open (SES-03). None is run again, and nobody is asked: nothing
 * waits for their results. Their processes end first.
 */
export async function settleShellRuns(
  runs: readonly OpenShellRun[],
  { parts, turn }: { readonly parts: EngineDependencies; readonly turn: number },
): Promise<void> {
  if (runs.length === 0) return;
  const { bus, conversation, redaction, world } = parts;
  await endSurvivors(runs, parts);
  for (const { callId, command, toModel, hasBegun } of runs) {
    const output = hasBegun === true ? OUTPUTS.begun : OUTPUTS.waiting;
    if (hasBegun === true) {
      const completedAt = new Date(world.clock.now()).toISOString();
      bus.conclude({ callId, outcome: "error", completedAt }, { mutating: true });
    }
    const payload = { callId, content: [...output.content], isError: true, ...BY_USER };
    bus.publish({ kind: "ToolResult", payload });
    if (toModel) conversation.addAside(redaction.input(shellInput(command, output)), turn);
  }
  await bus.commit("power");
}

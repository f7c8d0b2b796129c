import type { CallPlan } from "../tool.ts";

/** Returns the plan of the same command outside of the sandbox; undefined if the call is no command. */
export function outsidePlan(plan: CallPlan): CallPlan | undefined {
  if (plan.target.kind !== "command") return undefined;
  return { ...plan, level: "DangerFullAccess", target: { ...plan.target, outside: true } };
}

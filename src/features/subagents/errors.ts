import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/subagents/`, with their texts for people. */
export const ERRORS = errorsOf({
  UnknownAgent: "There is no sub-agent '<name>'. <hint>",
  SubAgentFailed: "/agents:<name> has failed. <problem>",
  AgentInvalid: "A definition of a sub-agent is wrong: <problem>",
  WorktreeStays: "The worktree of a sub-agent is not removed: <problem>.",
  WorktreeFailed: "A git worktree cannot be had: <problem>.",
  TurnLimitReached:
    "The turn was ended at its limit of rounds (<rounds>). Send again to go on, or raise --max-turns.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  UnknownAgent: { status: 404, isUsage: true },
};

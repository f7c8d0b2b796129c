import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Reasons and texts of the errors of `features/subagents/`. */
export const ERRORS = errorsOf({
  UnknownAgent: "There is no sub-agent '<name>'. <hint>",
  SubAgentFailed: "/agents:<name> has failed. <problem>",
  AgentInvalid: "A definition of a sub-agent is wrong: <problem>",
  WorktreeStays: "The worktree of a sub-agent is not removed: <problem>.",
  WorktreeFailed: "Could not create a git worktree: <problem>.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  UnknownAgent: { status: 404, isUsage: true },
};

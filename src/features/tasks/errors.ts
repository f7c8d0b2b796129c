import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/tasks/`, with their texts for people. */
export const ERRORS = errorsOf({
  ScheduleUnusable: "The scheduled task cannot be made: <problem>.",
  ScheduleTaken:
    "There is a scheduled task '<name>' already. Take another name, or remove it first: cinch tasks remove <name>",
  ScheduleMissing: "There is no scheduled task '<name>'. List them with: cinch tasks list",
  ScheduleBusy: "The scheduled task '<name>' runs already, since <since>.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  ScheduleMissing: { status: 404, isUsage: true },
  ScheduleBusy: { status: 409 },
  ScheduleTaken: { isUsage: true },
  ScheduleUnusable: { isUsage: true },
};

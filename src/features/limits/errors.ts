import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/limits/`, with their texts for people. */
export const ERRORS = errorsOf({
  NoProgress:
    "The turn was ended because it made no progress: <what> <times> times in a row, last <call>. Say what to do differently, or raise repeated_failures or repeated_results in [limits] of the profile.",
  CostBudgetExceeded:
    "The next request could exceed the cost cap: $<spent> of $<cap> is spent. Raise --max-cost to go on.",
  CostUnknown:
    "There is a cost cap of $<cap>, but the price of <model> is unknown. The cap cannot be kept, and unknown_price refuses such calls. Set its price in config.toml, under [prices], or take the cap away: --max-cost, max_cost in config.toml, cost under [limits] in the profile.",
  CostUncapped:
    'The price of <model> is unknown: its calls do not count towards the cost cap of $<cap>. Set its price in config.toml, under [prices]; to refuse such calls, set unknown_price = "refuse" there.',
});

/** Their HTTP statuses and exit codes, and how they end a turn. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  NoProgress: { endsTurn: "no_progress" },
  CostBudgetExceeded: { status: 409, endsTurn: "budget" },
  CostUnknown: { status: 409, isUsage: true, endsTurn: "budget", isOfModel: true },
};

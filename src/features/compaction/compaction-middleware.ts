import type { CallId } from "../../base/ids.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { CompactionState } from "./compaction-state.ts";
import { FittedCall } from "./fitted-call.ts";

/**
 * Keeps every request within its model's window: the history is made smaller before a request that would fill it,
 * after a refusal as too long, and on demand (`/compact`) (SES-13).
 *
 * Never loops for ever: it waits until the history has grown, tries at most twice without gain, and then reports that
 * (R11). With an unknown window nothing is refused in advance: the provider decides.
 * @param state that of the session's own agent.
 * @throws HarnessError PromptTooLarge, CompactionStuck, before or instead of the request.
 */
export function compactionMiddleware(state: CompactionState): RequestMiddleware {
  /** States of sub-agents, by the call that each answers, while the session's own agent waits for them. */
  const subAgentStates = new Map<CallId, CompactionState>();

  function stateFor(parentCall: CallId | undefined): CompactionState {
    if (parentCall === undefined) {
      subAgentStates.clear();
      return state;
    }
    const known = subAgentStates.get(parentCall) ?? new CompactionState(state.dependencies);
    subAgentStates.set(parentCall, known);
    return known;
  }

  return function compaction(request, context, next) {
    if (context.purpose === "summary") return next(request, context);
    const call = new FittedCall(stateFor(context.parentCall), { request, context, next });
    return { [Symbol.asyncIterator]: () => (context.purpose === "compact" ? call.compactOnly() : call) };
  };
}

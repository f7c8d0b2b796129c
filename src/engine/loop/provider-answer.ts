import { abandonable } from "../../base/async/abandon.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import type { ArgumentsListener, ModelEvent, ModelRequest } from "../../providers/provider.ts";
import { reportSilence } from "../../providers/retry/report-silence.ts";

/** Time that a provider has to stop after its signal has aborted, before its answer is abandoned. */
export const PROVIDER_STOP_MS_MAX = 2_000;

/** Sends a request to its provider, the end of every chain. A provider that ignores the turn's signal is abandoned. */
export function providerAnswer(
  request: ModelRequest,
  context: RequestContext,
  listener?: ArgumentsListener,
): AsyncIterable<ModelEvent> {
  const { provider, signal, world } = context;
  const answer = provider.chat(request, signal, reportSilence(context), listener);
  return abandonable(answer, { clock: world.clock, signal, ms: PROVIDER_STOP_MS_MAX });
}

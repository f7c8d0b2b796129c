import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import { openRequest } from "./loop.ts";
import { providerAnswer } from "./provider-answer.ts";
import type { EngineDependencies, Turn } from "./turn.ts";

/**
 * Shortens the history between two turns by the request middleware (`/compact`, SES-13). It uses the turn's cancel
 * and origin; no turn begins or ends.
 *
 * Returns false if nothing was replaced: there was nothing to gain, or no middleware compacts.
 * @throws HarnessError if the log failed; the signal's reason.
 */
export async function compactHistory(turn: Turn, parts: EngineDependencies): Promise<boolean> {
  const before = parts.conversation.messages;
  const context: RequestContext = {
    ...turn.requestContext(0, parts.model().provider),
    purpose: "compact",
  };
  const send = chainRequest(parts.requestMiddleware, sendSummaries);
  for await (const _event of send(openRequest(parts), context)) context.signal.throwIfAborted();
  return parts.conversation.messages !== before;
}

/** The end of the chain: only summary requests are sent. */
const sendSummaries: RequestHandler = async function* sendSummaries(request, context) {
  if (context.purpose === "summary") yield* providerAnswer(request, context);
};

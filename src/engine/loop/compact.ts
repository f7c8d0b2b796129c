import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import { openRequest } from "./loop.ts";
import { providerAnswer } from "./provider-answer.ts";
import type { EngineDependencies, Turn } from "./turn.ts";

/**
 * Shortens the history between two turns by the request middleware (`/compact`, SES-13). It uses the turn's cancel
 * and origin; no turn begins or ends.
 *
 * If the session takes another model meanwhile, that one summarises.
 *
 * Returns false if nothing was replaced: there was nothing to gain, or no middleware compacts.
 * @throws HarnessError if the log failed; the signal's reason.
 */
export async function compactHistory(turn: Turn, parts: EngineDependencies): Promise<boolean> {
  const before = parts.conversation.messages;
  while (true) {
    const model = parts.model();
    const context: RequestContext = { ...turn.requestContext(0, model), purpose: "compact" };
    const send = chainRequest(parts.requestMiddleware, sendSummaries);
    try {
      for await (const _event of send(openRequest(parts), context)) context.signal.throwIfAborted();
      return parts.conversation.messages !== before;
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (thrown !== model.replaced?.reason || thrown === undefined) throw thrown;
    }
  }
}

/** The end of the chain: only summary requests are sent. */
const sendSummaries: RequestHandler = async function* sendSummaries(request, context) {
  if (context.purpose === "summary") yield* providerAnswer(request, context);
};

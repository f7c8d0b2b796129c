import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import { openRequest } from "./loop.ts";
import type { EngineParts, Turn } from "./turn.ts";

/**
 * Has the history made smaller between two turns, by whatever request middleware does that (`/compact`, SES-13). The
 * turn lends its cancel and its origin: nothing of it begins or ends.
 *
 * False where nothing was replaced: there was nothing to gain, or no middleware makes histories smaller.
 * @throws HarnessError where the log failed; the signal's reason.
 */
export async function compactHistory(turn: Turn, parts: EngineParts): Promise<boolean> {
  const before = parts.conversation.messages;
  const context: RequestContext = {
    ...turn.requestContext(0, parts.model().provider),
    purpose: "compact",
  };
  const send = chainRequest(parts.requestMiddleware, sendSummaries);
  for await (const _event of send(openRequest(parts), context)) context.signal.throwIfAborted();
  return parts.conversation.messages !== before;
}

/** The end of the chain: the conversation itself is asked nothing. */
const sendSummaries: RequestHandler = async function* sendSummaries(request, context) {
  if (context.purpose === "summary") yield* context.provider.chat(request, context.signal);
};

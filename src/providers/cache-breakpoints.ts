import type { Message } from "../protocol/message.ts";
import type { RequestMiddleware } from "./middleware.ts";

/**
 * Says where the prompt may be cached (PROV-15): after tools and system text, after the last message, and after the
 * last message of the request before this one.
 *
 * The last one is what this round writes and the next one reads; the earlier one is where the round before wrote, so
 * that a provider that looks back only a few blocks still finds it. Together they stay below the four that Anthropic
 * takes. The session's key groups its requests where a provider asks for a key.
 */
export function cacheBreakpoints(sessionKey: string): RequestMiddleware {
  return function cacheBreakpoints(request, context, next) {
    const cache = { prefix: true, messages: breakpoints(request.messages), key: sessionKey };
    return next({ ...request, cache }, context);
  };
}

function breakpoints(messages: readonly Message[]): readonly number[] {
  const last = messages.length - 1;
  const before = messages.findLastIndex(({ role }, index) => role === "user" && index < last);
  return [before, last].filter((index) => index >= 0);
}

import type { Message } from "../protocol/message.ts";
import type { RequestMiddleware } from "./middleware.ts";

/**
 * Sets the prompt cache breakpoints (PROV-15): after tools and system text, after the last message, and after the
 * last message of the previous request.
 *
 * The last one is written by this round and read by the next. The earlier one was written by the previous round, so
 * that a provider that looks back only a few blocks still finds it. Together they stay below Anthropic's limit of
 * four. The session key groups the requests of a session for providers that ask for a key.
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

import type { ToolMiddleware } from "../middleware.ts";
import { outputOf } from "./failure.ts";

/**
 * Turns what a tool throws into a result of its call; stands right around the tool (ENG-03, ENG-12).
 *
 * An aborted signal's reason and a `HarnessError` are thrown on.
 */
export function catchFailures(): ToolMiddleware {
  return async function catchFailures(call, context, next) {
    try {
      return await next(call, context);
    } catch (thrown) {
      return outputOf(thrown, call, context);
    }
  };
}

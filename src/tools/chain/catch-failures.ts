import type { ToolMiddleware } from "../middleware.ts";
import { thrownOutput } from "./thrown-output.ts";

/**
 * Converts what a tool throws into a result of its call; directly outside of the tool (ENG-03, ENG-12).
 *
 * Rethrows an aborted signal's reason and a `HarnessError`.
 */
export function catchFailures(): ToolMiddleware {
  return async function catchFailures(call, context, next) {
    try {
      return await next(call, context);
    } catch (thrown) {
      return thrownOutput(thrown, call, context);
    }
  };
}

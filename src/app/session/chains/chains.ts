import type { RequestMiddleware } from "../../../providers/middleware.ts";
import type { Around, RequestPosition, ToolPosition } from "../../../session/feature.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";

/** Returns the tool middleware at one place, the first outermost. */
export function toolMiddlewareAt(around: readonly Around[], place: ToolPosition): readonly ToolMiddleware[] {
  return around.flatMap((each) => (each.tool === place ? [each.run] : []));
}

/** Returns the request middleware at one place, the first outermost. */
export function requestMiddlewareAt(
  around: readonly Around[],
  place: RequestPosition,
): readonly RequestMiddleware[] {
  return around.flatMap((each) => (each.request === place ? [each.run] : []));
}

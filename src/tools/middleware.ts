import type { CallId } from "../base/ids.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "./tool.ts";

/** One call on its way through the middleware. `plan` is set after validation. */
export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  readonly input: unknown;
  readonly tool: Tool;
  /** The plan that will run. Set by `validate`; middleware that changes `input` later must plan it again. */
  readonly plan?: CallPlan;
  /** Original text of an input that was no JSON object. */
  readonly malformed?: string;
}

export type ToolHandler = (call: ToolCall, context: ToolContext) => Promise<ToolOutput>;

/**
 * Wraps the dispatch of a call ([A] seam 2, ENG-07). The first listed is outermost. Calls `next` at most once; policy
 * belongs here, never in the dispatcher.
 * `app/session/chains/order.ts` holds the order of a session's middleware.
 */
export type ToolMiddleware = (call: ToolCall, context: ToolContext, next: ToolHandler) => Promise<ToolOutput>;

/** Composes middleware around the tool; the first listed is outermost. */
export function chainTool(middleware: readonly ToolMiddleware[], handler: ToolHandler): ToolHandler {
  return middleware.reduceRight<ToolHandler>(
    (next, layer) => (call, context) => layer(call, context, next),
    handler,
  );
}

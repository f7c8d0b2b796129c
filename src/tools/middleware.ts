import type { CallId } from "../base/ids.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "./tool.ts";

/** One call on its way through the middleware. `plan` is there once the input was validated. */
export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  readonly input: unknown;
  readonly tool: Tool;
  /** What will run. Set by `validate`; whoever changes `input` afterwards must have it planned again. */
  readonly plan?: CallPlan;
  /** Set when the model's input was no JSON object: the text as it came. */
  readonly malformed?: string;
}

export type ToolHandler = (call: ToolCall, context: ToolContext) => Promise<ToolOutput>;

/**
 * Wraps the dispatch of a call ([A] seam 2, ENG-07): `(call, context, next)`, the first listed is outermost. Calls
 * `next` at most once; policy lives here, never in the dispatcher.
 *
 * Order in a harness, normative: telemetry · validate · PostToolUse · PreToolUse · plugins · diagnostics · plan mode ·
 * permission · memoise · checkpoint · intent/outcome · sandbox · time limit · truncate and spill · skills · redact · tool.
 */
export type ToolMiddleware = (call: ToolCall, context: ToolContext, next: ToolHandler) => Promise<ToolOutput>;

/** Composes middleware around the tool itself; the first listed is outermost. */
export function chainTool(middleware: readonly ToolMiddleware[], handler: ToolHandler): ToolHandler {
  return middleware.reduceRight<ToolHandler>(
    (next, layer) => (call, context) => layer(call, context, next),
    handler,
  );
}

import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import type { ModelRequest } from "../../providers/provider.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { StoreText } from "./window/replace-results.ts";
import type { CompactionTrigger } from "./window/token-budget.ts";

export interface CompactionLimits {
  /** Maximum fill level of the window, from 0 to 1. */
  readonly threshold: number;
  /** Turns at the end that stay unchanged, if they fit. */
  readonly keepTurns: number;
  /** Tokens of the window; overrides what is known of the model. */
  readonly contextTokens?: number;
}

export interface CompactionDependencies {
  readonly settings: CompactionLimits;
  /** Returns the tokens of a model's window; undefined if unknown. */
  readonly windowOf: (provider: string, model: string) => number | undefined;
  readonly keep: StoreText;
  /** Tools whose calls show what must be kept. */
  readonly tools: ToolTable;
  /** Removes secrets from text that is put into the history. */
  readonly redact: (text: string) => string;
  /** Called before anything is made smaller: hooks. */
  readonly before?: (moment: CompactionMoment, context: RequestContext) => Promise<void>;
}

export interface CompactionMoment {
  readonly trigger: CompactionTrigger;
  readonly tokens: number;
}

/** A request in progress. */
export interface PendingRequest {
  readonly request: ModelRequest;
  readonly context: RequestContext;
  readonly next: RequestHandler;
}

import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import type { ModelRequest } from "../../providers/provider.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { Trigger } from "./window/room.ts";
import type { KeepAside } from "./window/set-aside.ts";

export interface CompactionSettings {
  /** How full the window may get, from 0 to 1. */
  readonly threshold: number;
  /** Turns at the end that stay as they are, where they fit. */
  readonly keepTurns: number;
  /** Tokens of the window, whatever is known of the model. */
  readonly contextTokens?: number;
}

export interface CompactionParts {
  readonly settings: CompactionSettings;
  /** Tokens of a model's window; undefined where nobody knows. */
  readonly windowOf: (provider: string, model: string) => number | undefined;
  readonly keep: KeepAside;
  /** The tools whose calls tell what must be kept. */
  readonly tools: ToolTable;
  /** Takes secrets out of what is put into the history. */
  readonly redact: (text: string) => string;
  /** Told before anything is made smaller: hooks. */
  readonly before?: (moment: CompactionMoment, context: RequestContext) => Promise<void>;
}

export interface CompactionMoment {
  readonly trigger: Trigger;
  readonly tokens: number;
}

/** A request on its way. */
export interface Sent {
  readonly request: ModelRequest;
  readonly context: RequestContext;
  readonly next: RequestHandler;
}

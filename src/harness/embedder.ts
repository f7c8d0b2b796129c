import type { JsonSchema } from "../base/json.ts";
import type { TurnEndReason } from "../protocol/events.ts";

/** Rounds of one prompt, unless the configuration says otherwise ([B] § Configuration; an engine session has 50). */
export const PROMPT_ROUNDS_MAX = 10;
export const OUTPUT_TOKENS_MAX = 4_096;
export const DEFAULT_MODEL = "claude-3-haiku-20240307";

/** How the agent of a `Harness` is set up ([B] § Configuration). */
export interface HarnessConfig {
  /** Key of the Anthropic API. */
  readonly apiKey: string;
  /** An id, or haiku, sonnet, opus. A retired id is answered with its successor. Absent: `DEFAULT_MODEL`. */
  readonly model?: string;
  /** Tokens in each answer; absent: 4096. */
  readonly maxTokens?: number;
  /** Absent: none. */
  readonly systemPrompt?: string;
  /** Provider calls of one prompt; absent: 10. */
  readonly maxTurns?: number;
  /** Another server that speaks the Anthropic Messages API. */
  readonly baseUrl?: string;
}

/** A tool that the agent can use ([B] § Interfaces). */
export interface HarnessTool {
  readonly name: string;
  /** At most 250 characters. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Rare or numerous: found by ToolSearch instead of being declared in every request. */
  readonly lazy?: boolean;
  /** Runs with input that fits the schema; what it throws is the call's failure, which the model sees. */
  execute(input: unknown, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Told of whole blocks, in order ([B] § Streaming). What it throws does not disturb the run. */
export interface EventHandler {
  onText?(text: string): void;
  onToolCall?(id: string, name: string, input: unknown): void;
  onToolResult?(id: string, result: string, isError: boolean): void;
}

/** How a prompt ended. */
export interface PromptResult {
  readonly text: string;
  /** "complete", or for instance "turn_limit": reaching maxTurns is an end, not an error ([B], LIB-09). */
  readonly reason: TurnEndReason;
  /** Provider calls made. */
  readonly turns: number;
}

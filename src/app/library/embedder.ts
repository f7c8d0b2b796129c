import type { JsonSchema } from "../../base/json.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";

/** Rounds of one prompt, unless the configuration says otherwise ([B] § Configuration; an engine session has 50). */
export const PROMPT_ROUNDS_MAX = 10;
export const OUTPUT_TOKENS_MAX = 4_096;
export const DEFAULT_MODEL = "claude-3-haiku-20240307";

/** The wire that the model's server speaks; the words are those of `[providers.NAME] kind` in config.toml. */
export type HarnessWire = "anthropic" | "openai-compatible" | "openai-responses";

/** Settings of a `Harness` ([B] § Configuration). */
export interface HarnessConfig {
  /** Key of the model's API. Required, except for a server of the OpenAI wires that wants none. */
  readonly apiKey?: string;
  /** Absent: `anthropic`. The OpenAI wires need `baseUrl` and `model`. */
  readonly kind?: HarnessWire;
  /** An id, or haiku, sonnet, opus. A retired id is answered with its successor. Absent: `DEFAULT_MODEL`. */
  readonly model?: string;
  /** Tokens in each answer; absent: 4096. */
  readonly maxTokens?: number;
  /** Stands first in the system text, before what plugins add. Absent: none. */
  readonly systemPrompt?: string;
  /** Provider calls of one prompt; absent: 10. */
  readonly maxTurns?: number;
  /**
   * Milliseconds for one prompt, waits and retries included; absent: no limit. It ends with the reason "time_limit".
   */
  readonly timeoutMs?: number;
  /** US dollars for all prompts together; a request that would exceed it is refused. Absent: no cap. */
  readonly maxCostUsd?: number;
  /** Address of the server. Absent: Anthropic's own. */
  readonly baseUrl?: string;
  /** The conversation to continue, as `Harness.history` returned it. */
  readonly history?: readonly Message[];
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

/** Receives whole blocks, in order ([B] § Streaming). What it throws does not disturb the run. */
export interface EventHandler {
  /** The prompt, once it is part of the conversation. */
  onUser?(content: readonly InputBlock[]): void;
  onText?(text: string): void;
  /** The part of the model's reasoning that its provider shows. */
  onReasoning?(text: string): void;
  onToolCall?(id: string, name: string, input: unknown): void;
  onToolResult?(id: string, result: string, isError: boolean): void;
  /** One call of the provider; each attempt is one. */
  onUsage?(usage: CallUsage): void;
  /** A provider call failed and is tried again after a wait. */
  onRetry?(retry: CallRetry): void;
}

/** A wait before a provider call is tried again. */
export interface CallRetry {
  /** For programs, such as RateLimited. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** The number of the attempt that follows, and how many there are at most. */
  readonly attempt: number;
  readonly attemptsMax: number;
  readonly waitMs: number;
}

/** Tokens of provider calls, and their price. */
export interface Usage {
  /** Without those that came from the cache or went into it. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** US dollars; null where a price is unknown. */
  readonly costUsd: number | null;
}

export interface CallUsage extends Usage {
  readonly provider: string;
  readonly model: string;
}

/** Result of a prompt. */
export interface PromptResult {
  /** Text of the last message that had any. */
  readonly text: string;
  /** "complete", or for instance "turn_limit": reaching maxTurns is an end, not an error ([B], LIB-09). */
  readonly reason: TurnEndReason;
  /** Provider calls made. */
  readonly turns: number;
  /** All provider calls of this prompt together. */
  readonly usage: Usage;
  /** Reason why the prompt ended early, such as a limit; absent after "complete". */
  readonly error?: { readonly reason: string; readonly message: string };
}

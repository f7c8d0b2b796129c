import type { PromptText } from "../base/brand.ts";
import type { JsonSchema } from "../base/json.ts";
import type { OpaqueBlock, TextBlock, ThinkingBlock, YieldBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import type { Effort } from "./effort.ts";

/**
 * A model provider: the one seam between the engine and a vendor's wire ([A] § Providers, PROV-01).
 *
 * Implementations translate the canonical form both ways over raw HTTP and hold no conversation state.
 */
export interface Provider {
  /** The name in `provider:model`, in events and in prices. */
  readonly name: string;
  /** Stamp on opaque blocks: thinking goes back verbatim only to the family that made it (ENG-19). */
  readonly family: string;
  /** The canonical form this adapter was written for; another one than the engine's is refused at start. */
  readonly canonicalFormVersion: number;
  /** Its catalogue has prices that no published table knows: worth asking for when a cost is counted. */
  readonly pricesInCatalogue?: boolean;
  /** Server that requests are sent to; absent for a provider without a network. */
  readonly server?: Server;
  /**
   * Given by a provider that is composed of others (PROV-07): who takes a request, in order of preference, at least one.
   * Each call is sent, counted and cached as one of whoever takes it; `chat` of the composed one is never called then.
   */
  readonly route?: (about: RequestTraits, signal: AbortSignal) => Promise<readonly Executor[]>;

  /**
   * Streams one answer. Leaving the iteration cancels the request and frees its connection.
   *
   * One attempt: retrying is the business of request middleware. `onSilence` is told where nothing comes for a while
   * and is waited for further; a provider without a network has nothing to tell.
   * @throws ProviderError for everything that the provider or the network does wrong.
   */
  chat(
    request: ModelRequest,
    signal: AbortSignal,
    onSilence?: (silence: Silence) => void,
  ): AsyncIterable<ModelEvent>;

  /** What is known of that without asking anybody, however old; empty where nothing is. Absent: it keeps no catalogue. */
  readonly known?: () => Promise<readonly Model[]>;

  /** What it offers, with prices where its catalogue has them. */
  models(signal: AbortSignal): Promise<readonly Model[]>;

  /** Tokens of the messages, as well as the provider can tell without a paid request. */
  tokenCount(messages: readonly Message[], signal: AbortSignal): Promise<number>;
}

/** Host and port of an address: a name or an IP address without brackets. */
export interface Server {
  readonly address: string;
  readonly port: number;
}

/** Who takes a request in the place of a composed provider. */
export interface Executor {
  readonly provider: Provider;
  readonly model: string;
  /** Whether it takes over after this failure of the one before; absent: after every one that another model may not have. */
  readonly takesOver?: (failure: Error) => boolean;
}

/** What a request can be routed by. */
export interface RequestTraits {
  /** The model within the composed provider that was named. */
  readonly model: string;
  readonly role: RequestRole;
  /** An estimate of everything that is sent. */
  readonly inputTokens: number;
  /** US dollars that the session has spent, as far as prices are known. */
  readonly spentUsd: number;
}

/** What a request is for: the conversation, a sub-agent's, or a summary of either. */
export const REQUEST_ROLES = ["main", "sub-agent", "summary"] as const;
export type RequestRole = (typeof REQUEST_ROLES)[number];

/** A provider that has sent nothing for a while, and is waited for further. */
export interface Silence {
  /** Completes "sent nothing while …". */
  readonly phase: string;
  readonly ms: number;
  /** After this the attempt fails. */
  readonly msMax: number;
}

export interface Model {
  readonly id: string;
  readonly name?: string;
  /** Tokens of input and output together. */
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  readonly price?: Price;
  readonly takes?: readonly ("image" | "audio")[];
  /** The addresses that it is asked at, below its provider's own, where that differs from model to model. */
  readonly endpoints?: readonly string[];
}

/** Actions of a cost cap for a call of unknown price. */
export const UNKNOWN_PRICES = ["warn", "refuse"] as const;
export type UnknownPrice = (typeof UNKNOWN_PRICES)[number];

/** US dollars for one million tokens. What is absent is unknown, never free. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** What the whole request costs instead, once its input (cached or not) is longer than this. */
  readonly longInput?: Omit<Price, "longInput"> & { readonly aboveTokens: number };
}

/** One provider call, as the request middleware passes it on. */
export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemSection[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly outputTokensMax: number;
  /** Where the provider may cut the prompt cache; empty where the provider has none. Set by middleware. */
  readonly cache: CacheHints;
  readonly thinking?: ThinkingRequest;
}

export interface SystemSection {
  /** For people and middleware that look for one: "profile", "agents-md", "environment". */
  readonly name: string;
  readonly text: PromptText;
}

export interface ThinkingRequest {
  /** A model that knows fewer words is asked for the nearest below. */
  readonly effort: Effort;
  /** Tokens, for models that take a budget; absent: what fits the effort. */
  readonly budgetTokens?: number;
}

export interface CacheHints {
  /** A breakpoint after the tools and the system text. */
  readonly prefix: boolean;
  /** Breakpoints after these messages, by index. */
  readonly messages: readonly number[];
  /** Groups requests that share a prefix, for providers that ask for a key. */
  readonly key?: string;
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** What one answer is made of, in the order of arrival. `index` counts the blocks of the answer from 0. */
export type ModelEvent =
  | { readonly kind: "text"; readonly index: number; readonly text: string }
  | { readonly kind: "thinking"; readonly index: number; readonly text: string }
  | { readonly kind: "block"; readonly index: number; readonly block: ModelBlock }
  /** Totals so far: each replaces the one before. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | {
      readonly kind: "finish";
      readonly reason: FinishReason;
      readonly raw: string;
      /** Model that the answer names, 256 characters at most. Absent where it names none. */
      readonly model?: string;
    };

/** A finished block. Nothing is dispatched from an unfinished one. */
export type ModelBlock = TextBlock | ThinkingBlock | OpaqueBlock | YieldBlock | ModelToolUse;

/** A tool call as the model wrote it; the engine gives it its CallId. */
export interface ModelToolUse {
  readonly type: "tool_use";
  readonly name: string;
  readonly input: unknown;
  /** Set when the input was no valid JSON object: the text as it came. The call fails without running. */
  readonly malformed?: string;
}

/** Input tokens exclude what was read from or written to the cache. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/**
 * Why the answer ended. `stop` and `tool_use` are the good ends; `paused` asks to be sent again as it is.
 */
export type FinishReason = "stop" | "tool_use" | "length" | "refused" | "paused" | "error";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

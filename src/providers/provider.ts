import type { PromptText } from "../base/brand.ts";
import type { JsonSchema } from "../base/json.ts";
import type { OpaqueBlock, TextBlock, ThinkingBlock, YieldBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import type { Effort } from "./effort.ts";

/**
 * A model provider: the one seam between the engine and a vendor's API ([A] § Providers, PROV-01).
 *
 * Implementations translate the canonical form both ways over raw HTTP and keep no conversation state.
 */
export interface Provider {
  /** Name in `provider:model`, in events and in prices. */
  readonly name: string;
  /** Stamp on opaque blocks: thinking goes back verbatim only to the family that made it (ENG-19). */
  readonly family: string;
  /** Canonical form this adapter was written for. The engine refuses any other than its own at start. */
  readonly canonicalFormVersion: number;
  /** True if the catalogue has prices that no published table contains, and is worth fetching to compute a cost. */
  readonly pricesInCatalogue?: boolean;
  /** Server that requests are sent to; absent for a provider without a network. */
  readonly server?: Server;
  /**
   * Set by a provider composed of others (PROV-07): returns the executors of a request in order of preference, at
   * least one. Each call is sent, counted and cached as the executor's; `chat` of the composed provider is never
   * called then.
   */
  readonly route?: (about: RequestTraits, signal: AbortSignal) => Promise<readonly Executor[]>;

  /**
   * Streams one answer. Leaving the iteration cancels the request and frees its connection.
   *
   * Makes one attempt; retries belong to request middleware. Calls `onSilence` when nothing comes for a while and the
   * wait continues. A provider without a network never calls it. Gives the arguments of calls as they come to
   * `listener`, beside the events, which are the same without it. A provider need not.
   * @throws ProviderError for every fault of the provider or the network.
   */
  chat(
    request: ModelRequest,
    signal: AbortSignal,
    onSilence?: (silence: Silence) => void,
    listener?: ArgumentsListener,
  ): AsyncIterable<ModelEvent>;

  /** Content that its wire format cannot carry, whatever the model. Absent: none is known. */
  readonly carriesNo?: readonly Medium[];
  /**
   * Returns words for content of the messages that the model cannot take: a text stands for it in the request
   * (ENG-25). Undefined if there is no content beside text. Absent: unknown.
   */
  readonly leavesOut?: (
    request: Pick<ModelRequest, "model" | "messages">,
  ) => Promise<readonly string[]> | undefined;
  /** Returns the known models without a request, however old; empty if none. Absent: it has no catalogue. */
  readonly known?: () => Promise<readonly Model[]>;

  /** Returns the offered models, with prices if its catalogue has them. */
  models(signal: AbortSignal): Promise<readonly Model[]>;

  /** Returns the tokens of the messages, as exactly as possible without a paid request. */
  tokenCount(messages: readonly Message[], signal: AbortSignal): Promise<number>;
}

/** Host and port of an address: a name, or an IP address without brackets. */
export interface Server {
  readonly address: string;
  readonly port: number;
}

/** Provider and model that take a request of a composed provider. */
export interface Executor {
  readonly provider: Provider;
  readonly model: string;
  /**
   * Returns true if it takes over after this failure of the previous one. Absent: after every failure that another
   * model may not have.
   */
  readonly takesOver?: (failure: Error) => boolean;
}

/** Properties that a request can be routed by. */
export interface RequestTraits {
  /** Name of the model within the composed provider. */
  readonly model: string;
  readonly role: RequestRole;
  /** Estimate of everything that is sent. */
  readonly inputTokens: number;
  /** US dollars that the session has spent, as far as prices are known. */
  readonly spentUsd: number;
}

/** Roles of a request: the conversation, a sub-agent's, or a summary of either. */
export const REQUEST_ROLES = ["main", "sub-agent", "summary"] as const;
export type RequestRole = (typeof REQUEST_ROLES)[number];

/** A provider has sent nothing for a while, and the wait continues. */
export interface Silence {
  /** Completes "sent nothing while …". */
  readonly phase: string;
  readonly ms: number;
  /** After this the attempt fails. */
  readonly msMax: number;
}

/**
 * The next piece of the arguments of a call that the model writes, as JSON text. `index` is that of the call's block.
 * The first piece may be empty: then only the name is known.
 */
export interface ArgumentsPiece {
  readonly index: number;
  readonly name: string;
  readonly text: string;
}

export interface ArgumentsListener {
  /** True if somebody wants the arguments now. The first piece of a call then has all that has come of it before. */
  readonly isWanted: boolean;
  take(piece: ArgumentsPiece): void;
}

/** Content beside text. */
export type Medium = "image" | "audio" | "pdf";

export interface Model {
  readonly id: string;
  readonly name?: string;
  /** Tokens of input and output together. */
  readonly contextTokens?: number;
  readonly outputTokensMax?: number;
  readonly price?: Price;
  /** Content beside text that it is known to accept. Absent: unknown. */
  readonly takes?: readonly Medium[];
  /** True if it can think before it answers. Absent: unknown. */
  readonly thinks?: boolean;
  /** Efforts that it accepts. Absent: unknown. */
  readonly efforts?: readonly Effort[];
  /** API paths that the model accepts, if they differ from model to model. */
  readonly endpoints?: readonly string[];
}

/** Actions of a cost cap for a call of unknown price. */
export const UNKNOWN_PRICES = ["warn", "refuse"] as const;

/** US dollars for one million tokens. An absent price is unknown, never free. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Prices of the whole request once its input (cached or not) is longer than `aboveTokens`. */
  readonly longInput?: Omit<Price, "longInput"> & { readonly aboveTokens: number };
}

/** One provider call, as the request middleware passes it on. */
export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemSection[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly outputTokensMax: number;
  /** Positions where the provider may cut the prompt cache; empty if it has none. Set by middleware. */
  readonly cache: CacheHints;
  readonly thinking?: ThinkingRequest;
  /** Set if nobody sees the answer before its end: its pieces may come later, and larger (PERF-02). */
  readonly isUnwatched?: boolean;
}

export interface SystemSection {
  /** For people, and for middleware that searches one: "profile", "agents-md", "environment". */
  readonly name: string;
  readonly text: PromptText;
}

export interface ThinkingRequest {
  /** A model that accepts fewer values gets the nearest below. */
  readonly effort: Effort;
  /** Tokens, for models that take a budget. Default: derived from the effort. */
  readonly budgetTokens?: number;
}

export interface CacheHints {
  /** True for a breakpoint after the tools and the system text. */
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

/** One event of an answer, in order of arrival. `index` counts the blocks of the answer from 0. */
export type ModelEvent =
  | { readonly kind: "text"; readonly index: number; readonly text: string }
  | { readonly kind: "thinking"; readonly index: number; readonly text: string }
  | { readonly kind: "block"; readonly index: number; readonly block: ModelBlock }
  /** Totals so far: each replaces the previous. */
  | {
      readonly kind: "usage";
      readonly usage: ModelUsage;
      /** Set by the engine if a count was not readable: the cost of the call is then unknown. */
      readonly unreadable?: true;
    }
  | {
      readonly kind: "finish";
      readonly reason: FinishReason;
      readonly raw: string;
      /** Model that the answer names, at most 256 characters. Absent if it names none. */
      readonly model?: string;
    };

/** A finished block. Nothing is dispatched from an unfinished one. */
export type ModelBlock = TextBlock | ThinkingBlock | OpaqueBlock | YieldBlock | ModelToolUse;

/** A tool call as the model wrote it; the engine assigns its CallId. */
export interface ModelToolUse {
  readonly type: "tool_use";
  readonly name: string;
  readonly input: unknown;
  /** Original text of an input that was no valid JSON object. The call fails without running. */
  readonly malformed?: string;
}

/** Token counts. Input tokens exclude tokens read from or written to the cache. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/**
 * Reason for the end of an answer. `stop` and `tool_use` are the good ends; `paused` asks to send the request
 * again unchanged.
 */
export type FinishReason = "stop" | "tool_use" | "length" | "refused" | "paused" | "error";

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

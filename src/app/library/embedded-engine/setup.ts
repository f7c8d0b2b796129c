import type { AskId, CallId, LogId, SessionId } from "../../../base/ids.ts";
import type { JsonSchema } from "../../../base/json.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Price, Provider } from "../../../providers/provider.ts";
import type { Plugin } from "../../../session/plugins/plugin.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import type { ToolOutput } from "../../../tools/tool.ts";

/** Parts and limits of an engine that a program builds. Only `provider` and `model` are required. */
export interface EngineSetup {
  /** The provider of every session. Its name stands in events and in prices. */
  readonly provider: Provider;
  /** Id of the model, as the provider knows it. */
  readonly model: string;
  /** Price of the model. Default: the published price, if the provider is Anthropic's; else unknown. */
  readonly price?: Price;
  /**
   * Tokens of the model's window; a history that outgrows it is summarised. Default: what the provider's
   * catalogue says.
   */
  readonly contextTokens?: number;
  /** The system text, before what plugins add and the notice about foreign text. Default: none. */
  readonly systemPrompt?: string;
  /** Tools that the model can call, besides those of plugins. Default: none. */
  readonly tools?: readonly EngineTool[];
  /**
   * Store of the sessions. The program disposes it, after the engine. One of the program's own that throws anything
   * but a HarnessError, or does not answer within `limits.storeMs`, fails with StoreFailed; its session then ends.
   * Default: `memoryStore()`.
   */
  readonly store?: SessionStore;
  readonly limits?: EngineLimits;
  /** Middleware, hooks and permission rules of the program's own. They count for every session. */
  readonly plugins?: readonly Plugin[];
  /**
   * Answers a question of a session: a tool call with `asks`, or the fate of a call that a killed process left open.
   *
   * Returning undefined leaves the question to `EngineSession.answer`. A handler that throws, or returns anything
   * that is no answer to its question, denies a permission and leaves any other question open. Default: nobody is
   * there, and each call with `asks` is denied at once.
   */
  readonly onQuestion?: (
    question: EngineQuestion,
    options: { readonly signal: AbortSignal },
  ) => EngineAnswer | undefined | Promise<EngineAnswer | undefined>;
  /**
   * Fate of a call that may have changed something and was running when an earlier process was killed. Default: `ask`
   * if there is an `onQuestion`, else `failed`.
   */
  readonly unfinishedCalls?: "ask" | "failed" | "succeeded";
  /**
   * Folder for what does not fit in a request, absolute; made if it is missing. Default: a temporary folder of this
   * engine, which is removed with it.
   */
  readonly directory?: string;
}

/** Limits of each session. An omitted limit has its default. */
export interface EngineLimits {
  /** Provider calls in one turn; reaching it ends the turn with the reason `turn_limit`. Default: 50. */
  readonly rounds?: number;
  /**
   * Wall-clock milliseconds of one turn; it ends with `time_limit`. A call of a store of your own that is pending then
   * gets one second more, and has failed after that. Default: none.
   */
  readonly timeMs?: number;
  /**
   * US dollars of one session, over all runs on its log. The request that would exceed it is refused, and the turn
   * ends with `budget`. A model without a known price is refused, too. Default: none.
   */
  readonly costUsd?: number;
  /** Tokens of one answer of the model. Default: 16,384. */
  readonly outputTokens?: number;
  /** Milliseconds that a permission question waits; then the call is denied. Default: 60,000. */
  readonly answerMs?: number;
  /** Milliseconds that one call of a store of your own may take; then it has failed. Default: 10,000. */
  readonly storeMs?: number;
}

/** A tool of the program. */
export interface EngineTool {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** At most 250 characters. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** True if a person has to allow each call, through `onQuestion`. Default: it runs without a question. */
  readonly asks?: boolean;
  /** False if a call changes nothing: after a kill it is simply run again. Default: true. */
  readonly mutating?: boolean;
  /** Rare or numerous: found by ToolSearch instead of being declared in every request. */
  readonly lazy?: boolean;
  /** Milliseconds that one call may take. Default: 120,000. */
  readonly msMax?: number;
  /**
   * Runs one call. The input fits the schema; the result is a text, or blocks. An error that it throws is the call's
   * failure: the model sees its message.
   */
  execute(input: unknown, call: EngineToolCall): string | ToolOutput | Promise<string | ToolOutput>;
}

/** One running call of a tool. */
export interface EngineToolCall {
  /** Aborts when the turn is cancelled, the call's time is over, or the session ends. */
  readonly signal: AbortSignal;
  readonly sessionId: SessionId;
  /** Differs for each call: use it as a key to do something at most once. */
  readonly callId: CallId;
  readonly turn: number;
  /** Shows partial output to subscribers as ToolCallProgress events; the model does not see it. */
  progress(text: string): void;
}

/** A question that a session waits with. */
export type EngineQuestion =
  | {
      /** May this call run? */
      readonly kind: "permission";
      readonly id: CallId;
      readonly session: EngineQuestionSession;
      readonly tool: string;
      readonly input: unknown;
      readonly request: PayloadOf<"PermissionRequested">;
    }
  | {
      /** Choice between several answers. */
      readonly kind: "choice";
      readonly id: AskId;
      readonly session: EngineQuestionSession;
      readonly text: string;
      readonly choices: readonly { readonly value: string; readonly label: string }[];
      readonly request: PayloadOf<"Asked">;
    };

/** The session that asks. */
export interface EngineQuestionSession {
  readonly id: SessionId;
  readonly logId: LogId;
}

/**
 * An answer. To a permission: `allow` or `deny` for this call, `allow-tool` for every later call of the tool in this
 * session, too. To a choice: the `value` of one.
 */
export type EngineAnswer = "allow" | "deny" | "allow-tool" | { readonly choose: string };

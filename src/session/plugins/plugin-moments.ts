import type { CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { PluginSession } from "./plugin-session.ts";

/** The fields that a plugin's hook gets at each moment of a session (HOOK-01). */
export interface PluginMoments {
  readonly SessionStart: { readonly source: "new" | "resume" };
  readonly UserPromptSubmit: { readonly turn: number; readonly prompt: string };
  readonly PreToolUse: ToolMoment;
  readonly PostToolUse: ToolMoment & { readonly output: string; readonly is_error: boolean };
  readonly Compact: { readonly turn: number; readonly trigger: string; readonly tokens: number };
  readonly Stop: { readonly turn: number; readonly reason: TurnEndReason };
}

interface ToolMoment {
  readonly turn: number;
  readonly tool: string;
  readonly call_id: CallId;
  readonly input: JsonObject;
}

/** The answer of a hook. No answer means no objection. No hook can allow what permission does not. */
export interface PluginHookAnswer {
  /** UserPromptSubmit, PreToolUse: refuses, with the reason. PostToolUse: what is wrong, for the model. */
  readonly block?: string;
  /** Text for the model, passed on as untrusted. */
  readonly context?: string;
  /** PreToolUse: the input that replaces the call's. */
  readonly input?: JsonObject;
}

export type PluginHook<Moment extends keyof PluginMoments> = (
  moment: PluginMoments[Moment],
  session: PluginSession & { readonly signal: AbortSignal },
) => PluginHookSaid | Promise<PluginHookSaid>;

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches need not return anything
type PluginHookSaid = PluginHookAnswer | undefined | void;

export interface PluginHookOptions {
  /** Names of tools; `*` stands for any characters. Default: every tool. */
  readonly tools?: readonly string[];
  /** True if a failure of the hook itself stops what it was asked about. Default: true for PreToolUse only. */
  readonly blocking?: boolean;
  /** Default: the limit for hooks of that moment. */
  readonly timeoutMs?: number;
}

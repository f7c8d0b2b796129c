import type { CallId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { TurnEndReason } from "../../../protocol/events/events.ts";
import type { PluginSession } from "./session.ts";

/** What a plugin's hook is told at each moment of a session (HOOK-01). */
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

/** What a hook may say. Nothing is a yes; no hook can allow what permission does not. */
export interface PluginHookAnswer {
  /** UserPromptSubmit, PreToolUse: it shall not be, and why. PostToolUse: what is wrong, for the model. */
  readonly block?: string;
  /** For the model, as foreign text. */
  readonly context?: string;
  /** PreToolUse: the input that the call shall have instead. */
  readonly input?: JsonObject;
}

export type PluginHook<Moment extends keyof PluginMoments> = (
  moment: PluginMoments[Moment],
  session: PluginSession & { readonly signal: AbortSignal },
) => PluginHookSaid | Promise<PluginHookSaid>;

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches need not return anything
type PluginHookSaid = PluginHookAnswer | undefined | void;

export interface PluginHookOptions {
  /** Names of tools, in which `*` stands for any characters. Absent: every tool. */
  readonly tools?: readonly string[];
  /** Whether a failure of the hook itself stops what it was asked about. Absent: PreToolUse alone. */
  readonly blocking?: boolean;
  /** Absent: as long as a hook of that moment may take. */
  readonly timeoutMs?: number;
}

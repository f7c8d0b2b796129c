import type { HookEvent } from "../../protocol/events/hook-events.ts";
import type { ToolNames } from "../../tools/server-tool-names.ts";
import { patternFitsTool } from "../../tools/server-tool-names.ts";

/** One command that runs at a moment of a session, outside the sandbox, as the user ([A] § Hook timeouts). */
export interface Hook {
  readonly event: HookEvent;
  /** For `/bin/sh -c`; nothing is ever inserted into it. */
  readonly command: string;
  /**
   * Names of tools, those of servers in either spelling, in which `*` stands for any characters. Absent: every tool.
   */
  readonly matcher?: readonly string[];
  /** True if its own failure blocks too, at a moment that can be blocked. */
  readonly blocking: boolean;
  readonly timeoutMs: number;
  /** `path:line`, for the operational log, which does not get the command. */
  readonly where: string;
  /**
   * Returns the folder of its scripts, ready to be run from; called before each run.
   * @throws the reason that a person is shown if it could not run.
   */
  scripts(): Promise<string>;
}

/** Time limit of a hook unless its `timeout_ms` sets another (HOOK-03). */
export const HOOK_MS_MAX: Readonly<Record<HookEvent, number>> = {
  SessionStart: 5_000,
  UserPromptSubmit: 5_000,
  PreToolUse: 30_000,
  PostToolUse: 30_000,
  Compact: 60_000,
  Stop: 5_000,
};

/** Events at which a hook can block. */
export const CAN_BLOCK: readonly HookEvent[] = ["UserPromptSubmit", "PreToolUse"];

/** Returns true if a failure blocks by default: a broken guard lets nothing pass. */
export function blocksByDefault(event: HookEvent): boolean {
  return event === "PreToolUse";
}

/** Returns true if a hook runs at a moment, about this tool if there is one. */
export function hookApplies(hook: Hook, event: HookEvent, tool?: ToolNames): boolean {
  if (hook.event !== event) return false;
  const { matcher } = hook;
  return (
    tool === undefined ||
    matcher === undefined ||
    matcher.some((name) => patternFitsTool(name, tool, matches))
  );
}

/**
 * Matches in linear time: finds the parts between the stars one after the other, the first and last at the ends.
 */
function matches(pattern: string, tool: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return first === tool;
  if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last))
    return false;
  const end = tool.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

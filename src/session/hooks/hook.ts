import type { HookEvent } from "../../protocol/events/hook-events.ts";
import type { ToolNames } from "../../tools/server-tool.ts";
import { fitsTool } from "../../tools/server-tool.ts";

/** One command that runs at a moment of a session, outside of the sandbox, as the user ([A] § Hook timeouts). */
export interface Hook {
  readonly event: HookEvent;
  /** For `/bin/sh -c`; nothing is ever put into it. */
  readonly command: string;
  /** Names of tools, those of servers in either spelling, in which `*` stands for any characters. Absent: every tool. */
  readonly matcher?: readonly string[];
  /** Where it can stop something: whether its own failure does that too. */
  readonly blocking: boolean;
  readonly timeoutMs: number;
  /** `path:line`, for the operational log, which does not get the command. */
  readonly where: string;
  /**
   * The folder that it finds its scripts in, ready to be run from; asked for before each run.
   * @throws what a person is told as the reason why it could not run.
   */
  scripts(): Promise<string>;
}

/** How long a hook may take, unless its `timeout_ms` says otherwise (HOOK-03). */
export const HOOK_MS_MAX: Readonly<Record<HookEvent, number>> = {
  SessionStart: 5_000,
  UserPromptSubmit: 5_000,
  PreToolUse: 30_000,
  PostToolUse: 30_000,
  Compact: 60_000,
  Stop: 5_000,
};

/** The events at which a hook can stop something. */
export const CAN_BLOCK: readonly HookEvent[] = ["UserPromptSubmit", "PreToolUse"];

/** Whether a failure blocks where nobody said so: a guard that is broken lets nothing pass. */
export function blocksByDefault(event: HookEvent): boolean {
  return event === "PreToolUse";
}

/** Whether a hook is to run at a moment, about this tool where there is one. */
export function concerns(hook: Hook, event: HookEvent, tool?: ToolNames): boolean {
  if (hook.event !== event) return false;
  const { matcher } = hook;
  return tool === undefined || matcher === undefined || matcher.some((name) => fitsTool(name, tool, matches));
}

/** Linear in both: the parts between the stars are looked for one after the other, the first and last at the ends. */
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

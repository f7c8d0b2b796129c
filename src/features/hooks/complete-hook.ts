import { defined } from "../../base/defined.ts";
import type { HookEvent } from "../../protocol/events/hook-events.ts";
import type { Hook } from "../../session/hooks/hook.ts";
import { blocksByDefault, HOOK_MS_MAX } from "../../session/hooks/hook.ts";

/** The configuration of one hook. */
export interface HookEntry {
  readonly event: HookEvent;
  readonly cmd: string;
  readonly blocking?: boolean;
  readonly timeoutMs?: number;
  readonly matcher?: readonly string[];
  readonly where: { readonly path: string; readonly line: number };
}

/** Completes a hook's configuration with the defaults of its event. */
export function completeHook(entry: HookEntry, scripts: () => Promise<string>): Hook {
  const { event, cmd, matcher, where } = entry;
  return {
    event,
    command: cmd,
    ...defined({ matcher }),
    blocking: entry.blocking ?? blocksByDefault(event),
    timeoutMs: entry.timeoutMs ?? HOOK_MS_MAX[event],
    where: `${where.path}:${where.line}`,
    scripts,
  };
}

import { defined } from "../../base/defined.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { Hook } from "../../session/hooks/hook.ts";

/** Hooks in one answer. */
export const HOOKS_LISTED_MAX = 1_000;
const MS_PER_SECOND = 1_000;

type HookList = ResultOf<"ListHooks">;

interface KnownHooks {
  /** Hooks of the user. */
  readonly own: readonly Hook[];
  /** Hooks of the user, then those of the repository. */
  readonly all: readonly Hook[];
  /** Paths of files that wait for an acknowledgement. */
  readonly waiting: readonly string[];
}

/** Lists hooks for a client, with secrets redacted (CTL-19). */
export function listHooks({ own, all, waiting }: KnownHooks, redactor: Redactor): HookList {
  const hooks = all.slice(0, HOOKS_LISTED_MAX).map((hook) => {
    const { event, matcher, command, where, timeoutMs } = hook;
    return {
      event,
      ...defined({ matcher }),
      command: redactor.text(command),
      source: where,
      timeout_s: timeoutMs / MS_PER_SECOND,
      ...(own.includes(hook) ? {} : { acknowledged: true as const }),
    };
  });
  return { hooks, waiting: [...waiting], more: all.length > HOOKS_LISTED_MAX };
}

import { defined } from "../../base/defined.ts";
import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { HookEvent } from "../../protocol/events/hook-events.ts";
import type { ToolNames } from "../../tools/server-tool-names.ts";
import type { Hook } from "./hook.ts";
import { hookApplies } from "./hook.ts";
import type { HookOutcome } from "./outcome.ts";
import { outcomeOf } from "./outcome.ts";
import type { HookContext, HookRun } from "./run-hook.ts";
import { HOOK_OUTPUT_BYTES_MAX, runHook } from "./run-hook.ts";

export interface HooksDependencies extends HookContext {
  readonly session: SessionId;
  /** Returns all hooks of the session in the order of configuration; waits for a person's acknowledgement. */
  readonly known: (signal: AbortSignal) => Promise<readonly Hook[]>;
}

/** A moment at which hooks run. */
export interface HookMoment {
  readonly event: HookEvent;
  /** Tool that the moment is about. */
  readonly tool?: ToolNames;
  /** Returns the fields that the next hook gets besides event, session and cwd; called for each of them. */
  readonly input: () => JsonObject;
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
}

export interface HookResult {
  readonly hook: Hook;
  readonly outcome: HookOutcome;
}

/** The hooks of one session. Every failure is emitted as HookTimeout or HookError ([A] § Hook timeouts). */
export class Hooks {
  readonly #parts: HooksDependencies;

  constructor(parts: HooksDependencies) {
    this.#parts = parts;
  }

  /**
   * Runs the hooks of a moment one after the other, and yields the outcome of each. A caller that stops reading stops
   * the rest.
   * @throws signal.reason; HarnessError ConfigInvalid for acknowledged hooks that cannot be read.
   */
  async *run({ event, tool, input, signal, emit }: HookMoment): AsyncGenerator<HookResult> {
    const { session, cwd } = this.#parts;
    for (const hook of await this.applying({ event, ...defined({ tool }), signal })) {
      const text = `${JSON.stringify({ event, session, cwd, ...input() })}\n`;
      const run = await runHook(hook, text, this.#parts, signal);
      this.#tellCut(hook, run);
      const outcome = outcomeOf(hook, run);
      const wrong = eventOf(outcome);
      if (wrong !== undefined) emit(wrong);
      yield { hook, outcome };
    }
  }

  /** Returns the hooks of a moment, in their order. Runs none. */
  async applying({
    event,
    tool,
    signal,
  }: Pick<HookMoment, "event" | "tool" | "signal">): Promise<readonly Hook[]> {
    return (await this.#parts.known(signal)).filter((hook) => hookApplies(hook, event, tool));
  }

  /** Logs the hook by its place and not by its command, which may be private. */
  #tellCut({ event, where }: Hook, run: HookRun): void {
    if (run.kind !== "ended") return;
    for (const [stream, { total }] of [["stdout", run.stdout] as const, ["stderr", run.stderr] as const]) {
      if (total <= HOOK_OUTPUT_BYTES_MAX) continue;
      const facts = { event, hook: where, stream, bytes: total, kept: HOOK_OUTPUT_BYTES_MAX };
      this.#parts.world.log.for("hook").write("warn", "«truncated» the output of a hook was cut", facts);
    }
  }
}

/** Returns the event that reports an outcome to people, with its reason; undefined if nothing failed. */
function eventOf(outcome: HookOutcome): Event | undefined {
  return outcome.kind === "answered" ? undefined : outcome.event;
}

/** A refusal by a hook, or a failure that counts as one. */
export interface HookRefusal {
  readonly why: string;
  /** True if an event has reported that reason to people. */
  readonly isTold: boolean;
}

/** Returns why a hook blocks; undefined if it does not. */
export function hookRefusalOf({ hook, outcome }: HookResult): HookRefusal | undefined {
  if (outcome.kind === "answered" || (outcome.kind === "failed" && !hook.blocking)) return undefined;
  return { why: outcome.why, isTold: eventOf(outcome) !== undefined };
}

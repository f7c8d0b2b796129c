import type { SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { HookEvent } from "../../protocol/events/hook-events.ts";
import type { ToolNames } from "../../tools/server-tool.ts";
import type { Hook } from "./hook.ts";
import { concerns } from "./hook.ts";
import type { HookOutcome } from "./outcome.ts";
import { outcomeOf } from "./outcome.ts";
import type { HookPlace, HookRun } from "./run-hook.ts";
import { HOOK_OUTPUT_BYTES_MAX, runHook } from "./run-hook.ts";

export interface HooksParts extends HookPlace {
  readonly session: SessionId;
  /** All hooks of the session in the order of configuration; waits for what a person has to acknowledge. */
  readonly known: (signal: AbortSignal) => Promise<readonly Hook[]>;
}

/** A moment at which hooks run. */
export interface Moment {
  readonly event: HookEvent;
  /** The tool that it is about. */
  readonly tool?: ToolNames;
  /** What the next hook is told besides event, session and cwd; asked for each of them. */
  readonly input: () => JsonObject;
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
}

export interface HookSaid {
  readonly hook: Hook;
  readonly outcome: HookOutcome;
}

/** The hooks of one session. A failure of one is told as HookTimeout or HookError, always ([A] § Hook timeouts). */
export class Hooks {
  readonly #parts: HooksParts;

  constructor(parts: HooksParts) {
    this.#parts = parts;
  }

  /**
   * Runs the hooks of a moment one after the other, and says what came of each. Whoever stops reading stops the rest.
   * @throws signal.reason; HarnessError ConfigInvalid for acknowledged hooks that cannot be read.
   */
  async *run({ event, tool, input, signal, emit }: Moment): AsyncGenerator<HookSaid> {
    const { session, cwd } = this.#parts;
    for (const hook of await this.#parts.known(signal)) {
      if (!concerns(hook, event, tool)) continue;
      const text = `${JSON.stringify({ event, session, cwd, ...input() })}\n`;
      const run = await runHook(hook, text, this.#parts, signal);
      this.#tellCut(hook, run);
      const outcome = outcomeOf(hook, run);
      const wrong = eventOf(outcome);
      if (wrong !== undefined) emit(wrong);
      yield { hook, outcome };
    }
  }

  /** In the operational log, with the place of the hook and not its command, which may be nobody's business. */
  #tellCut({ event, where }: Hook, run: HookRun): void {
    if (run.kind !== "ended") return;
    for (const [stream, { total }] of [["stdout", run.stdout] as const, ["stderr", run.stderr] as const]) {
      if (total <= HOOK_OUTPUT_BYTES_MAX) continue;
      const told = { event, hook: where, stream, bytes: total, kept: HOOK_OUTPUT_BYTES_MAX };
      this.#parts.world.log.for("hook").write("warn", "«truncated» the output of a hook was cut", told);
    }
  }
}

/** By what a person is told of an outcome, the reason with it; undefined where nothing went wrong. */
function eventOf(outcome: HookOutcome): Event | undefined {
  return outcome.kind === "answered" ? undefined : outcome.event;
}

/** A no of a hook, or what stands for one. */
export interface HookRefusal {
  readonly why: string;
  /** Whether an event has told people that reason. */
  readonly isTold: boolean;
}

/** Why a hook stops what it was asked about; undefined where it does not. */
export function refusalOf({ hook, outcome }: HookSaid): HookRefusal | undefined {
  if (outcome.kind === "answered" || (outcome.kind === "failed" && !hook.blocking)) return undefined;
  return { why: outcome.why, isTold: eventOf(outcome) !== undefined };
}

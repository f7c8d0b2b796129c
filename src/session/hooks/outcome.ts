import { decode, shortened } from "../../base/text/text.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { HookAnswer } from "./answer.ts";
import { REASON_CHARACTERS_MAX, readHookAnswer } from "./answer.ts";
import type { Hook } from "./hook.ts";
import { CAN_BLOCK } from "./hook.ts";
import type { Captured, HookRun } from "./run-hook.ts";

/**
 * Outcome of one run: `why` is for a person and the model. An outcome with an `event` is reported by it: a failure, and
 * a refusal by an exit code without a reason, which may have been an accident.
 */
export type HookOutcome =
  | { readonly kind: "answered"; readonly answer: HookAnswer }
  | { readonly kind: "blocked"; readonly why: string; readonly event?: Event }
  | { readonly kind: "failed"; readonly why: string; readonly event: Event };

/** Exit code of a refusal, with the reason on standard error. */
export const EXIT_BLOCK = 2;
/** Exit codes of a shell for a program that it could not start, and for one that a signal ended. */
const EXIT_UNSTARTED = 127;
const EXIT_SIGNAL = 128;
const NANOSECONDS_PER_MS = 1_000_000;
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/**
 * Returns the outcome of a run. Every end but exit 0 with a readable answer, and exit 2 with a reason, is a failure.
 */
export function outcomeOf(hook: Hook, run: HookRun): HookOutcome {
  switch (run.kind) {
    case "late": {
      const payload = {
        event: hook.event,
        command: hook.command,
        after: hook.timeoutMs * NANOSECONDS_PER_MS,
      };
      const why = `it did not end within ${hook.timeoutMs / 1_000} s`;
      return { kind: "failed", why, event: { kind: "HookTimeout", payload } };
    }
    case "unstarted":
      return failed(hook, EXIT_UNSTARTED, `it could not be started: ${run.why}`);
    case "ended":
      return ended(hook, run);
  }
}

function ended(hook: Hook, run: Extract<HookRun, { kind: "ended" }>): HookOutcome {
  const { exit } = run;
  const stderrText = reasonText(run.stderr);
  if (exit.kind === "signal") {
    const code = EXIT_SIGNAL + (SIGNALS[exit.signal] ?? 0);
    return failed(hook, code, `it was ended by ${exit.signal}${stderrText === "" ? "" : `: ${stderrText}`}`);
  }
  if (exit.code === EXIT_BLOCK)
    return stderrText === "" ? wordless(hook) : blocked(hook, stderrText, EXIT_BLOCK);
  if (exit.code !== 0)
    return stderrText === "" ? unsaid(hook, exit.code) : failed(hook, exit.code, stderrText);
  const answer = readHookAnswer(run.stdout, hook.event);
  if ("problem" in answer) return failed(hook, 0, answer.problem);
  return answer.decision === "block" ? blocked(hook, answer.reason ?? "", 0) : { kind: "answered", answer };
}

const NO_REASON = "it gave no reason";

/** A refusal counts at a moment that can be blocked, whatever `blocking` says; elsewhere it is a failure. */
function blocked(hook: Hook, reason: string, code: number): HookOutcome {
  const why = reason.trim() === "" ? NO_REASON : reason.trim();
  if (mayObject(hook)) return { kind: "blocked", why };
  return failed(hook, code, `it said no, and nothing can be stopped at ${hook.event}: ${why}`);
}

/**
 * Counts as a refusal, to be safe, and is reported as a failure, because a shell ends this way after a syntax error.
 */
function wordless(hook: Hook): HookOutcome {
  const outcome = failed(hook, EXIT_BLOCK, NO_REASON);
  return mayObject(hook) ? { ...outcome, kind: "blocked" } : outcome;
}

function mayObject({ event }: Hook): boolean {
  return CAN_BLOCK.includes(event) || event === "PostToolUse";
}

/** The event has the code; there is nothing more to report. */
function unsaid({ event, command }: Hook, code: number): HookOutcome {
  const payload = { event, command, exit_code: code };
  return { kind: "failed", why: `it failed with exit code ${code}`, event: { kind: "HookError", payload } };
}

function failed(hook: Hook, exitCode: number, why: string): Extract<HookOutcome, { kind: "failed" }> {
  const payload = { event: hook.event, command: hook.command, exit_code: exitCode, output: why };
  return { kind: "failed", why, event: { kind: "HookError", payload } };
}

function reasonText({ bytes }: Captured): string {
  return shortened(decode(bytes).trim(), REASON_CHARACTERS_MAX);
}

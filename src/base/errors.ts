import type { Fields, Reason } from "./reasons.ts";
import { reasonText } from "./reasons.ts";

/**
 * What ends a command or a turn: a reason for programs and its text for people.
 *
 * Thrown where nothing can be chosen any more, caught once, where it becomes an `Error` event or an exit code.
 * Outcomes that a caller chooses on are values, not errors.
 */
export class HarnessError<R extends Reason = Reason> extends Error {
  override readonly name: string = "HarnessError";
  readonly reason: R;
  readonly fields: Fields<R>;

  constructor(reason: R, fields: Fields<R>, options?: ErrorOptions) {
    super(reasonText(reason, fields), options);
    this.reason = reason;
    this.fields = fields;
  }
}

/** Tells whether something thrown has this reason. */
export function hasReason<R extends Reason>(thrown: unknown, reason: R): thrown is HarnessError<R> {
  return thrown instanceof HarnessError && thrown.reason === reason;
}

/** Why a turn, call or run was cancelled; the `reason` of every abort signal of ours. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
  /** Who or what cancelled, in a word that fits the Cancelled event: a client id, "signal", "shutdown". */
  readonly by: string;

  constructor(by: string, why: string) {
    super(why);
    this.by = by;
  }
}

/** A wait that reached its named limit; the `reason` of a deadline's signal. */
export class DeadlineReached extends Error {
  override readonly name = "DeadlineReached";
  readonly afterMs: number;

  constructor(afterMs: number) {
    super(`no end within ${afterMs / 1000} s`);
    this.afterMs = afterMs;
  }
}

/** The words of anything thrown, for a text that people read. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The thrown value as an Error, for `cause` and for rethrowing. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

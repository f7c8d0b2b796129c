import type { CustomReason, Fields, Reason } from "./reasons.ts";
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

  /** `options.text` stands instead of the text of the table. */
  constructor(reason: R, fields: Fields<R>, options: ErrorOptions & { readonly text?: string } = {}) {
    const { text, ...rest } = options;
    super(text ?? reasonText(reason, fields), rest);
    this.reason = reason;
    this.fields = fields;
  }
}

/** Refusal by a plugin: its reason, its text, and fields for programs ([A] § User-facing errors). */
export interface CustomFailure {
  readonly reason: CustomReason;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the error that carries it: the one place where a reason and its text do not come from the table. */
export function customError({ reason, message, details = {} }: CustomFailure): HarnessError {
  // Whoever compares a reason compares it with one of the table, and finds that this is none.
  return new HarnessError(reason as string as Reason, details as Fields<Reason>, { text: message });
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

/** The words of anything thrown, for a text that people read. Never throws, whatever foreign code has thrown. */
export function messageOf(thrown: unknown): string {
  return textOf(() => (thrown instanceof Error ? thrown.message : thrown));
}

/** All that is known of anything thrown, for whoever mends it. Never throws. */
export function stackOf(thrown: unknown): string {
  return textOf(() => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown));
}

/** The lines of a stack without the message, which may quote a conversation. Never throws. */
export function framesOf(thrown: unknown): readonly string[] {
  const lines = thrown instanceof Error ? stackOf(thrown).split("\n") : [];
  return lines.flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
}

function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return "an error that says nothing of itself"; // a getter of somebody else's threw
  }
}

/** The thrown value as an Error, for `cause` and for rethrowing. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

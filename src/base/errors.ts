import type { CustomReason, Fields, Reason } from "./reasons.ts";
import { reasonText } from "./reasons.ts";

/**
 * Error that ends a command or a turn: a reason for programs and its text for people.
 *
 * It is thrown if the caller has no choice, and caught once, where it becomes an `Error` event or an exit code.
 * Outcomes that a caller chooses on are values, not errors.
 */
export class HarnessError<R extends Reason = Reason> extends Error {
  override readonly name: string = "HarnessError";
  readonly reason: R;
  readonly fields: Fields<R>;

  /** @param options `text` replaces the text of the table. */
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

/** Returns the error of a plugin's refusal: the only place where a reason and its text do not come from the table. */
export function customError({ reason, message, details = {} }: CustomFailure): HarnessError {
  // Callers compare reasons with those of the table, so this one matches none.
  return new HarnessError(reason as string as Reason, details as Fields<Reason>, { text: message });
}

/** Returns true if a thrown value has this reason. */
export function hasReason<R extends Reason>(thrown: unknown, reason: R): thrown is HarnessError<R> {
  return thrown instanceof HarnessError && thrown.reason === reason;
}

/** Reason of a cancelled turn, call or run; the `reason` of every abort signal of cinch. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
  /** Source of the cancel, as in the Cancelled event: a client id, "signal", "shutdown". */
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

/** Returns the message of any thrown value, for people. Never throws, whatever foreign code has thrown. */
export function messageOf(thrown: unknown): string {
  return textOf(() => (thrown instanceof Error ? thrown.message : thrown));
}

/** Returns all details of any thrown value, for developers. Never throws. */
export function stackOf(thrown: unknown): string {
  return textOf(() => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown));
}

/** Returns the lines of a stack without the message, which may quote a conversation. Never throws. */
export function framesOf(thrown: unknown): readonly string[] {
  const lines = thrown instanceof Error ? stackOf(thrown).split("\n") : [];
  return lines.flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
}

function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return "an error that says nothing of itself"; // a foreign getter threw
  }
}

/** Returns the thrown value as an Error, for `cause` and for rethrowing. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

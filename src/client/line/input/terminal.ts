import type { Completion } from "../../../view/slash/complete.ts";
import type { CopyResult } from "../../slash/slash-context.ts";

/**
 * Input and output of the line client: a terminal, a pipe or a test.
 *
 * The maker owns the real streams and restores the terminal's mode.
 */
export interface LineTerminal {
  /**
   * Yields the user's input in order. Ends when the input is closed or the signal aborts.
   *
   * The reader asks for each line; a terminal reads ahead, a pipe need not.
   */
  input(signal: AbortSignal): AsyncIterable<LineInput>;
  /** Prints a text that is already neutralised; waits while the reader of the output is slow. */
  write(text: string): Promise<void>;
  /**
   * Asks for the next line with this prompt; undefined while no line is wanted. With a question, the line is
   * its answer.
   *
   * An interactive terminal then takes no pasted text, and no key until the question has been visible for a while
   * without one (PERM-14). The prompt appears only then.
   */
  prompt(text: string | undefined, question?: AskedLine): void;
  /** Notes that the last line is being processed: prompts before that asked for no further line. */
  onLineTaken?(): void;
  /** Clears the screen and the scrollback; absent without a screen. */
  clear?(): void;
  /** Puts a text into the clipboard; absent without a terminal that could. */
  copy?(text: string): CopyResult;
  /** Rings the bell; absent without a terminal. */
  ring?(): void;
  /**
   * Asks for a secret that the terminal does not show, and that is no line of the input. Resolves to undefined if the
   * user gives up. Absent without a terminal that could hide it.
   */
  askSecret?(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Sets the function that completes what is being typed; absent without line editing. */
  completesWith?(complete: Complete): void;
  /** Current width in columns; undefined if unknown. */
  readonly columns?: number | undefined;
  /** True if a person may type at any time; lines of a pipe are read only on request. */
  readonly interactive: boolean;
  /** True if a prompt can be redrawn in place, as a countdown needs; else each prompt is printed again. */
  readonly redraws: boolean;
}

/** Completes the beginning of a line; returns undefined if nothing fits. */
export type Complete = (typed: string) => Promise<Completion | undefined>;

/** A question that the next line answers. */
export interface AskedLine {
  /** Identifies the question: the same object as long as it is open. */
  readonly question: object;
  /** True if any text may answer it: pasted text goes into the line, and only Enter sends it. */
  readonly takesPaste: boolean;
}

export type LineInput =
  /** `answers`: the question that the line was typed for, if any. */
  | { readonly kind: "line"; readonly text: string; readonly answers?: object | undefined }
  /** Ctrl-C. `atMs`: milliseconds of a monotonic clock. */
  | { readonly kind: "interrupt"; readonly atMs: number };

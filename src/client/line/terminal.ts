import type { Completion } from "../kit/complete.ts";

/**
 * What the line client talks to: a terminal, a pipe, or a test. Whoever makes one owns the real streams and puts a
 * terminal back as it was.
 */
export interface LineTerminal {
  /**
   * What the person does, in order. Ends when the input is closed or the signal aborts.
   *
   * The reader takes the next line only when it wants one; a terminal reads ahead, a pipe need not.
   */
  input(signal: AbortSignal): AsyncIterable<LineInput>;
  /** Prints; waits where the reader of the output is slow. What is printed has been made safe before. */
  write(text: string): Promise<void>;
  /** Asks for the next line under this prompt; undefined while none is wanted. */
  prompt(text: string | undefined): void;
  /** Tells that the line that was read last is being dealt with: prompts before that asked for no further one. */
  taken?(): void;
  /** Clears the screen, and what scrolled off it; absent where there is none. */
  clear?(): void;
  /** Has what is being typed completed by this; absent where lines are not edited. */
  completesWith?(complete: Complete): void;
  /** How wide it is now; undefined where that is not known. */
  readonly columns?: number | undefined;
  /** Whether a person sits there and may type at any time; lines of a pipe are taken only when asked for. */
  readonly interactive: boolean;
  /** Whether a prompt can be replaced where it stands, as a countdown needs; else each one is printed anew. */
  readonly redraws: boolean;
}

/** What the beginning of a line may become; undefined where there is nothing to complete. */
export type Complete = (typed: string) => Promise<Completion | undefined>;

export type LineInput =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C, with the moment it was pressed in milliseconds of a clock that never goes back. */
  | { readonly kind: "interrupt"; readonly atMs: number };

import type { Completion } from "../../../view/slash/complete.ts";

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
  /**
   * Asks for the next line under this prompt; undefined while none is wanted.
   *
   * With a question, the line is its answer. A terminal where a person sits takes no pasted text for it, and no key until
   * it has stood there for a while without any (PERM-14): until then the prompt is not shown.
   */
  prompt(text: string | undefined, question?: AskedLine): void;
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

/** A question that the next line answers. */
export interface AskedLine {
  /** The same object as long as it is the same question. */
  readonly question: object;
  /** Any text may answer it: pasted text goes into the line, and Enter alone sends it. */
  readonly takesPaste: boolean;
}

export type LineInput =
  /** `answers`: the question that it was typed for; absent for a line that answers none. */
  | { readonly kind: "line"; readonly text: string; readonly answers?: object | undefined }
  /** Ctrl-C, with the moment it was pressed in milliseconds of a clock that never goes back. */
  | { readonly kind: "interrupt"; readonly atMs: number };

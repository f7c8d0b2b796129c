import type { WriteStream } from "node:tty";
import { BoundedQueue } from "../../../base/async/queue.ts";
import type { Clock } from "../../../base/world.ts";
import type { Complete, LineInput, LineTerminal } from "../../../client/line/input/terminal.ts";
import { clipboardSequence } from "../../../view/terminal/clipboard.ts";
import type { Output } from "../output.ts";
import { outputError } from "../output.ts";
import { BELL, EditedLine } from "./edited-line.ts";

const LINES_AHEAD_MAX = 1_000;

export interface TtyOptions {
  readonly output: Output;
  readonly clock: Clock;
  /** The stream of `output`; standard output when omitted. */
  readonly screen?: WriteStream;
  /** False for a terminal that can only print, such as TERM=dumb: no editing, no cursor moves. */
  readonly canMove: boolean;
  /** True inside tmux, which passes a copied text on to the terminal outside. */
  readonly inTmux?: boolean;
  /** False for a command that only asks questions. Default: true. */
  readonly hasPrompts?: boolean;
}

export interface TtyTerminal extends LineTerminal, Disposable {
  /** Called for a Ctrl-C that reached the process instead of the line editor. */
  interrupt(): void;
}

/**
 * Returns the line client's terminal for a person, with line editing and history.
 *
 * Output during typing appears above the line. While streamed text is in the middle of a line, typed text is hidden,
 * and appears under the next whole line; none of it is lost. Disposing it leaves raw mode. On a terminal that went back
 * to the shell, or was closed, nothing is drawn, and that is no error.
 */
export function ttyTerminal(options: TtyOptions): TtyTerminal {
  const { output, clock, canMove, hasPrompts = true, screen = process.stdout } = options;
  const inputs = new BoundedQueue<LineInput>(LINES_AHEAD_MAX);
  let complete: Complete | undefined;

  function push(input: LineInput): void {
    if (!inputs.push(input)) screen.write(BELL);
  }

  // A line below an output that takes nothing is never seen. A terminal that was closed is no failure.
  if (!output.isTerminal) screen.on("error", (error) => inputs.fail(outputError(error)));

  function interrupt(): void {
    push({ kind: "interrupt", atMs: clock.monotonic() });
  }

  const line = new EditedLine({
    clock,
    screen,
    canMove,
    hasPrompts,
    complete: (typed) => completed(typed, complete),
    onLine: push,
    onInterrupt: interrupt,
    onEnd: () => inputs.end(),
  });

  return {
    interactive: true,
    redraws: canMove,
    get columns() {
      return output.columns;
    },
    interrupt,
    completesWith(completer) {
      complete = completer;
    },
    ...(output.isTerminal ? { ring: () => void screen.write(BELL) } : {}),
    ...(canMove
      ? {
          clear: () => line.clear(),
          copy: (text) => copy(text, options),
          askSecret: (question, signal) => line.askSecret(question, signal),
        }
      : {}),
    async *input(signal) {
      const end = () => {
        line.leaveRawMode(); // every write from here on must know whether the terminal is ours
        inputs.end();
      };
      signal.addEventListener("abort", end, { once: true });
      try {
        if (!signal.aborted) yield* inputs;
      } finally {
        signal.removeEventListener("abort", end);
      }
    },
    async write(text) {
      if (line.isLost) return; // it is in the session
      line.erase();
      await output.write(text);
      line.showBelow(text);
    },
    prompt: (text, asked) => line.ask(text ?? "", asked),
    [Symbol.dispose]: () => line[Symbol.dispose](),
  };
}

/** Has the terminal copy a text. The sequence draws nothing, so the edited line stays. */
function copy(
  text: string,
  { screen = process.stdout, inTmux }: TtyOptions,
): "terminal" | "tmux" | "too-long" {
  const sequence = clipboardSequence(text, inTmux === true);
  if (sequence === undefined) return "too-long";
  screen.write(sequence);
  return inTmux === true ? "tmux" : "terminal";
}

/** Completes the typed text to the common beginning of all candidates; the second time, lists them. */
async function completed(typed: string, complete: Complete | undefined): Promise<[string[], string]> {
  const found = await complete?.(typed);
  if (found === undefined) return [[], typed];
  return [found.text === typed ? [...found.candidates] : [found.text], typed];
}

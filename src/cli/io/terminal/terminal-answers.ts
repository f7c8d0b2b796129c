import { Cancelled } from "../../../base/errors.ts";
import type { ProcessContext } from "../../process-context.ts";
import { ttyTerminal } from "./tty-terminal.ts";

/** Answers that a person types to the questions of a command. */
export interface TerminalAnswers extends Disposable {
  /**
   * Asks, and returns the line that answers; undefined at the end of the input, which a signal causes.
   * @throws Cancelled on Ctrl-C.
   */
  next(question: string): Promise<string | undefined>;
}

/**
 * Asks on standard error and reads standard input, which is a terminal. Neither a pasted text nor an earlier key
 * answers (PERM-14).
 */
export function terminalAnswers(
  { stderr, world: { clock } }: Pick<ProcessContext, "stderr" | "world">,
  signal: AbortSignal,
): TerminalAnswers {
  const canMove = stderr.isTerminal && (process.env["TERM"] ?? "dumb") !== "dumb";
  const terminal = ttyTerminal({
    output: stderr,
    screen: process.stderr,
    clock,
    canMove,
    hasPrompts: false,
  });
  const giveBack = () => terminal[Symbol.dispose]();
  process.once("exit", giveBack);
  const lines = terminal.input(signal)[Symbol.asyncIterator]();
  return {
    async next(text) {
      const question = {};
      terminal.prompt(text, { question, takesPaste: false });
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) return undefined;
        if (value.kind === "interrupt") throw new Cancelled("terminal", "interrupted at a question");
        if (value.answers !== question) continue;
        terminal.prompt(undefined);
        return value.text;
      }
    },
    [Symbol.dispose]() {
      process.off("exit", giveBack);
      giveBack();
    },
  };
}

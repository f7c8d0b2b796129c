import { HarnessError } from "../../../base/errors.ts";
import type { LineInput, LineTerminal } from "../../../client/line/input/terminal.ts";
import type { Output } from "../output.ts";

export const PIPED_LINE_CHARACTERS_MAX = 1_048_576;

/**
 * Returns the line client's terminal for input from a pipe or a file: a line is read only on request. A script's next
 * line thus waits for the turn before it, and may answer a question of that turn.
 */
export function pipeTerminal(output: Output, input: () => ReadableStream<Uint8Array>): LineTerminal {
  let wanted = false;
  /** True while a returned line is being processed. */
  let isOut = false;
  let question: object | undefined;
  let wake: (() => void) | undefined;

  async function untilPrompt(signal: AbortSignal): Promise<void> {
    if (wanted || signal.aborted) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  return {
    interactive: false,
    redraws: false,
    write: (text) => output.write(text),
    prompt(text, asked) {
      question = asked?.question;
      wanted = text !== undefined && !isOut;
      if (wanted) wake?.();
    },
    onLineTaken() {
      isOut = false;
    },
    async *input(signal): AsyncGenerator<LineInput> {
      await untilPrompt(signal);
      for await (const text of linesOf(input(), signal)) {
        wanted = false;
        isOut = true;
        yield { kind: "line", text, answers: question };
        await untilPrompt(signal);
        if (signal.aborted) return;
      }
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => undefined); // the reader sees the end; its outcome is not needed
  signal.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let rest = "";
  while (!signal.aborted) {
    const { value, done } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
    if (rest.length > PIPED_LINE_CHARACTERS_MAX) {
      const problem = `a line on standard input has more than ${PIPED_LINE_CHARACTERS_MAX} characters`;
      throw new HarnessError("UsageInvalid", { problem });
    }
    if (done) break;
  }
  if (rest !== "") yield rest;
}

import type { LineInput, LineTerminal } from "./terminal.ts";

/**
 * Returns a terminal that several clients read in sequence: a line that one did not take goes to the next.
 *
 * Reading ahead ends with the signal.
 */
export function sharedTerminal(terminal: LineTerminal, signal: AbortSignal): LineTerminal {
  const source = terminal.input(signal)[Symbol.asyncIterator]();
  let coming: Promise<IteratorResult<LineInput, unknown>> | undefined;
  return {
    interactive: terminal.interactive,
    redraws: terminal.redraws,
    get columns() {
      return terminal.columns;
    },
    write: (text) => terminal.write(text),
    prompt: (text, asked) => terminal.prompt(text, asked),
    onLineTaken: () => terminal.onLineTaken?.(),
    ...(terminal.clear === undefined ? {} : { clear: () => terminal.clear?.() }),
    ...(terminal.copy === undefined ? {} : { copy: (text) => terminal.copy?.(text) ?? "no-terminal" }),
    ...(terminal.ring === undefined ? {} : { ring: () => terminal.ring?.() }),
    ...(terminal.askSecret === undefined
      ? {}
      : { askSecret: async (question, until) => await terminal.askSecret?.(question, until) }),
    completesWith: (complete) => terminal.completesWith?.(complete),
    async *input(signal): AsyncGenerator<LineInput> {
      const whenAborted = aborted(signal);
      while (!signal.aborted) {
        coming ??= source.next();
        const result = await Promise.race([coming, whenAborted]);
        if (result === undefined || result.done === true) return;
        yield result.value;
        coming = undefined; // taken only now: a client that leaves earlier leaves the line to the next one
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

import type { LineInput, LineTerminal } from "./terminal.ts";

/**
 * A terminal that one client after another reads: what was typed and not yet taken is for the next one. What is read
 * ahead ends with the signal.
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
    taken: () => terminal.taken?.(),
    ...(terminal.clear === undefined ? {} : { clear: () => terminal.clear?.() }),
    completesWith: (complete) => terminal.completesWith?.(complete),
    async *input(own): AsyncGenerator<LineInput> {
      const left = aborted(own);
      while (!own.aborted) {
        coming ??= source.next();
        const result = await Promise.race([coming, left]);
        if (result === undefined || result.done === true) return;
        yield result.value;
        coming = undefined; // only now is it surely taken: who leaves before leaves it to the next one
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

import { expect, test } from "bun:test";
import { sharedTerminal } from "./shared-terminal.ts";
import type { LineInput, LineTerminal } from "./terminal.ts";

function terminalWith(...lines: readonly string[]): LineTerminal {
  return {
    interactive: true,
    redraws: false,
    write: () => Promise.resolve(),
    prompt: () => undefined,
    async *input(): AsyncGenerator<LineInput> {
      for (const text of lines) yield { kind: "line", text };
    },
  };
}

async function rest(terminal: LineTerminal): Promise<readonly LineInput[]> {
  return await Array.fromAsync(terminal.input(new AbortController().signal));
}

test("[CLI-01 SES-07] a line that one client has been given and not dealt with is for the next one", async () => {
  const shared = sharedTerminal(terminalWith("one", "two", "three"), new AbortController().signal);
  const first = shared.input(new AbortController().signal)[Symbol.asyncIterator]();
  expect((await first.next()).value).toEqual({ kind: "line", text: "one" });
  // Asking for the next is what says that the one before was dealt with.
  expect((await first.next()).value).toEqual({ kind: "line", text: "two" });
  await first.return?.();
  expect(await rest(shared)).toEqual([
    { kind: "line", text: "two" },
    { kind: "line", text: "three" },
  ]);
});

test("[CLI-01 SES-07] a client that waits for a line ends when it is asked to leave, and consumes no line", async () => {
  const typed = Promise.withResolvers<void>();
  const terminal: LineTerminal = {
    ...terminalWith(),
    async *input(): AsyncGenerator<LineInput> {
      await typed.promise;
      yield { kind: "line", text: "late" };
    },
  };
  const shared = sharedTerminal(terminal, new AbortController().signal);
  const leave = new AbortController();
  const waiting = Array.fromAsync(shared.input(leave.signal));
  leave.abort();
  expect(await waiting).toEqual([]);
  typed.resolve();
  expect(await rest(shared)).toEqual([{ kind: "line", text: "late" }]);
});

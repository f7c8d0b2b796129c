import { closeSync, constants, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream } from "node:tty";

/** The terminal that a process belongs to, whatever its standard streams are. */
const TERMINAL = "/dev/tty";

/**
 * Asks a person at the controlling terminal and resolves to the line that they type; undefined where there is no such
 * terminal, or it is closed. Standard input and output are left alone: they may be somebody else's.
 * @throws the signal's reason.
 */
export async function askAtTerminal(question: string, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const descriptor = openTerminal();
  if (descriptor === undefined) return undefined;
  const input = new ReadStream(descriptor);
  const reader = createInterface({ input, terminal: false });
  try {
    writeSync(descriptor, question);
    return await new Promise<string | undefined>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      reader.once("line", resolve);
      reader.once("close", () => resolve(undefined));
      input.once("error", () => resolve(undefined));
    });
  } finally {
    reader.close();
    input.destroy();
  }
}

/**
 * Shows a text at the controlling terminal; false where there is none that takes it at once. It never waits for one that is
 * held up, nor does it become the terminal's own.
 */
export async function tellAtTerminal(text: string): Promise<boolean> {
  const descriptor = openForWriting();
  if (descriptor === undefined) return false;
  try {
    return writeSync(descriptor, text) === Buffer.byteLength(text);
  } catch {
    return false; // it is held up, or gone
  } finally {
    closeSync(descriptor);
  }
}

/** Whether this process belongs to a terminal now. */
export function hasTerminal(): boolean {
  const descriptor = openForWriting();
  if (descriptor !== undefined) closeSync(descriptor);
  return descriptor !== undefined;
}

function openForWriting(): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(TERMINAL, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}

function openTerminal(): number | undefined {
  try {
    return openSync(TERMINAL, "r+");
  } catch {
    return undefined; // none: a service, a window system, a pipe
  }
}

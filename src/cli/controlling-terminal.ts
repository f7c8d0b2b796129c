import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";

/** The terminal that a process belongs to, whatever its standard streams are. */
const TERMINAL = "/dev/tty";

/** A line that a person types is no longer. */
const LINE_CHARACTERS_MAX = 1_024;

/**
 * Asks a person at the controlling terminal and resolves to the line that they type; undefined where there is no such
 * terminal, it is closed, or this process is in the background there, where reading would only stop it. Standard input and
 * output are left alone: they may be somebody else's. Once it has resolved nothing is read any more: what is typed next is
 * for whoever has the terminal.
 * @throws the signal's reason.
 */
export async function askAtTerminal(question: string, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const descriptor = isInForeground() ? openTerminal() : undefined;
  if (descriptor === undefined) return undefined;
  // Waits for the terminal to have something: a read that has begun on a thread could not be taken back.
  const reader = Bun.file(descriptor).stream().getReader();
  const leave = () => void reader.cancel().catch(() => undefined); // the reading ends, which is all that is wanted
  signal.addEventListener("abort", leave, { once: true });
  let line: string | undefined;
  try {
    writeSync(descriptor, question);
    line = await lineFrom(reader);
  } finally {
    signal.removeEventListener("abort", leave);
    await reader.cancel().catch(() => undefined); // it has ended by itself
    closeSync(descriptor);
  }
  signal.throwIfAborted();
  return line;
}

async function lineFrom(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < LINE_CHARACTERS_MAX) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    text += decoder.decode(value, { stream: true });
    // A program that has the terminal for itself may have it send a carriage return.
    const end = text.search(/[\r\n]/);
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
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
  const { O_RDWR, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(TERMINAL, O_RDWR | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined; // none: a service, a window system, a pipe
  }
}

/** Whether the terminal's group of processes is this one's; true where the system does not say. */
function isInForeground(): boolean {
  let stat: string;
  try {
    stat = readFileSync("/proc/self/stat", "utf8");
  } catch {
    return true;
  }
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === foreground;
}

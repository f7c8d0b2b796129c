import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import type { Clock } from "../../../base/world.ts";
import { AnswerGuard } from "../../../view/terminal/answer-guard.ts";
import { isBurst } from "../../../view/terminal/bracketed-paste.ts";

/** The controlling terminal of the process, whatever its standard streams are. */
const TERMINAL = "/dev/tty";

/** Longest line that a person types. */
const LINE_CHARACTERS_MAX = 1_024;
/** Two lines within this time were pasted, not typed. */
const LINE_PAUSE_MS = 50;

interface TerminalQuestion {
  readonly question: string;
  /** Printed behind the question as soon as it takes an answer. */
  readonly prompt: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Asks a person at the controlling terminal and resolves to the line that they type; undefined if there is no such
 * terminal, it is closed, or this process is in the background there, where reading would only stop it. Standard input
 * and output are left alone: they may be another program's. Once it has resolved nothing is read any more: further keys
 * are for the owner of the terminal.
 * @throws the signal's reason.
 */
export async function askAtTerminal({
  question,
  prompt,
  clock,
  signal,
}: TerminalQuestion): Promise<string | undefined> {
  signal.throwIfAborted();
  const descriptor = isInForeground() ? openTerminal() : undefined;
  if (descriptor === undefined) return undefined;
  // Waits for the terminal to have something: a read on a thread could not be taken back.
  const reader = Bun.file(descriptor).stream().getReader();
  const leave = () => void reader.cancel().catch(() => undefined); // the reading ends, as intended
  signal.addEventListener("abort", leave, { once: true });
  let line: string | undefined;
  try {
    writeSync(descriptor, question);
    line = await answerFrom(reader, { clock, prompt, tell: (text) => writeSync(descriptor, text) });
  } finally {
    signal.removeEventListener("abort", leave);
    await reader.cancel().catch(() => undefined); // it has already ended
    closeSync(descriptor);
  }
  signal.throwIfAborted();
  return line;
}

/** Reads a line that was neither pasted nor typed before the question had been visible for a moment (PERM-14). */
async function answerFrom(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  {
    clock,
    tell,
    prompt,
  }: { readonly clock: Clock; readonly tell: (text: string) => void; readonly prompt: string },
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  using guard = new AnswerGuard(clock, () => tell(prompt));
  guard.ask({});
  let text = "";
  while (text.length < LINE_CHARACTERS_MAX) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    const isEarly = guard.state === "waiting";
    guard.key();
    text += decoder.decode(value, { stream: true });
    if (isEarly || isBurst(text)) {
      guard.pasted();
      text = "";
      continue;
    }
    // A program that has the terminal to itself may have it send a carriage return.
    const end = text.search(/[\r\n]/);
    if (end < 0) continue;
    if (!(await isFollowed(reader, clock))) return text.slice(0, end);
    guard.pasted();
    text = "";
  }
  return undefined;
}

/** The system passes one line at a time: lines that follow at once were pasted with it. */
async function isFollowed(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  using _pause = clock.timer(LINE_PAUSE_MS, () => resolve(false));
  return await Promise.race([reader.read().then(({ done }) => !done), promise]);
}

/**
 * Shows a text at the controlling terminal. Returns false if there is none, or it does not take the text at once. Never
 * waits for a stopped terminal, and does not become its controlling process.
 */
export async function showAtTerminal(text: string): Promise<boolean> {
  const descriptor = openForWriting();
  if (descriptor === undefined) return false;
  try {
    return writeSync(descriptor, text) === Buffer.byteLength(text);
  } catch {
    return false; // it is stopped, or gone
  } finally {
    closeSync(descriptor);
  }
}

/** Returns true if this process has a terminal now. */
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

/** Returns true if this process group has the terminal, and if the system does not say. */
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

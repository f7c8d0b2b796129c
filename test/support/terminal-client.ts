import type { Terminal } from "./terminal.ts";
import { until } from "./until.ts";

/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 600;

/** Starts the terminal client at the prompt of the shell, and waits for its draft. */
export async function startClient(terminal: Terminal): Promise<void> {
  await terminal.type("$CINCH");
  await terminal.press("Enter");
  await terminal.shows(/\n>/);
}

/** Sends a prompt once the draft shows it: a key that follows at once may be read together with the text. */
export async function sendPrompt(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text);
  await terminal.shows(`\n> ${text}`);
  await terminal.press("Enter");
}

/** Presses a key until the question takes it. Before that the draft gets the key, and it is deleted there. */
export async function answerQuestion(
  terminal: Terminal,
  key: string,
  isTaken: () => Promise<boolean>,
): Promise<void> {
  let pressedAtMs = performance.now();
  let isTyped = false;
  await until(`the question takes ${key}`, async () => {
    if (isTyped && (await isTaken())) return true;
    if (performance.now() - pressedAtMs < QUIET_MS) return false;
    await terminal.press(isTyped ? "BSpace" : key);
    isTyped = !isTyped;
    pressedAtMs = performance.now();
    return false;
  });
}

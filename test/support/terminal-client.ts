import type { Terminal } from "./terminal.ts";

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

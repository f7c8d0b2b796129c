import { createInterface } from "node:readline";
import { HarnessError } from "../base/errors.ts";
import { neutraliseLine } from "../client/kit/terminal-text.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Asks a person at the terminal for a yes; anything else, and the end of the input, is a no.
 * @throws HarnessError UsageInvalid where nobody can be asked; the signal's reason.
 */
export async function askYes(
  question: string,
  { at, signal }: { readonly at: Pick<Surroundings, "stderr">; readonly signal: AbortSignal },
): Promise<boolean> {
  if (process.stdin.isTTY !== true) {
    throw new HarnessError("UsageInvalid", {
      problem: "nobody can be asked here: say --yes to do it",
    });
  }
  await at.stderr.write(`${neutraliseLine(question)} [y/N] `);
  const reader = createInterface({ input: process.stdin, terminal: false });
  const stop = () => reader.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of reader) return /^y(?:es)?$/i.test(line.trim());
  } finally {
    signal.removeEventListener("abort", stop);
    reader.close();
  }
  signal.throwIfAborted();
  return false;
}

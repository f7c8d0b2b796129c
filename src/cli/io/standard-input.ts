import { fstatSync } from "node:fs";
import type { Clock } from "../../base/world.ts";
import { misuse } from "../args/misuse.ts";

export const INPUT_BYTES_MAX = 4 * 1024 * 1024;
/** Silence after which a pipe counts as left open by the parent process. */
export const ATTACHMENT_FIRST_BYTE_MS_MAX = 3_000;
/** The same where standard input is the prompt itself. */
export const PROMPT_FIRST_BYTE_MS_MAX = 30_000;
/** Longest silence of a pipe that has started to send. */
export const INPUT_SILENCE_MS_MAX = 600_000;

export interface InputLimits {
  readonly clock: Clock;
  readonly firstByteMsMax: number;
  readonly signal: AbortSignal;
}

export type StandardInput =
  | { readonly kind: "text"; readonly text: string }
  /** A terminal, a device, or closed. */
  | { readonly kind: "none" }
  /** A pipe without a writer that is never closed. */
  | { readonly kind: "silent" };

/**
 * Reads standard input to its end if it is a pipe, a socket or a file; never waits for a pipe that stays silent.
 *
 * @throws HarnessError UsageInvalid if it is no text, is longer than `INPUT_BYTES_MAX` or never ends.
 */
export async function readStandardInput(limits: InputLimits): Promise<StandardInput> {
  return isPiped() ? await readPiped(limits) : { kind: "none" };
}

/** Returns true if standard input may bring something: a pipe, a socket or a file. */
export function isPiped(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false; // closed
  }
}

async function readPiped(limits: InputLimits): Promise<StandardInput> {
  const reader = Bun.stdin.stream().getReader();
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (true) {
    const msMax = total === 0 ? limits.firstByteMsMax : INPUT_SILENCE_MS_MAX;
    const read = await readWithin(reader, msMax, limits);
    if (read === "silent") {
      if (total === 0) return { kind: "silent" };
      throw misuse(
        `standard input has been silent for ${INPUT_SILENCE_MS_MAX / 60_000} minutes and does not end`,
      );
    }
    if (read.done) break;
    chunks.push(read.value);
    total += read.value.length;
    if (total > INPUT_BYTES_MAX) {
      throw misuse("standard input has more than 4 MiB; put it into a file and name the file in the prompt");
    }
  }
  return { kind: "text", text: textOf(Buffer.concat(chunks)) };
}

type Read = { readonly done: true } | { readonly done: false; readonly value: Uint8Array };

function readWithin(
  reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> },
  ms: number,
  { clock, signal }: InputLimits,
): Promise<Read | "silent"> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = clock.timer(ms, () => resolve("silent"));
    reader
      .read()
      .then(({ value }) => resolve(value === undefined ? { done: true } : { done: false, value }), reject)
      .finally(() => {
        timer[Symbol.dispose]();
        signal.removeEventListener("abort", onAbort);
      });
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // reported below
  }
  throw misuse("standard input is not UTF-8 text; put it into a file and name the file in the prompt");
}

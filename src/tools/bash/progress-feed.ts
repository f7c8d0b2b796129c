import type { Clock } from "../../base/world.ts";
import type { CommandProgress } from "../tool.ts";
import { stripTerminalCodes } from "./strip-terminal-codes.ts";

/** Shortest time between two reports of one call: at most four a second. */
const INTERVAL_MS = 250;
/** Longest time without a report while a command runs: clients show its time. */
export const SILENT_MS_MAX = 10_000;
/** Bytes of output per report, from the end of what came since the last one. */
const PART_BYTES_MAX = 8_192;
/** Characters per call that the log keeps; the result has more. The last lines are reported beyond that too. */
export const PROGRESS_CHARACTERS_MAX = 65_536;

/**
 * Reports a running command to clients: the first output at once, later output collected for 250 ms, with its bytes,
 * lines and time (TOOL-02, CTL-19).
 *
 * Bounded: each report has the latest part only. Beyond `PROGRESS_CHARACTERS_MAX` it updates the last lines alone.
 */
export class ProgressFeed implements Disposable {
  readonly #clock: Clock;
  readonly #show: (partial: string, command: CommandProgress) => void;
  #decoder = new TextDecoder();
  #waiting = "";
  #shown = 0;
  #bytes = 0;
  #lines = 0;
  #startMs: number;
  #timer: Disposable | undefined;
  #silence: Disposable | undefined;

  constructor(clock: Clock, show: (partial: string, command: CommandProgress) => void) {
    this.#clock = clock;
    this.#show = show;
    this.#startMs = clock.monotonic();
  }

  /** Starts the time of the command: it may have waited for the record of its call. */
  begin(): void {
    this.#startMs = this.#clock.monotonic();
    this.#awaitSilence();
  }

  /** Counts output as the command wrote it. */
  received(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#lines += 1;
  }

  /** Collects output in the form that may be shown. */
  push(chunk: Uint8Array): void {
    this.#waiting = (this.#waiting + this.#decode(chunk)).slice(-PART_BYTES_MAX);
    if (this.#timer === undefined) this.#flush();
  }

  /** Reports what is still waiting. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#silence?.[Symbol.dispose]();
    this.#silence = undefined;
    this.#report();
  }

  #decode(chunk: Uint8Array): string {
    if (chunk.length <= PART_BYTES_MAX) return this.#decoder.decode(chunk, { stream: true });
    this.#decoder = new TextDecoder(); // the beginning is dropped, and half a character with it
    return this.#decoder.decode(chunk.subarray(-PART_BYTES_MAX), { stream: true });
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#report()) return;
    this.#timer = this.#clock.timer(INTERVAL_MS, () => this.#flush());
    this.#awaitSilence();
  }

  #awaitSilence(): void {
    this.#silence?.[Symbol.dispose]();
    this.#silence = this.#clock.timer(SILENT_MS_MAX, () => {
      this.#show("", this.#facts());
      this.#awaitSilence();
    });
  }

  #report(): boolean {
    const text = stripTerminalCodes(this.#waiting).toWellFormed();
    this.#waiting = "";
    if (text === "") return false;
    this.#shown += text.length;
    const tailOnly = this.#shown > PROGRESS_CHARACTERS_MAX ? ({ tailOnly: true } as const) : {};
    this.#show(text, { ...this.#facts(), ...tailOnly });
    return true;
  }

  #facts(): CommandProgress {
    const elapsedMs = Math.max(0, Math.round(this.#clock.monotonic() - this.#startMs));
    return { bytes: this.#bytes, lines: this.#lines, elapsedMs };
  }
}

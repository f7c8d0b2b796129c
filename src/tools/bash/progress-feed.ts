import type { Clock } from "../../base/world.ts";
import { stripTerminalCodes } from "./strip-terminal-codes.ts";

const INTERVAL_MS = 100;
/** Bytes shown per interval, from the end of its output. */
const PART_BYTES_MAX = 4_096;
/** Limit per call; the result has more. */
export const PROGRESS_CHARACTERS_MAX = 65_536;

/**
 * Passes the output of a running command to clients: the first part at once, later parts collected for 100
 * ms (TOOL-02).
 *
 * Bounded: each interval shows the latest part only, and nothing after `PROGRESS_CHARACTERS_MAX`.
 */
export class ProgressFeed implements Disposable {
  readonly #clock: Clock;
  readonly #show: (partial: string) => void;
  #decoder = new TextDecoder();
  #waiting = "";
  #shown = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, show: (partial: string) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  push(chunk: Uint8Array): void {
    if (this.#shown >= PROGRESS_CHARACTERS_MAX) return;
    this.#waiting = (this.#waiting + this.#decode(chunk)).slice(-PART_BYTES_MAX);
    if (this.#timer === undefined) this.#flush();
  }

  /** Shows the text that is still waiting. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#send();
  }

  #decode(chunk: Uint8Array): string {
    if (chunk.length <= PART_BYTES_MAX) return this.#decoder.decode(chunk, { stream: true });
    this.#decoder = new TextDecoder(); // the beginning is dropped, and half a character with it
    return this.#decoder.decode(chunk.subarray(-PART_BYTES_MAX), { stream: true });
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#send()) return;
    this.#timer = this.#clock.timer(INTERVAL_MS, () => this.#flush());
  }

  #send(): boolean {
    const text = stripTerminalCodes(this.#waiting).toWellFormed();
    this.#waiting = "";
    if (text === "" || this.#shown >= PROGRESS_CHARACTERS_MAX) return false;
    this.#shown += text.length;
    this.#show(this.#shown < PROGRESS_CHARACTERS_MAX ? text : `${text}\n[what follows is not shown here]\n`);
    return true;
  }
}

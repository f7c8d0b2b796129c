import type { Clock } from "../../base/world.ts";
import { plainText } from "./plain-text.ts";

const INTERVAL_MS = 100;
/** Of what came within one interval, the end. */
const PART_BYTES_MAX = 4_096;
/** Of one call; people who want more look at the result. */
export const PROGRESS_CHARACTERS_MAX = 65_536;

/**
 * Hands on what a command writes to those who watch: the first part at once, later ones gathered for 100 ms (TOOL-02).
 *
 * Bounded: of a flood the latest part of each interval is shown, and nothing more once `PROGRESS_CHARACTERS_MAX` were.
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

  /** Shows what is still waiting. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#send();
  }

  #decode(chunk: Uint8Array): string {
    if (chunk.length <= PART_BYTES_MAX) return this.#decoder.decode(chunk, { stream: true });
    this.#decoder = new TextDecoder(); // the beginning is left out, and half a character with it
    return this.#decoder.decode(chunk.subarray(-PART_BYTES_MAX), { stream: true });
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#send()) return;
    this.#timer = this.#clock.timer(INTERVAL_MS, () => this.#flush());
  }

  #send(): boolean {
    const text = plainText(this.#waiting).toWellFormed();
    this.#waiting = "";
    if (text === "" || this.#shown >= PROGRESS_CHARACTERS_MAX) return false;
    this.#shown += text.length;
    this.#show(this.#shown < PROGRESS_CHARACTERS_MAX ? text : `${text}\n[what follows is not shown here]\n`);
    return true;
  }
}

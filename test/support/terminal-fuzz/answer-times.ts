import type { AskId, CallId } from "../../../src/base/ids.ts";
import { NO_KEYS, OF_QUESTIONS } from "./sequences.ts";

/** No key answers a question until none was pressed for this time. */
const QUIET_MS = 300;

/** A key of the person, and what it did. */
interface PressedKey {
  readonly atMs: number;
  readonly bytes: string;
  /** True if a field of the question had the cursor. */
  readonly wasInField: boolean;
  /** True once it has changed the draft. */
  hasTyped: boolean;
}

/** Notes when keys are pressed and questions shown, and judges when an answer is sent (PERM-14). */
export class AnswerTimes {
  readonly #keys: PressedKey[] = [];
  readonly #shownAtMs = new Map<CallId | AskId, number>();
  #last: { readonly id: string; readonly atMs: number } | undefined;

  key(bytes: string, atMs: number, wasInField: boolean): PressedKey {
    const key = { bytes, atMs, wasInField, hasTyped: false };
    this.#keys.push(key);
    return key;
  }

  /** Notes the questions of a frame. One that is gone and comes back is shown anew. */
  shown(ids: readonly (CallId | AskId)[], atMs: number): void {
    for (const id of this.#shownAtMs.keys()) if (!ids.includes(id)) this.#shownAtMs.delete(id);
    for (const id of ids) if (!this.#shownAtMs.has(id)) this.#shownAtMs.set(id, atMs);
  }

  /** Returns why an answer must not be sent now; undefined if it may. */
  answered(id: CallId | AskId, atMs: number): string | undefined {
    const before = this.#last;
    this.#last = { id, atMs };
    const shownAtMs = this.#shownAtMs.get(id);
    if (shownAtMs === undefined) return `an answer to ${id} is sent, which is not on the screen`;
    if (atMs - shownAtMs < QUIET_MS) return `${id} is answered ${atMs - shownAtMs} ms after it was shown`;
    if (before !== undefined && before.id !== id && atMs - before.atMs < QUIET_MS)
      return `${id} is answered ${atMs - before.atMs} ms after another question`;
    const [previous, last] = this.#keys.filter(({ bytes }) => !NO_KEYS.has(bytes)).slice(-2);
    if (previous === undefined || last === undefined || last.atMs - previous.atMs >= QUIET_MS)
      return undefined;
    const isForeign = !previous.wasInField && (previous.hasTyped || !OF_QUESTIONS.has(previous.bytes));
    if (isForeign)
      return `${id} is answered ${last.atMs - previous.atMs} ms after the key ${JSON.stringify(previous.bytes)}`;
    return undefined;
  }
}

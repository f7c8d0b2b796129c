import { hasReason } from "../base/errors.ts";
import type { KeyPath } from "../base/files/toml-lines.ts";
import type { Mistake } from "../session/config-section.ts";
import type { Following, Mending } from "./table.ts";

/** Result of reading a file to its end: the value without the wrong entries, and the mistakes. */
export interface LookupResult<Value> {
  /** Absent where the file cannot be read at all. */
  readonly value?: Value;
  readonly mistakes: readonly Mistake[];
}

/** Most errors reported for one file: each costs one more reading of it. */
export const MISTAKES_MAX = 100;

/** For a text that must be an address. */
const ADDRESS = "https://stand-in.invalid/";

/**
 * Collects all errors of a file: reads it repeatedly, each time without the errors found before, until it reads
 * without one.
 *
 * The readers do not know of it. A required key that is wrong gets a stand-in value, so that reading can continue.
 * @param read Throws ConfigInvalid at the first error, and passes `following` to each table.
 */
export async function mistakesIn<Value>(
  read: (following: Following) => Value | Promise<Value>,
): Promise<LookupResult<Value>> {
  const mended = new CollectedMistakes();
  const mistakes: Mistake[] = [];
  const reportedPlaces = new Set<string>();
  for (;;) {
    try {
      return { value: await read({ mending: mended }), mistakes };
    } catch (thrown) {
      if (!hasReason(thrown, "ConfigInvalid")) throw thrown;
      const { path, line, key, problem } = thrown.fields;
      const place = mended.place() ?? `${path} ${key}`;
      // A stand-in may be invalid in another way: that is no mistake of the user's.
      if (!reportedPlaces.has(place))
        mistakes.push({ weight: "error", path, line: Number(line), key, problem });
      reportedPlaces.add(place);
      if (!mended.goOn()) return { mistakes };
      if (mistakes.length === MISTAKES_MAX) return { mistakes: [...mistakes, more(path, Number(line))] };
    }
  }
}

function more(path: string, line: number): Mistake {
  const problem = `${MISTAKES_MAX} errors are reported at once; fix these, and check again for more`;
  return { weight: "error", path, line, key: "TOML", problem };
}

interface KeyLocation {
  readonly path: string;
  readonly keys: KeyPath;
}

class CollectedMistakes implements Mending {
  /** Values that replace the file's, by position. */
  readonly #instead = new Map<string, unknown>();
  /** Remedies still to try, by position, in their order. */
  readonly #remedies = new Map<string, unknown[]>();
  readonly #standIns = new Map<string, unknown>();
  /** Example values from declarations, by position. */
  readonly #examples = new Map<string, unknown>();
  readonly #present = new Set<string>();
  #refused: KeyLocation | undefined;

  valueAt(path: string, keys: KeyPath, value: unknown): unknown {
    const place = nameOf({ path, keys });
    if (value !== undefined) this.#present.add(place);
    return this.#instead.has(place) ? this.#instead.get(place) : value;
  }

  onKeyRead(path: string, keys: KeyPath, standIn: unknown): void {
    this.#standIns.set(nameOf({ path, keys }), standIn);
  }

  onExample(path: string, keys: KeyPath, example: unknown): void {
    this.#examples.set(nameOf({ path, keys }), example);
  }

  onError(path: string, keys: KeyPath): void {
    this.#refused = { path, keys };
  }

  /** Returns the position of the last error; undefined if it was about no key of a table. */
  place(): string | undefined {
    return this.#refused === undefined ? undefined : nameOf(this.#refused);
  }

  /** Removes the last error from the next reading. Returns false if that is impossible, so that reading must stop. */
  goOn(): boolean {
    const refused = this.#refused;
    this.#refused = undefined;
    return refused !== undefined && this.#mend(refused);
  }

  /** Tries the next remedy: without the key, then with a stand-in, then without the table that holds it. */
  #mend({ path, keys }: KeyLocation): boolean {
    if (keys.length === 0) return false;
    const place = nameOf({ path, keys });
    const remedies = this.#remedies.get(place) ?? this.#remediesOf(place);
    this.#remedies.set(place, remedies);
    if (remedies.length === 0) return this.#mend({ path, keys: keys.slice(0, -1) });
    this.#instead.set(place, remedies.shift());
    return true;
  }

  #remediesOf(place: string): unknown[] {
    const without = this.#present.has(place) ? [undefined] : [];
    if (!this.#standIns.has(place)) return without;
    const standIn = this.#standIns.get(place);
    // No two alike: a name may have to be the only one of its kind.
    const last = this.#examples.get(place) ?? ADDRESS;
    return standIn === "" ? [...without, `stand-in-${this.#remedies.size}`, last] : [...without, standIn];
  }
}

function nameOf({ path, keys }: KeyLocation): string {
  return JSON.stringify([path, ...keys]);
}

import { hasReason } from "../base/errors.ts";
import type { FilePosition } from "../session/config-section.ts";
import type { Following, Mending } from "./table.ts";
import type { KeyPath } from "./toml.ts";

/** A mistake in a file, with its position. An error ends the start of a session, a warning does not. */
export interface Mistake extends FilePosition {
  readonly weight: "error" | "warning";
  readonly problem: string;
}

/** Result of reading a file to its end: the value without the wrong entries, and the mistakes. */
export interface Look<Value> {
  /** Absent where the file cannot be read at all. */
  readonly value?: Value;
  readonly mistakes: readonly Mistake[];
}

/** Most errors reported for one file: each costs one more reading of it. */
export const MISTAKES_MAX = 100;

/** For a text that must be an address. */
const ADDRESS = "https://stand-in.invalid/";

/**
 * Reads a file again and again, each time without what was wrong, until nothing is: so all of its errors are told at once,
 * and its readers know nothing of that. What must be there and is not is given a value to go on with.
 * @param read throws ConfigInvalid at the first error, and hands what it was given to each table.
 */
export async function mistakesIn<Value>(
  read: (following: Following) => Value | Promise<Value>,
): Promise<Look<Value>> {
  const mended = new Mended();
  const mistakes: Mistake[] = [];
  const told = new Set<string>();
  for (;;) {
    try {
      return { value: await read({ mending: mended }), mistakes };
    } catch (thrown) {
      if (!hasReason(thrown, "ConfigInvalid")) throw thrown;
      const { path, line, key, problem } = thrown.fields;
      const place = mended.place() ?? `${path} ${key}`;
      // What stands in for a value may be wrong in another way, which is nobody's mistake.
      if (!told.has(place)) mistakes.push({ weight: "error", path, line: Number(line), key, problem });
      told.add(place);
      if (!mended.goOn()) return { mistakes };
      if (mistakes.length === MISTAKES_MAX) return { mistakes: [...mistakes, more(path, Number(line))] };
    }
  }
}

function more(path: string, line: number): Mistake {
  const problem = `${MISTAKES_MAX} errors are told at once; mend these, and look again for more`;
  return { weight: "error", path, line, key: "TOML", problem };
}

interface Place {
  readonly path: string;
  readonly keys: KeyPath;
}

class Mended implements Mending {
  /** By place: what is read there instead. */
  readonly #instead = new Map<string, unknown>();
  /** By place: what there is to try, the first first. */
  readonly #remedies = new Map<string, unknown[]>();
  readonly #standIns = new Map<string, unknown>();
  /** By place: a value that its declaration gives as an example. */
  readonly #examples = new Map<string, unknown>();
  readonly #present = new Set<string>();
  #refused: Place | undefined;

  found(path: string, keys: KeyPath, value: unknown): unknown {
    const place = nameOf({ path, keys });
    if (value !== undefined) this.#present.add(place);
    return this.#instead.has(place) ? this.#instead.get(place) : value;
  }

  asked(path: string, keys: KeyPath, standIn: unknown): void {
    this.#standIns.set(nameOf({ path, keys }), standIn);
  }

  offered(path: string, keys: KeyPath, example: unknown): void {
    this.#examples.set(nameOf({ path, keys }), example);
  }

  refused(path: string, keys: KeyPath): void {
    this.#refused = { path, keys };
  }

  /** The place of the last error; undefined where it was about no key of a table. */
  place(): string | undefined {
    return this.#refused === undefined ? undefined : nameOf(this.#refused);
  }

  /** Takes what was wrong out of the next reading; false where there is no way to go on. */
  goOn(): boolean {
    const refused = this.#refused;
    this.#refused = undefined;
    return refused !== undefined && this.#mend(refused);
  }

  /** Without the key; with what it could be; at last without the table that it stands in. */
  #mend({ path, keys }: Place): boolean {
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

function nameOf({ path, keys }: Place): string {
  return JSON.stringify([path, ...keys]);
}

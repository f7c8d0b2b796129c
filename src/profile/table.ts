import { hasReason } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { near } from "../base/near.ts";
import type { KeyPath, TomlFile } from "./toml.ts";
import { invalid, lineOf } from "./toml.ts";

/** Where a value of a configuration stands, for errors that are found later. */
export interface Where {
  readonly path: string;
  readonly line: number;
  readonly key: string;
}

/** A key that is known, and what stands there: undefined where nothing does. */
export interface ReadKey extends Where {
  readonly value: unknown;
}

/** Follows which keys are asked for. */
export interface KeyTrace {
  told(key: ReadKey): void;
  /** Tables that count as absent where they are. */
  readonly left: ReadonlySet<string>;
}

/**
 * Every key that a reader asks a file for, with what stands there. Tables that are not there count as empty, so that theirs
 * are among them, as far as an empty one can be read.
 * @throws HarnessError where the file itself cannot be read.
 */
export async function readKeys(
  file: TomlFile,
  read: (table: Table, trace: KeyTrace) => unknown,
): Promise<readonly ReadKey[]> {
  const keys = new Map<string, ReadKey>();
  const left = new Set<string>();
  const trace: KeyTrace = { told: (key) => keys.set(`${key.path} ${key.key}`, key), left };
  for (;;) {
    try {
      await read(new Table(file, [], file.value, trace), trace);
      return [...keys.values()];
    } catch (thrown) {
      // A key that must be there, in a table that is not.
      const [table = ""] = hasReason(thrown, "ConfigInvalid") ? String(thrown.fields["key"]).split(".") : [];
      if (table === "" || left.has(table) || table in file.value) throw thrown;
      left.add(table);
    }
  }
}

/**
 * One table of a configuration file, read key by key.
 *
 * A value of another type is an error that names file, line and key. The parser's tables have no prototype, so
 * `__proto__` is a key like any other, and an unknown one (S65).
 */
export class Table {
  readonly #file: TomlFile;
  readonly #keys: KeyPath;
  readonly #value: JsonObject;
  readonly #trace: KeyTrace | undefined;
  readonly #known = new Set<string>();

  /**
   * @param trace is told each key that is asked for, in the tables of this one too: see `readKeys`.
   */
  constructor(file: TomlFile, keys: KeyPath = [], value: JsonObject = file.value, trace?: KeyTrace) {
    this.#file = file;
    this.#keys = keys;
    this.#value = value;
    this.#trace = trace;
  }

  string(key: string): string | undefined {
    return this.#typed(key, "a text", (value) => (typeof value === "string" ? value : undefined));
  }

  boolean(key: string): boolean | undefined {
    return this.#typed(key, "true or false", (value) => (typeof value === "boolean" ? value : undefined));
  }

  /** A finite number of at least `min`. */
  number(key: string, min: number): number | undefined {
    return this.#typed(key, `a number of at least ${min}`, (value) =>
      typeof value === "number" && Number.isFinite(value) && value >= min ? value : undefined,
    );
  }

  /** A whole number of at least `min`. */
  integer(key: string, min: number): number | undefined {
    return this.#typed(key, `a whole number of at least ${min}`, (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= min ? value : undefined,
    );
  }

  oneOf<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    return this.#typed(key, `one of ${words.map((word) => `"${word}"`).join(", ")}`, (value) =>
      words.find((word) => word === value),
    );
  }

  strings(key: string): readonly string[] | undefined {
    return this.#typed(key, "a list of texts", (value) =>
      Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined,
    );
  }

  table(key: string): Table | undefined {
    const found = this.#typed(key, "a table", (value) => (isObject(value) ? value : undefined));
    const isLeft = this.#trace?.left.has(String(this.#keys[0] ?? key)) ?? true;
    const value = found ?? (isLeft ? undefined : NOTHING);
    return value === undefined ? undefined : new Table(this.#file, [...this.#keys, key], value, this.#trace);
  }

  isTable(key: string): boolean {
    return isObject(this.#value[key]);
  }

  /** The tables of a list of tables. */
  tables(key: string): readonly Table[] {
    const value = this.#typed(key, "a list of tables", (value) =>
      Array.isArray(value) && value.every(isObject) ? value : undefined,
    );
    return (value ?? []).map((item, at) => new Table(this.#file, [...this.#keys, key, at], item));
  }

  keys(): readonly string[] {
    return Object.keys(this.#value);
  }

  /** Every table in this one by its name, for tables whose names the user chooses. */
  named(): readonly (readonly [string, Table])[] {
    return this.keys().map((key) => {
      const table = this.table(key);
      if (table === undefined) throw this.problem(key, "must be a table");
      return [key, table];
    });
  }

  where(key: string): Where {
    const keys = [...this.#keys, key];
    const named = keys.filter((part) => typeof part === "string");
    return { path: this.#file.path, line: lineOf(this.#file.text, keys), key: named.join(".") };
  }

  problem(key: string, problem: string): Error {
    const { path, line, key: full } = this.where(key);
    return invalid(path, line, full, problem);
  }

  /**
   * A text for each key that nothing asked for, with the known key it may have been meant to be.
   * @param meanings other words for a known key, which no likeness of letters would find.
   */
  unknown(
    meanings: ReadonlyMap<string, string> = new Map(),
  ): readonly { readonly key: string; readonly problem: string }[] {
    const unknown = Object.keys(this.#value).filter((key) => !this.#known.has(key));
    return unknown.map((key) => {
      const known = [...this.#known];
      const meant = meanings.get(key) ?? ofSameWords(key, known) ?? near(key, known)[0];
      return { key, problem: `unknown key${meant === undefined ? "" : `; did you mean "${meant}"?`}` };
    });
  }

  /** For tables where a misspelt key must not switch anything off. */
  refuseUnknown(meanings?: ReadonlyMap<string, string>): void {
    const [first] = this.unknown(meanings);
    if (first !== undefined) throw this.problem(first.key, first.problem);
  }

  #typed<Value>(key: string, what: string, read: (value: unknown) => Value | undefined): Value | undefined {
    this.#known.add(key);
    const value = this.#value[key];
    if (what !== "a table") this.#trace?.told({ ...this.where(key), value });
    if (value === undefined) return undefined;
    const found = read(value);
    if (found === undefined) throw this.problem(key, `must be ${what}`);
    return found;
  }
}

const NOTHING: JsonObject = Object.create(null);

/** The shortest known key that has all words of a key, or whose words it has all: "default_model" for "model". */
function ofSameWords(key: string, known: readonly string[]): string | undefined {
  const wanted = wordsOf(key);
  const alike = known.filter((candidate) => {
    const words = wordsOf(candidate);
    return wanted.isSubsetOf(words) || words.isSubsetOf(wanted);
  });
  return alike.sort((a, b) => a.length - b.length)[0];
}

function wordsOf(key: string): ReadonlySet<string> {
  return new Set(key.toLowerCase().split(/[_-]/));
}

import type { KeyPath } from "../base/files/toml-lines.ts";
import { lineOf } from "../base/files/toml-lines.ts";
import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { nearestWords } from "../base/text/near.ts";
import type { FilePosition } from "../session/config-section.ts";
import type { TomlFile } from "./toml.ts";
import { invalid } from "./toml.ts";

/** Lets a reader continue after an error, so that one check finds all of them. See `mistakes.ts`. */
export interface Mending {
  /** Returns the value that a reader finds at a key, which may differ from the file's; undefined: none. */
  valueAt(path: string, keys: KeyPath, value: unknown): unknown;
  /** Receives each key that is read, with a value that it could have: an empty text for any text. */
  onKeyRead(path: string, keys: KeyPath, standIn: unknown): void;
  /** Takes a value that the declaration of a key gives as an example. */
  onExample(path: string, keys: KeyPath, example: unknown): void;
  /** Receives the key of the next error. */
  onError(path: string, keys: KeyPath): void;
}

/** Hooks that observe how a file is read. */
export interface Following {
  readonly mending?: Mending;
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
  readonly #following: Following;
  readonly #known = new Set<string>();
  /** Examples of values, which errors about another type show. */
  readonly #examples = new Map<string, unknown>();

  /** @param following looks on, in the tables of this one too: see `mistakesIn`. */
  constructor(file: TomlFile, keys: KeyPath = [], value: JsonObject = file.value, following: Following = {}) {
    this.#file = file;
    this.#keys = keys;
    this.#value = value;
    this.#following = following;
  }

  string(key: string): string | undefined {
    return this.#typed(key, { what: "a text", standIn: "" }, (value) =>
      typeof value === "string" ? value : undefined,
    );
  }

  boolean(key: string): boolean | undefined {
    return this.#typed(key, { what: "true or false", standIn: false }, (value) =>
      typeof value === "boolean" ? value : undefined,
    );
  }

  /** Returns a finite number of at least `min`. */
  number(key: string, min: number): number | undefined {
    return this.#typed(key, { what: `a number of at least ${min}`, standIn: min }, (value) =>
      typeof value === "number" && Number.isFinite(value) && value >= min ? value : undefined,
    );
  }

  /** Returns a whole number of at least `min`. */
  integer(key: string, min: number): number | undefined {
    return this.#typed(key, { what: `a whole number of at least ${min}`, standIn: min }, (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= min ? value : undefined,
    );
  }

  oneOf<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    const written = this.#value[key];
    const isKnown = words.some((word) => word === written);
    const [meant] = typeof written !== "string" || isKnown ? [] : nearestWords(written, words);
    const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
    const what = `one of ${words.map((word) => `"${word}"`).join(", ")}${hint}`;
    return this.#typed(key, { what, standIn: words[0] }, (value) => words.find((word) => word === value));
  }

  strings(key: string): readonly string[] | undefined {
    return this.#typed(key, { what: "a list of texts", standIn: ["stand-in"] }, (value) =>
      Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined,
    );
  }

  table(key: string): Table | undefined {
    const value = this.#typed(key, A_TABLE, (found) => (isObject(found) ? found : undefined));
    return value === undefined
      ? undefined
      : new Table(this.#file, [...this.#keys, key], value, this.#following);
  }

  /** Registers a valid value of a key for the check of a whole file. See `mistakesIn`. */
  example(key: string, value: unknown): void {
    this.#examples.set(key, value);
    this.#following.mending?.onExample(this.#file.path, [...this.#keys, key], value);
  }

  /** Returns the value of a key, of any type; undefined without one. The key counts as known. */
  written(key: string): unknown {
    this.#known.add(key);
    return this.#valueAt(this.#value[key], key);
  }

  isTable(key: string): boolean {
    return isObject(this.#valueAt(this.#value[key], key));
  }

  /** Returns the tables of a list of tables. */
  tables(key: string): readonly Table[] {
    const value = this.#typed(key, { what: "a list of tables", standIn: [] }, (value) =>
      Array.isArray(value) && value.every(isObject) ? value : undefined,
    );
    return (value ?? []).flatMap((item, at) =>
      this.#valueAt(item, key, at) === undefined
        ? []
        : [new Table(this.#file, [...this.#keys, key, at], item, this.#following)],
    );
  }

  keys(): readonly string[] {
    return Object.keys(this.#value).filter((key) => this.#valueAt(this.#value[key], key) !== undefined);
  }

  /** Returns every table in this one by its name, for tables whose names the user chooses. */
  named(): readonly (readonly [string, Table])[] {
    return this.keys().map((key) => {
      const table = this.table(key);
      if (table === undefined) throw this.problem(key, "must be a table");
      return [key, table];
    });
  }

  /** @param path a key of this table, or one of a table in it behind the name of that. */
  where(...path: readonly [string, ...(string | number)[]]): FilePosition {
    const keys = [...this.#keys, ...path];
    const written = this.#file.placeOf?.(keys);
    if (written !== undefined) return { path: this.#file.path, ...written };
    const named = keys.filter((part) => typeof part === "string");
    return { path: this.#file.path, line: lineOf(this.#file.text, keys), key: named.join(".") };
  }

  problem(key: string, problem: string): Error {
    const { path, line, key: full } = this.where(key);
    this.#following.mending?.onError(path, [...this.#keys, key]);
    return invalid(path, line, full, problem);
  }

  /**
   * Returns a text for each unread key, with the nearest known key.
   * @param meanings other words for a known key, which no likeness of letters would find.
   * @param misplaced texts for keys that stand in another file.
   */
  unknown(
    meanings: ReadonlyMap<string, string> = new Map(),
    misplaced: ReadonlyMap<string, string> = new Map(),
  ): readonly { readonly key: string; readonly problem: string }[] {
    const unknown = this.keys().filter((key) => !this.#known.has(key));
    return unknown.map((key) => {
      const elsewhere = misplaced.get(key);
      if (elsewhere !== undefined) return { key, problem: elsewhere };
      const known = [...this.#known];
      const suggestion = meanings.get(key) ?? ofSameWords(key, known) ?? nearestWords(key, known)[0];
      return {
        key,
        problem: `unknown key${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}`,
      };
    });
  }

  /** Throws for an unknown key, in tables where a misspelt key must not switch anything off. */
  refuseUnknown(meanings?: ReadonlyMap<string, string>, misplaced?: ReadonlyMap<string, string>): void {
    const [first] = this.unknown(meanings, misplaced);
    if (first !== undefined) throw this.problem(first.key, first.problem);
  }

  #typed<Value>(
    key: string,
    { what, standIn }: Kind,
    read: (value: unknown) => Value | undefined,
  ): Value | undefined {
    this.#known.add(key);
    this.#following.mending?.onKeyRead(this.#file.path, [...this.#keys, key], standIn);
    const value = this.#valueAt(this.#value[key], key);
    if (value === undefined) return undefined;
    const found = read(value);
    if (found === undefined) throw this.problem(key, `must be ${what}${this.#suchAs(key, what)}`);
    return found;
  }

  /** Returns the key's example, for types that a user may write in the wrong form. */
  #suchAs(key: string, what: string): string {
    const example = this.#examples.get(key);
    return example !== undefined && (what === "a text" || what === "a list of texts")
      ? `, such as ${JSON.stringify(example)}`
      : "";
  }

  /** Returns the value at a position of this table. */
  #valueAt(value: unknown, ...keys: KeyPath): unknown {
    const { mending } = this.#following;
    return mending === undefined ? value : mending.valueAt(this.#file.path, [...this.#keys, ...keys], value);
  }
}

/** Kind of value that a key takes, in words, with an example. */
interface Kind {
  readonly what: string;
  readonly standIn: unknown;
}

const A_TABLE: Kind = { what: "a table", standIn: {} };

/**
 * Returns the shortest known key that has all words of a key, or whose words the key has: "default_model" for "model".
 */
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

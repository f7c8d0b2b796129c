import type { Variable } from "./cassette.ts";

/** What differs from run to run, with the values of this one. */
export interface RunValues {
  /** The working directory of the session. */
  readonly cwd: string;
  /** Where the session keeps spilled output. */
  readonly scratch: string;
  readonly home: string;
}

const CALL_ID = /call_[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
const DATE = /\b20\d\d-[01]\d-[0-3]\d\b/g;

/**
 * Puts names in place of what differs from run to run, and this run's values back (PROV-08).
 *
 * `«cwd»`, `«scratch»` and `«home»` stand for folders, `«date»` for days, `«call:N»` for the N-th call id that appears, and
 * `«NAME»` for whatever a pattern of the cassette's header matches.
 */
export class Variables {
  readonly #folders: readonly (readonly [name: string, path: string])[];
  readonly #patterns: readonly (readonly [name: string, pattern: RegExp])[];
  readonly #calls = new Map<string, number>();

  constructor(values: RunValues, variables: readonly Variable[]) {
    this.#folders = (Object.entries(values) as [string, string][])
      .filter(([, path]) => path.length > 1)
      .sort(([, a], [, b]) => b.length - a.length); // a folder inside another one goes first
    this.#patterns = variables.map(({ name, pattern }) => [name, new RegExp(pattern, "g")] as const);
  }

  /** A JSON value with names in place of this run's values. */
  name<Value>(value: Value): Value {
    return mapStrings(value, (text) => this.#nameText(text));
  }

  /** A recorded value with this run's folders put in. Call ids in it are the engine's to give. */
  fill<Value>(value: Value): Value {
    return mapStrings(value, (text) =>
      this.#folders.reduce((filled, [name, path]) => filled.replaceAll(`«${name}»`, path), text),
    );
  }

  #nameText(text: string): string {
    let named = text;
    for (const [name, path] of this.#folders) named = named.replaceAll(path, `«${name}»`);
    named = named.replaceAll(CALL_ID, (id) => `«call:${this.#callNumber(id)}»`).replaceAll(DATE, "«date»");
    for (const [name, pattern] of this.#patterns) named = named.replaceAll(pattern, `«${name}»`);
    return named;
  }

  #callNumber(id: string): number {
    const number = this.#calls.get(id) ?? this.#calls.size + 1;
    this.#calls.set(id, number);
    return number;
  }
}

function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  return deep(value, change) as Value; // the shape stays as it is
}

function deep(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => deep(inner, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, deep(inner, change)]));
}

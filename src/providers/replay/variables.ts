import { ID_PREFIXES } from "../../base/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelEvent } from "../provider.ts";

/** A pattern of a cassette's header. */
export interface Variable {
  readonly name: string;
  /** A JavaScript regular expression, without flags. */
  readonly pattern: string;
}

/** What differs from run to run, with the values of this one. An empty one stands for nothing. */
export interface RunValues {
  /** The working directory of the session. */
  readonly cwd: string;
  /** Where the session keeps spilled output. */
  readonly scratch: string;
  readonly home: string;
}

/** Names that a pattern of a cassette cannot have: they stand for something else. */
export const RESERVED_NAMES: readonly string[] = ["cwd", "scratch", "home", "redacted", ...ID_PREFIXES];

/** The identifiers of one conversation by their names: `call:2` is the second call id that appears in it. */
export type Ids = ReadonlyMap<string, string>;

export interface NamedRequest {
  readonly messages: readonly Message[];
  readonly ids: Ids;
}

const ID = new RegExp(`(?<![A-Za-z0-9_])(${ID_PREFIXES.join("|")})_[0-7][0-9A-HJKMNP-TV-Z]{25}(?!\\w)`, "g");

/**
 * Puts names in place of what differs from run to run, and this run's values back (PROV-08).
 *
 * `«cwd»`, `«scratch»` and `«home»` stand for folders, `«call:2»` for the second call id that appears in the request,
 * and `«NAME»` for whatever a pattern of the cassette's header matches. Folders and ids stand in requests and answers
 * and are put back; patterns are looked for in requests alone, so nothing that the model wrote is lost by them. Names
 * depend on the one request and nothing before it. A text that already looks like one of these gets a `=`: `«=cwd»`.
 */
export class Variables {
  readonly #folders: readonly (readonly [name: string, path: string, pattern: RegExp])[];
  readonly #patterns: readonly (readonly [name: string, pattern: RegExp])[];
  readonly #written: RegExp;

  constructor({ cwd, scratch, home }: RunValues, variables: readonly Variable[]) {
    this.#folders = Object.entries({ cwd, scratch, home })
      .map(([name, path]) => [name, path.replace(/\/+$/, "")] as const)
      .filter(([, path]) => path !== "")
      .sort(([, a], [, b]) => b.length - a.length) // a folder inside another one goes first
      .map(([name, path]) => [name, path, folderPattern(path)] as const);
    this.#patterns = variables.map(({ name, pattern }) => [name, new RegExp(pattern, "g")] as const);
    const names = ["cwd", "scratch", "home", ...variables.map(({ name }) => name)].join("|");
    this.#written = new RegExp(`«(=*)(${names}|(?:${ID_PREFIXES.join("|")}):\\d+)»`, "g");
  }

  nameRequest(messages: readonly Message[]): NamedRequest {
    const names = new Map<string, string>();
    const counts = new Map<string, number>();
    const idName = (id: string, prefix: string) => {
      const known = names.get(id);
      if (known !== undefined) return known;
      const number = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, number);
      names.set(id, `${prefix}:${number}`);
      return `${prefix}:${number}`;
    };
    const key = (text: string) => this.#nameExact(text, idName);
    const value = (text: string) => this.#namePatterns(key(text));
    const named = mapTexts(messages, value, key);
    return { messages: named, ids: new Map([...names].map(([id, name]) => [name, id])) };
  }

  /** Ids that do not stand in the request are left as they are: no run could tell their values. */
  nameAnswer<Answer>(answer: Answer, ids: Ids): Answer {
    const names = new Map([...ids].map(([name, id]) => [id, name]));
    const name = (text: string) => this.#nameExact(text, (id) => names.get(id));
    return mapTexts(answer, name, name);
  }

  /** A recorded event with this run's folders and ids put in. */
  fill(event: ModelEvent, ids: Ids): ModelEvent {
    const fill = (text: string) =>
      text.replaceAll(this.#written, (written: string, escapes: string, name: string) => {
        if (escapes !== "") return `«${escapes.slice(1)}${name}»`;
        return ids.get(name) ?? this.#folders.find(([folder]) => folder === name)?.[1] ?? written;
      });
    return mapTexts(event, fill, fill);
  }

  #nameExact(text: string, idName: (id: string, prefix: string) => string | undefined): string {
    let named = text.replaceAll(this.#written, "«=$1$2»");
    for (const [name, , pattern] of this.#folders) named = named.replaceAll(pattern, `«${name}»`);
    return named.replaceAll(ID, (id: string, prefix: string) => {
      const name = idName(id, prefix);
      return name === undefined ? id : `«${name}»`;
    });
  }

  #namePatterns(text: string): string {
    return this.#patterns.reduce((named, [name, pattern]) => named.replaceAll(pattern, `«${name}»`), text);
  }
}

/**
 * A folder's path where it stands as a whole: not in `/mnt/path`, `path2` or `path.old`, but in `-I/path`, behind the
 * `\n` of a JSON text, and at the end of a sentence.
 */
function folderPattern(path: string): RegExp {
  const before = "(?:(?<![\\p{L}\\p{N}_.~-])|(?<=\\\\[nrt])|(?<=(?:^|[\\s\"'=,])-[A-Za-z]))";
  const after = "(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])";
  const literal = path.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`${before}${literal}${after}`, "gu");
}

function mapTexts<Value>(value: Value, text: (text: string) => string, key: (key: string) => string): Value {
  return deep(value, text, key) as Value; // texts become texts, so the shape stays as it is
}

function deep(value: unknown, text: (text: string) => string, key: (key: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((inner) => deep(inner, text, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [key(name), deep(inner, text, key)]),
  );
}

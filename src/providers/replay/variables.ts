import { ID_PREFIXES } from "../../base/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelEvent } from "../provider.ts";

/** A pattern of a cassette's header. */
export interface Variable {
  readonly name: string;
  /** A JavaScript regular expression, without flags. */
  readonly pattern: string;
}

/** Folders that differ from run to run, with the values of this run. An empty one is ignored. */
export interface RunValues {
  /** The session's working directory. */
  readonly cwd: string;
  /** The session's folder for spilled output. */
  readonly scratch: string;
  readonly home: string;
}

/** Reserved names: they stand for folders, ids and redactions, so no header pattern may have them. */
export const RESERVED_VARIABLES: readonly string[] = ["cwd", "scratch", "home", "redacted", ...ID_PREFIXES];

/** The identifiers of one conversation by name: `call:2` is the second call id that appears in it. */
export type Ids = ReadonlyMap<string, string>;

export interface NamedRequest {
  readonly messages: readonly Message[];
  readonly ids: Ids;
}

const ID = new RegExp(`(?<![A-Za-z0-9_])(${ID_PREFIXES.join("|")})_[0-7][0-9A-HJKMNP-TV-Z]{25}(?!\\w)`, "g");

/**
 * Replaces texts that differ from run to run with names, and inserts this run's values again (PROV-08).
 *
 * `«cwd»`, `«scratch»` and `«home»` stand for folders. `«call:2»` stands for the second call id in the request, and
 * `«NAME»` for text that a pattern of the cassette's header matches. Folders and ids are replaced in requests and
 * answers, and inserted again. Patterns are applied to requests only, so no text of the model is lost. Names depend
 * on the one request only. A text that already looks like a name gets a `=`: `«=cwd»`.
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

  /** Ids that are not in the request are unchanged: no run could know their values. */
  nameAnswer<Answer>(answer: Answer, ids: Ids): Answer {
    const names = new Map([...ids].map(([name, id]) => [id, name]));
    const name = (text: string) => this.#nameExact(text, (id) => names.get(id));
    return mapTexts(answer, name, name);
  }

  /** Returns a recorded event with this run's folders and ids inserted. */
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
 * Matches a folder's path as a whole: not in `/mnt/path`, `path2` or `path.old`, but in `-I/path`, after the `\n` of
 * a JSON text, and at the end of a sentence.
 */
function folderPattern(path: string): RegExp {
  const before = "(?:(?<![\\p{L}\\p{N}_.~-])|(?<=\\\\[nrt])|(?<=(?:^|[\\s\"'=,])-[A-Za-z]))";
  const after = "(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])";
  const literal = path.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`${before}${literal}${after}`, "gu");
}

function mapTexts<Value>(value: Value, text: (text: string) => string, key: (key: string) => string): Value {
  return deep(value, text, key) as Value; // texts become texts, so the shape stays the same
}

function deep(value: unknown, text: (text: string) => string, key: (key: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((inner) => deep(inner, text, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [key(name), deep(inner, text, key)]),
  );
}

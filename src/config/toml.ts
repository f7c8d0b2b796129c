import { HarnessError } from "../base/errors.ts";
import { fileCause } from "../base/files/file-cause.ts";
import { decodeWrittenText } from "../base/files/written-text.ts";
import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import type { World } from "../base/world.ts";
import { codeOf, FileTooLarge } from "../base/world.ts";

/** A configuration file with its path and text, for messages that name file and line. */
export interface TomlFile {
  readonly path: string;
  readonly text: string;
  readonly value: JsonObject;
  /** Position of a key and the way it is written there, for a file that is read as if it were TOML. */
  placeOf?(keys: KeyPath): { readonly key: string; readonly line: number };
}

export const CONFIG_BYTES_MAX = 1_048_576;

/**
 * Reads a TOML file of at most `CONFIG_BYTES_MAX`. Returns undefined if there is none, and then loads no parser.
 * @throws HarnessError ConfigInvalid, with the line, for an unreadable file or invalid TOML.
 */
export async function readToml(files: World["files"], path: string): Promise<TomlFile | undefined> {
  const bytes = await readBytes(files, path);
  return bytes === undefined ? undefined : await parseToml(path, bytes);
}

/**
 * Parses TOML that was read before.
 * @throws HarnessError ConfigInvalid with the line, for bytes that are no UTF-8 too.
 */
export async function parseToml(path: string, source: string | Uint8Array): Promise<TomlFile> {
  const text = typeof source === "string" ? source : decodeText(path, source, "TOML");
  return { path, text, value: await parse(path, text) };
}

/**
 * Decodes the text of a configuration file, TOML or JSON.
 * @throws HarnessError ConfigInvalid with the first line that is not UTF-8.
 */
export function decodeText(path: string, bytes: Uint8Array, format: "TOML" | "JSON"): string {
  const written = decodeWrittenText(bytes);
  if (written.kind === "problem") throw invalid(path, written.line, format, written.problem);
  return written.text;
}

async function readBytes(files: World["files"], path: string): Promise<Uint8Array | undefined> {
  try {
    const info = await files.stat(path);
    if (info === undefined) return undefined;
    if (info.kind === "directory") throw invalid(path, 1, "TOML", "it is a directory, and should be a file");
    if (info.kind !== "file") throw invalid(path, 1, "TOML", "it is not a regular file");
    return await files.read(path, CONFIG_BYTES_MAX);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    if (codeOf(thrown) === undefined && !(thrown instanceof FileTooLarge)) throw thrown;
    throw invalid(path, 1, "TOML", `it cannot be read: ${fileCause(thrown)}`, thrown);
  }
}

async function parse(path: string, text: string): Promise<JsonObject> {
  const toml = await import("smol-toml");
  try {
    const value: unknown = toml.parse(text);
    return isObject(value) ? value : {};
  } catch (thrown) {
    if (!(thrown instanceof toml.TomlError)) throw thrown;
    const [first = ""] = thrown.message.split("\n");
    const problem = `${first.replace("Invalid TOML document: ", "")} (column ${thrown.column})`;
    throw invalid(path, thrown.line, "TOML", problem, thrown);
  }
}

/** Returns the error about one key in one file. */
export function invalid(
  path: string,
  line: number,
  key: string,
  problem: string,
  cause?: unknown,
): HarnessError<"ConfigInvalid"> {
  const options = cause === undefined ? undefined : { cause };
  return new HarnessError("ConfigInvalid", { path, line: String(line), key, problem }, options);
}

/** The way to a key: names, and behind the name of a list of tables which of them, from 0. */
export type KeyPath = readonly (string | number)[];

/**
 * Returns the line of a key in a TOML text, from 1. For inline tables and keys with escapes it returns the line of
 * the nearest table around it. Use it in messages only.
 */
export function lineOf(text: string, keys: KeyPath): number {
  const lists = new Map<string, number>();
  let table: KeyPath = [];
  let best = { depth: -1, line: 1 };
  let quote: string | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (quote === undefined) {
      const [, list, header] = /^\s*\[(\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
      if (header !== undefined) table = tableOf(splitKey(header), list !== "", lists);
      const key =
        header === undefined ? /^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.\s-])+?)\s*=/.exec(line)?.[1] : undefined;
      const full = key === undefined ? table : [...table, ...splitKey(key)];
      const depth = header === undefined && key === undefined ? -1 : depthOf(full, keys);
      if (depth > best.depth) best = { depth, line: index + 1 };
    }
    quote = openQuote(line, quote);
  }
  return best.line;
}

/** Returns the table of a header: in the newest table of each list that it names, or in a new one. */
function tableOf(parts: readonly string[], isList: boolean, lists: Map<string, number>): KeyPath {
  const path: (string | number)[] = [];
  for (const [at, part] of parts.entries()) {
    path.push(part);
    const list = JSON.stringify(path);
    const count = lists.get(list);
    if (isList && at === parts.length - 1) {
      lists.set(list, (count ?? 0) + 1);
      path.push(count ?? 0);
    } else if (count !== undefined) path.push(count - 1);
  }
  return path;
}

/** Returns the number of searched keys that this line names; −1 if it names another key. */
function depthOf(full: KeyPath, keys: KeyPath): number {
  const isOfList = full.length === keys.length + 1 && typeof full.at(-1) === "number";
  const named = isOfList ? full.slice(0, -1) : full;
  const shared = named.every((part, at) => part === keys[at]);
  return shared && named.length <= keys.length ? named.length : -1;
}

function splitKey(key: string): readonly string[] {
  return [...key.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)].map(
    (part) => part[1] ?? part[2] ?? part[3] ?? "",
  );
}

/** Returns the kind of multi-line string that is open after a line. */
function openQuote(line: string, before: string | undefined): string | undefined {
  let open = before;
  for (const [quote] of line.matchAll(/"""|'''/g)) {
    if (open === undefined) open = quote;
    else if (open === quote) open = undefined;
  }
  return open;
}

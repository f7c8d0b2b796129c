import { HarnessError } from "../base/errors.ts";
import { fileCause } from "../base/files/file-cause.ts";
import type { KeyPath } from "../base/files/toml-lines.ts";
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

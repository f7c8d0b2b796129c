import { isAbsolute, join, normalize, relative } from "node:path";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { TrustKind, TrustScope } from "../../../session/guard/trust.ts";
import { TRUST_KINDS } from "../../../session/guard/trust.ts";

/** An acknowledgement: this content at this path, nothing else (S37). */
export interface Approval {
  readonly kind: TrustKind;
  /** Absolute. */
  readonly path: string;
  readonly scope: TrustScope;
  /** Time as ISO 8601; absent in a lock file that was made for other machines. */
  readonly at?: string;
  readonly files: readonly ApprovedFile[];
}

export interface ApprovedFile {
  /** Path as in `TrustFile`. */
  readonly path: string;
  readonly sha256: string;
  readonly executable: boolean;
}

/** A folder of the user, trusted as a whole: the files in it at that time, by their hashes (TOFU-02). */
export interface ApprovedDirectory {
  /** Absolute. */
  readonly path: string;
  readonly at: string;
  readonly files: readonly ApprovedFile[];
}

export interface Approvals {
  readonly approved: readonly Approval[];
  readonly directories: readonly ApprovedDirectory[];
}

export const NO_APPROVALS: Approvals = { approved: [], directories: [] };
export const LOCK_FILE_VERSION = 1;
export const LOCK_FILE_BYTES_MAX = 16 * 1024 * 1024;

export interface LockFileSource {
  /** For messages. */
  readonly path: string;
  /**
   * The project to which the paths of a portable lock file are relative. Default: the user's own approved.lock, with
   * absolute paths.
   */
  readonly root?: string;
}

/**
 * Parses approved.lock or a lock file for CI. Strict: generous parsing of a security document approves what nobody
 * did (S65).
 * @throws HarnessError TrustLedgerInvalid for anything that `renderLockFile` could not have written.
 */
export function parseLockFile(text: string, place: LockFileSource): Approvals {
  const document = jsonOf(text, place);
  if (!isObject(document)) throw invalid(place, "it is not a JSON object");
  const { version } = document;
  if (version !== LOCK_FILE_VERSION) {
    const found = typeof version === "number" ? version : "unknown";
    throw invalid(place, `its version is ${found}, and this cinch knows ${LOCK_FILE_VERSION}`);
  }
  const reader = new Reader(place);
  reader.keys(document, ["version", "approved", "directories"]);
  const approved = reader.list(document, "approved").map((entry) => reader.approval(entry));
  const directories = reader.list(document, "directories").map((entry) => reader.directory(entry));
  const keys = [...approved.map(approvalKey), ...directories.map(({ path }) => `directory ${path}`)];
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw invalid(place, `it has two entries for ${twice}`);
  return { approved, directories };
}

/**
 * Renders one text for one set of approvals: sorted, with a line for each value, so that a change of it can
 * be reviewed.
 */
export function renderLockFile({ approved, directories }: Approvals, root?: string): string {
  const shown = (path: string) => (root === undefined ? path : relative(root, path));
  const document = {
    version: LOCK_FILE_VERSION,
    approved: [...approved]
      .sort((a, b) => order(approvalKey(a), approvalKey(b)))
      .map(({ kind, path, scope, at, files }) => ({
        kind,
        path: shown(path),
        scope,
        ...(at === undefined || root !== undefined ? {} : { at }),
        files: sorted(files),
      })),
    directories: [...directories]
      .sort((a, b) => order(a.path, b.path))
      .map(({ path, at, files }) => ({ path, at, files: sorted(files) })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

export function approvalKey({ kind, path }: { readonly kind: TrustKind; readonly path: string }): string {
  return `${path} as ${kind}`;
}

function sorted(files: readonly ApprovedFile[]): readonly ApprovedFile[] {
  return [...files]
    .sort((a, b) => order(a.path, b.path))
    .map(({ path, sha256, executable }) => ({ path, sha256, executable }));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function jsonOf(text: string, place: LockFileSource): unknown {
  const parsed = parseJson(text);
  if (parsed === undefined) throw invalid(place, "it is not JSON");
  const { value } = parsed;
  // Parsing drops a duplicate key, so the text is longer than what was parsed.
  const dense = text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string: string | undefined) => string ?? "");
  if (dense !== JSON.stringify(value)) throw invalid(place, "a key stands twice, or in an unusual spelling");
  return value;
}

class Reader {
  readonly #place: LockFileSource;

  constructor(place: LockFileSource) {
    this.#place = place;
  }

  keys(value: object, known: readonly string[]): void {
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined) throw invalid(this.#place, `"${unknown}" is an unknown key`);
  }

  list(value: object, key: string): readonly object[] {
    const list: unknown = Reflect.get(value, key);
    if (!Array.isArray(list) || !list.every(isObject))
      throw invalid(this.#place, `"${key}" is not a list of objects`);
    return list;
  }

  approval(value: object): Approval {
    this.keys(value, ["kind", "path", "scope", "at", "files"]);
    const kind = TRUST_KINDS.find((known) => known === Reflect.get(value, "kind"));
    if (kind === undefined) throw invalid(this.#place, `${show(value, "kind")} is not a known kind of file`);
    const scope = (["project", "user"] as const).find((known) => known === Reflect.get(value, "scope"));
    if (scope === undefined)
      throw invalid(this.#place, `${show(value, "scope")} is neither project nor user`);
    const at = Reflect.get(value, "at") === undefined ? undefined : this.#text(value, "at");
    const path = this.#path(this.#text(value, "path"), scope);
    return { kind, path, scope, ...defined({ at }), files: this.#files(value) };
  }

  directory(value: object): ApprovedDirectory {
    this.keys(value, ["path", "at", "files"]);
    if (this.#place.root !== undefined)
      throw invalid(this.#place, "no lock file can approve a user's folders");
    const path = this.#path(this.#text(value, "path"), "user");
    return { path, at: this.#text(value, "at"), files: this.#files(value) };
  }

  #files(value: object): readonly ApprovedFile[] {
    const files = this.list(value, "files").map((file) => {
      this.keys(file, ["path", "sha256", "executable"]);
      const path = this.#text(file, "path");
      const hash = this.#text(file, "sha256");
      const executable: unknown = Reflect.get(file, "executable");
      if (path !== "" && !isBelow(path))
        throw invalid(this.#place, `${show(file, "path")} is not a path below it`);
      if (!/^[0-9a-f]{64}$/.test(hash))
        throw invalid(this.#place, `${show(file, "sha256")} is not a SHA-256 digest`);
      if (typeof executable !== "boolean")
        throw invalid(this.#place, '"executable" is neither true nor false');
      return { path, sha256: hash, executable };
    });
    const paths = new Set(files.map(({ path }) => path));
    if (paths.size !== files.length) throw invalid(this.#place, "it has two entries for one file");
    return files;
  }

  #path(path: string, scope: TrustScope): string {
    const { root } = this.#place;
    if (root === undefined) {
      if (isAbsolute(path) && normalize(path) === path) return path;
      throw invalid(this.#place, `"${path}" is not an absolute path`);
    }
    if (scope === "project" && isBelow(path)) return join(root, path);
    throw invalid(this.#place, `"${path}" is not a path in the project`);
  }

  #text(value: object, key: string): string {
    const text: unknown = Reflect.get(value, key);
    if (typeof text === "string") return text;
    throw invalid(this.#place, `"${key}" is not a string`);
  }
}

function isBelow(path: string): boolean {
  return (
    path !== "" &&
    path !== "." &&
    !isAbsolute(path) &&
    normalize(path) === path &&
    !path.split(/[/\\]/).includes("..")
  );
}

function show(value: object, key: string): string {
  return JSON.stringify(Reflect.get(value, key)) ?? "nothing";
}

function invalid({ path }: LockFileSource, problem: string): HarnessError<"TrustLedgerInvalid"> {
  return new HarnessError("TrustLedgerInvalid", { path, problem });
}

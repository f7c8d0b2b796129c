import type { FilePatch } from "../../../base/text/diff/git-patch.ts";
import { gitPatch, isOtherType } from "../../../base/text/diff/git-patch.ts";
import type { TextHunk } from "../../../base/text/diff/hunks.ts";
import { hunksOf } from "../../../base/text/diff/hunks.ts";
import { byteLength } from "../../../base/text/text.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { displayPath } from "../tracking/paths.ts";
import type { ChangeSource } from "./change-source.ts";
import type { ChangedPath, FileEntry } from "./changed-paths.ts";
import type { FileSide } from "./file-side.ts";
import { fileSide } from "./file-side.ts";
import { redactedHunks } from "./redacted-hunks.ts";
import type { Rename, UnpairedFile } from "./renames.ts";
import { renamesOf } from "./renames.ts";

/** Limit of files in an answer; the rest is counted. */
const CHANGED_FILES_MAX = 500;
/** Limit of the lines of one file in an answer. */
const FILE_HUNKS_BYTES_MAX = 1024 * 1024;
/** Limit of the lines of all files in an answer. */
const ALL_HUNKS_BYTES_MAX = 4 * 1024 * 1024;
/** Limits for one side of a file whose lines are compared. */
const COMPARED_UNITS_MAX = 2 * 1024 * 1024;
const COMPARED_LINES_MAX = 200_000;
/** Limit for a file that is looked for among renamed ones. */
const RENAMED_BYTES_MAX = 4 * 1024 * 1024;
/** Limit for the contents that are read for one answer. */
const READ_BYTES_MAX = 64 * 1024 * 1024;

type FileChange = ResultOf<"GetChanges">["files"][number];

export interface ComposeOptions {
  readonly context: number;
  /** True for a path that the answer is about. */
  readonly isWanted: (path: string) => boolean;
  /** True for a path whose content must not be shown. */
  readonly isHidden: (path: string) => boolean;
  readonly redact: (text: string) => string;
}

export interface ComposedChanges {
  readonly files: readonly FileChange[];
  readonly leftOut: number;
}

/** Makes the answer of changed paths: reads their contents, finds renames, and compares texts within the limits. */
export async function composeChanges(
  changes: readonly ChangedPath[],
  {
    source,
    signal,
    ...options
  }: ComposeOptions & { readonly source: ChangeSource; readonly signal: AbortSignal },
): Promise<ComposedChanges> {
  const reader = new SideReader(source, signal);
  const sorted = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const renames = await findRenames(sorted, reader);
  const byTarget = new Map(renames.map((rename) => [rename.to, rename]));
  const sources = new Map(sorted.map((change) => [change.path, change]));
  const moved = new Set(renames.map(({ from }) => from));
  const wanted = sorted.filter(
    ({ path }) =>
      !moved.has(path) && (options.isWanted(path) || options.isWanted(byTarget.get(path)?.from ?? path)),
  );
  const budget = { bytes: ALL_HUNKS_BYTES_MAX };
  const files: FileChange[] = [];
  for (const change of wanted.slice(0, CHANGED_FILES_MAX)) {
    const rename = byTarget.get(change.path);
    const old = rename === undefined ? change : sources.get(rename.from);
    const before = old?.from === undefined ? undefined : await reader.side(old.path, old.from);
    const after = change.to === undefined ? undefined : await reader.side(change.path, change.to);
    files.push(fileChange({ change, rename, before, after }, options, budget));
    await source.pause(signal);
  }
  return { files, leftOut: wanted.length - files.length };
}

/** Reads the sides of files, in all at most `READ_BYTES_MAX`. */
class SideReader {
  readonly #source: ChangeSource;
  readonly #signal: AbortSignal;
  readonly #unpaired = new Map<FileEntry, FileSide>();
  #bytesLeft = READ_BYTES_MAX;

  constructor(source: ChangeSource, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  async side(path: string, entry: FileEntry): Promise<FileSide> {
    const known = this.#unpaired.get(entry);
    if (known !== undefined) return known;
    const size = entry.kind === "file" ? entry.stat.size : 0;
    if (size > this.#bytesLeft) return fileSide(entry, { missing: TOO_MUCH });
    this.#bytesLeft -= size;
    return fileSide(entry, await this.#source.content(path, entry, this.#signal));
  }

  /** Reads a side that is used for finding renames and again for its lines. */
  async unpaired(path: string, entry: FileEntry): Promise<UnpairedFile> {
    const side = await this.side(path, entry);
    this.#unpaired.set(entry, side);
    await this.#source.pause(this.#signal);
    return { path, side };
  }
}

const TOO_MUCH = "all changed files together are too large: ask for one path";

/** Finds renames among the first files that are on one side only. */
async function findRenames(changes: readonly ChangedPath[], reader: SideReader): Promise<readonly Rename[]> {
  const removed = changes.flatMap(({ path, from, to }) =>
    from !== undefined && to === undefined ? [{ path, entry: from }] : [],
  );
  const added = changes.flatMap(({ path, from, to }) =>
    from === undefined && to !== undefined ? [{ path, entry: to }] : [],
  );
  if (removed.length === 0 || added.length === 0) return [];
  const read = async (files: readonly { readonly path: string; readonly entry: FileEntry }[]) => {
    const unpaired: UnpairedFile[] = [];
    for (const { path, entry } of files.slice(0, CHANGED_FILES_MAX)) {
      if (entry.kind === "file" && entry.stat.size <= RENAMED_BYTES_MAX)
        unpaired.push(await reader.unpaired(path, entry));
    }
    return unpaired;
  };
  return renamesOf(await read(removed), await read(added));
}

interface ReadChange {
  readonly change: ChangedPath;
  readonly rename: Rename | undefined;
  readonly before: FileSide | undefined;
  readonly after: FileSide | undefined;
}

function fileChange(
  { change, rename, before, after }: ReadChange,
  { context, isHidden, redact }: ComposeOptions,
  budget: { bytes: number },
): FileChange {
  const { path, by } = change;
  const from = rename?.from ?? path;
  const facts = {
    path: redact(displayPath(path)),
    kind: kindOf({ rename, before, after }),
    ...(rename === undefined ? {} : { from: redact(displayPath(from)) }),
    by,
    ...modesOf(before, after),
    bytes: (after ?? before)?.bytes ?? 0,
  };
  const texts = textsOf(before, after);
  if (texts.kind === "binary") return { ...facts, ...NOT_COMPARED, binary: true };
  if (texts.kind === "missing") return { ...facts, ...NOT_COMPARED, missing: texts.why };
  if (isHidden(path) || isHidden(from)) return { ...facts, ...NOT_COMPARED, missing: HIDDEN };
  if (!isComparable(texts.before) || !isComparable(texts.after))
    return { ...facts, ...NOT_COMPARED, cut: true };
  const hunks = hunksOf(texts.before, texts.after, context);
  const counts = countsOf(hunks);
  const shown = within(redactedHunks(hunks, texts, redact), budget);
  const isCut = shown.length < hunks.length;
  return {
    ...facts,
    ...counts,
    hunks: shown,
    ...(isCut
      ? { cut: true }
      : { unified: unified({ path, from, before, after, rename, texts }, shown, redact) }),
  };
}

function isComparable(text: string): boolean {
  if (text.length > COMPARED_UNITS_MAX) return false;
  let lines = 0;
  for (
    let at = text.indexOf("\n");
    at !== -1 && lines <= COMPARED_LINES_MAX;
    at = text.indexOf("\n", at + 1)
  ) {
    lines += 1;
  }
  return lines <= COMPARED_LINES_MAX;
}

const NOT_COMPARED = { added: 0, removed: 0 } as const;
const HIDDEN = "it may hold keys or passwords";

function kindOf({ rename, before, after }: Omit<ReadChange, "change">): FileChange["kind"] {
  if (rename !== undefined) return "renamed";
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function modesOf(before: FileSide | undefined, after: FileSide | undefined) {
  return {
    ...(before === undefined ? {} : { old_mode: before.mode }),
    ...(after === undefined ? {} : { mode: after.mode }),
  };
}

type Texts =
  | { readonly kind: "texts"; readonly before: string; readonly after: string }
  | { readonly kind: "binary" }
  | { readonly kind: "missing"; readonly why: string };

function textsOf(before: FileSide | undefined, after: FileSide | undefined): Texts {
  const contents = [before, after].flatMap((side) => (side === undefined ? [] : [side.content]));
  for (const content of contents) if (content.kind === "missing") return content;
  if (contents.some(({ kind }) => kind === "binary")) return { kind: "binary" };
  const text = (side: FileSide | undefined) => (side?.content.kind === "text" ? side.content.text : "");
  return { kind: "texts", before: text(before), after: text(after) };
}

function countsOf(hunks: readonly TextHunk[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith("+")) added += 1;
      else if (line.startsWith("-")) removed += 1;
    }
  }
  return { added, removed };
}

/** Returns the first hunks that fit into the limits of the file and of the answer. */
function within(hunks: readonly TextHunk[], budget: { bytes: number }): readonly TextHunk[] {
  let bytes = 0;
  const shown: TextHunk[] = [];
  for (const hunk of hunks) {
    const size = hunk.lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    if (bytes + size > FILE_HUNKS_BYTES_MAX || size > budget.bytes) break;
    bytes += size;
    budget.bytes -= size;
    shown.push(hunk);
  }
  return shown;
}

interface PatchedFile extends Omit<ReadChange, "change"> {
  readonly path: string;
  readonly from: string;
  readonly texts: { readonly before: string; readonly after: string };
}

function unified(
  { path, from, before, after, rename, texts }: PatchedFile,
  hunks: readonly TextHunk[],
  redact: (text: string) => string,
): string {
  const patch: FilePatch = {
    ...(before === undefined ? {} : { old: { path: redact(from), mode: before.gitMode } }),
    ...(after === undefined ? {} : { new: { path: redact(path), mode: after.gitMode } }),
    hunks,
    ...(rename === undefined ? {} : { similar: rename.similar }),
  };
  const { old, new: now } = patch;
  if (!isOtherType(patch) || old === undefined || now === undefined) return gitPatch(patch);
  const only = (before: string, after: string) =>
    redactedHunks(hunksOf(before, after, 0), { before, after }, redact);
  return (
    gitPatch({ old, hunks: only(texts.before, "") }) + gitPatch({ new: now, hunks: only("", texts.after) })
  );
}

import { whileAlive } from "../../base/async/deadline.ts";
import type { Cache } from "../../base/cache-budget.ts";
import { messageOf } from "../../base/errors.ts";
import type { FuzzyText } from "../../base/text/fuzzy.ts";
import { fuzzyText } from "../../base/text/fuzzy.ts";
import type { SessionHost } from "../../session/host.ts";

/** Limit for the files of an index. */
export const INDEXED_FILES_MAX = 50_000;
/** An older list answers once more, and is made again behind that answer. */
export const INDEX_FRESH_MS = 10_000;
/** An older list is not used. */
export const INDEX_KEPT_MS = 120_000;

/** Text that could drive a terminal or deceive its reader, or that names no file: bytes that are no UTF-8. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd]/u;
const BYTES_PER_UNIT = 2;
/** Bytes of an entry beside its texts. */
const ENTRY_BYTES = 64;

/** The files and folders of a workspace, as ignore rules allow. */
export interface FileList {
  /** Paths relative to the root, in order; a folder ends in a slash. */
  readonly entries: readonly FuzzyText[];
  /** True if there are more files than the limit, or they could not all be listed. */
  readonly cut: boolean;
  readonly listedAtMs: number;
}

/**
 * The files of one workspace, for completion (CTL-19). Listed by ripgrep at the first use, as Glob lists them: `.git`
 * and what `.gitignore` names is left out. The list is kept for a short time within the memory that all caches share.
 */
export class FileIndex {
  readonly #host: Pick<SessionHost, "world" | "ripgrep" | "workspace">;
  readonly #lists: Cache<FileList>;
  readonly #end: AbortSignal;
  #listing: Promise<FileList> | undefined;

  /** @param end aborts the listing when the session ends. */
  constructor(host: Pick<SessionHost, "world" | "ripgrep" | "workspace" | "caches">, end: AbortSignal) {
    this.#host = host;
    this.#end = end;
    this.#lists = host.caches.open<FileList>("workspace files", { weigh: bytesOf });
  }

  /** @throws the signal's reason. */
  async list(signal: AbortSignal): Promise<FileList> {
    const known = this.#lists.get(this.#host.workspace.root);
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : this.#nowMs() - known.listedAtMs;
    if (ageMs > INDEX_FRESH_MS) this.#listing ??= this.#make();
    if (known !== undefined && ageMs <= INDEX_KEPT_MS) return known;
    return this.#listing === undefined ? EMPTY : await whileAlive(this.#listing, signal);
  }

  /** Waits for a listing that is still under way. */
  async settle(): Promise<void> {
    await this.#listing;
    this.#lists[Symbol.dispose]();
  }

  /** Lists the files. A failure is logged, and the list is then empty. */
  async #make(): Promise<FileList> {
    const { world, workspace } = this.#host;
    try {
      const list = await this.#read();
      this.#lists.set(workspace.root, list);
      return list;
    } catch (thrown) {
      if (!this.#end.aborted) {
        const fields = { root: workspace.root, what: messageOf(thrown) };
        world.log.for("mentions").write("warn", "the files could not be listed", fields);
      }
      return EMPTY;
    } finally {
      this.#listing = undefined;
    }
  }

  async #read(): Promise<FileList> {
    const { runRipgrep } = await import("../../tools/search/ripgrep.ts");
    const { stripDotSlash } = await import("../../tools/search/search-target.ts");
    const { world, workspace, ripgrep } = this.#host;
    const search = {
      program: ripgrep,
      args: ["--files", "--null", "--", "./"],
      directory: workspace.root,
      separator: "\0",
    } as const;
    const paths: string[] = [];
    const { cut, unreadable } = await runRipgrep(search, { world, signal: this.#end }, (printed) => {
      if (paths.length === INDEXED_FILES_MAX) return false;
      const path = stripDotSlash(printed);
      if (!UNSHOWABLE.test(path)) paths.push(path);
      return true;
    });
    return { entries: entriesOf(paths), cut: cut || unreadable, listedAtMs: this.#nowMs() };
  }

  #nowMs(): number {
    return this.#host.world.clock.now();
  }
}

const EMPTY: FileList = { entries: [], cut: true, listedAtMs: 0 };

/** Returns files with the folders that they are in, in order. */
function entriesOf(files: readonly string[]): readonly FuzzyText[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      const folder = file.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders, ...files].sort().map(fuzzyText);
}

function bytesOf({ entries }: FileList): number {
  return entries.reduce(
    (sum, { text, folded }) =>
      sum + ENTRY_BYTES + BYTES_PER_UNIT * (text.length + (folded === text ? 0 : folded.length)),
    0,
  );
}

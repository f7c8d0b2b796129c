import { join, relative } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { decode } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { repositoryRoot } from "../../config/repository-root.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { readFileItem } from "../../guard/trust/review/read-item.ts";
import type { FoundItems, ProjectContext, TrustItem } from "../../session/guard/trust.ts";
import { contextSourcesPart } from "./config.ts";
import type { SourceFile } from "./context-source.ts";
import { filesOf, isSource, pathDown } from "./context-source.ts";

/**
 * A repository's notes for agents. Foreign text: it goes into a prompt only through the fence. A person acknowledges
 * the whole file, as it was read; `text` is made from these bytes.
 */
export interface ContextFile extends TrustItem {
  /** Path relative to the repository's root. */
  readonly label: string;
  /** Source that names it: "AGENTS.md", ".cursor/rules/*.mdc" … */
  readonly source: string;
  readonly text: string;
  /** Count of bytes that were cut for its size. */
  readonly cutBytes: number;
}

/** Narrows an item to a context file. */
export function isContextFile(item: TrustItem): item is ContextFile {
  return item.kind === "context-file" && "text" in item;
}

export const CONTEXT_FILE_BYTES_MAX = 32_768;
export const CONTEXT_BYTES_MAX = 131_072;

/**
 * Reads the context files of a repository: each source from the root down to the working directory, in path order,
 * one source after another; nothing above the root ([A] § AGENTS.md, CTX-01).
 *
 * A file with two names is read once, and no file twice: the loaded bytes are the ones that can be judged. Reports
 * whatever is not read, or not whole: larger than `CONTEXT_FILE_BYTES_MAX`, or `CONTEXT_BYTES_MAX` in all; binary;
 * unreadable; a link that leaves the root. The trust gate decides, by its `item`, whether a file may be loaded.
 */
export async function readContextFiles({
  world,
  workingDir,
  profile,
  withoutProject,
}: Omit<ProjectContext, "config" | "paths" | "profile" | "onlyProject"> & {
  readonly profile: Pick<ProjectContext["profile"], "sections" | "path">;
}): Promise<FoundItems> {
  if (withoutProject) return { items: [], problems: [] };
  const { files } = world;
  const here = await files.realpath(workingDir);
  const root = (await repositoryRoot(files, here)) ?? here;
  const reader = new Reader(files, root);
  for (const source of settingsOf(contextSourcesPart, { profile }).contextSources) {
    if (!isSource(source))
      reader.problems.push(`"${source}" is not a context source: write a file name below the repository`);
    else for (const folder of pathDown(root, here)) await reader.readAll(folder, source);
  }
  return { items: reader.files, problems: reader.problems };
}

/** Files read so far: size limits and identities apply to all files together. */
class Reader {
  readonly files: ContextFile[] = [];
  readonly problems: string[] = [];
  readonly #files: Files;
  readonly #root: string;
  readonly #seen = new Set<string>();
  #bytes = 0;

  constructor(files: Files, root: string) {
    this.#files = files;
    this.#root = root;
  }

  async readAll(folder: string, source: string): Promise<void> {
    try {
      for (const file of await filesOf(this.#files, folder, source)) await this.#read(file);
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
      this.#tell(join(folder, source), `cannot be read: ${messageOf(thrown)}`);
    }
  }

  async #read({ path, source }: SourceFile): Promise<void> {
    if ((await this.#files.lstat(path)) === undefined) return;
    const identity = await this.#identityOf(path);
    if (identity !== undefined && this.#seen.has(identity)) return;
    const place = { root: this.#root, path, kind: "context-file", scope: "project" } as const;
    const found = await readFileItem(this.#files, place);
    if (found.kind === "refused") this.#tell(path, found.why);
    if (found.kind !== "item") return;
    if (identity !== undefined) this.#seen.add(identity);
    this.#take({ path, source }, found.item);
  }

  async #identityOf(path: string): Promise<string | undefined> {
    try {
      return (await this.#files.stat(path))?.identity;
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
      return undefined; // reading it will report why
    }
  }

  #take({ path: asked, source }: SourceFile, item: TrustItem): void {
    const whole = item.files[0]?.bytes ?? new Uint8Array();
    const room = Math.min(CONTEXT_FILE_BYTES_MAX, CONTEXT_BYTES_MAX - this.#bytes);
    if (room <= 0) {
      this.#tell(asked, `was left out: context files may have ${CONTEXT_BYTES_MAX} bytes in all`);
      return;
    }
    const bytes = whole.subarray(0, room);
    if (bytes.includes(0)) {
      this.#tell(asked, "is binary, and was not read");
      return;
    }
    const cutBytes = whole.length - bytes.length;
    const text = wholeLines(decode(bytes), cutBytes > 0);
    if (text.trim() === "") return;
    if (cutBytes > 0)
      this.#tell(asked, `was cut: ${bytes.length} of its ${whole.length} bytes are in the prompt`);
    this.#bytes += bytes.length;
    this.files.push({ ...item, label: relative(this.#root, asked), source, text, cutBytes });
  }

  #tell(path: string, problem: string): void {
    this.problems.push(`${relative(this.#root, path)} ${problem}.`);
  }
}

/** Removes the last line if it was cut, and with it half a character. */
function wholeLines(text: string, cut: boolean): string {
  const end = text.lastIndexOf("\n");
  if (!cut) return text;
  return end > 0 ? text.slice(0, end) : text.replace(/\ufffd+$/, "");
}

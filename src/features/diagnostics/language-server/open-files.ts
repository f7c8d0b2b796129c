import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";

/** Limit for a file that is sent to a server. */
const FILE_BYTES_MAX = 4 * 1_048_576;
/** Limit for files that a server holds open; the least recently changed one is closed for the next. */
const OPEN_FILES_MAX = 32;

export interface OpenFilesDependencies {
  readonly files: Pick<Files, "openResolved">;
  /** Language reported for every file. Default: by its extension. */
  readonly language: string | undefined;
  readonly notify: (method: string, params: object) => Promise<void>;
  /** Called when a file is closed: earlier reports about it are no longer valid. */
  readonly onClosed: (path: string) => void;
}

interface OpenFile {
  version: number;
  text: string;
}

/** Files that a language server holds open, with the text that it was sent of each. */
export class OpenFiles {
  readonly #dependencies: OpenFilesDependencies;
  readonly #open = new Map<string, OpenFile>();

  constructor(dependencies: OpenFilesDependencies) {
    this.#dependencies = dependencies;
  }

  get paths(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Returns the server's version of a file; undefined if it is not open. */
  versionOf(path: string): number | undefined {
    return this.#open.get(path)?.version;
  }

  /** Sends a file's current content if the server has another one. Returns false if it cannot be sent. */
  async sync(path: string): Promise<boolean> {
    const text = await this.#textOf(path);
    const textDocument = { uri: fileUri(path) };
    const file = this.#open.get(path);
    if (text === undefined) {
      if (file !== undefined) await this.#close(path);
      return false;
    }
    if (file === undefined) {
      const [oldest] = this.#open.keys();
      if (this.#open.size >= OPEN_FILES_MAX && oldest !== undefined) await this.#close(oldest);
      this.#open.set(path, { version: 1, text });
      const languageId = this.#dependencies.language ?? languageOf(path);
      await this.#dependencies.notify("textDocument/didOpen", {
        textDocument: { ...textDocument, languageId, version: 1, text },
      });
      return true;
    }
    if (file.text === text) return true;
    file.version += 1;
    file.text = text;
    this.#open.delete(path);
    this.#open.set(path, file); // now the most recently changed one
    const { version } = file;
    await this.#dependencies.notify("textDocument/didChange", {
      textDocument: { ...textDocument, version },
      contentChanges: [{ text }],
    });
    await this.#dependencies.notify("textDocument/didSave", { textDocument });
    return true;
  }

  async #close(path: string): Promise<void> {
    this.#open.delete(path);
    this.#dependencies.onClosed(path);
    await this.#dependencies.notify("textDocument/didClose", { textDocument: { uri: fileUri(path) } });
  }

  /** Reads the file at that very path: a command may have put a link there to a file that no command may read. */
  async #textOf(path: string): Promise<string | undefined> {
    try {
      await using file = await this.#dependencies.files.openResolved(path);
      return file.info.size > FILE_BYTES_MAX ? undefined : decode(await file.read(0, FILE_BYTES_MAX));
    } catch (thrown) {
      if (thrown instanceof PathMoved || codeOf(thrown) !== undefined) return undefined;
      throw thrown;
    }
  }
}

/** Returns the URI by which a server names a file or a folder. */
export function fileUri(path: string): string {
  return pathToFileURL(path).href;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescriptreact",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascriptreact",
  py: "python",
  rs: "rust",
  rb: "ruby",
  sh: "shellscript",
  md: "markdown",
  yml: "yaml",
  h: "c",
  hpp: "cpp",
  cc: "cpp",
};

function languageOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase();
  return (Object.hasOwn(LANGUAGES, extension) ? LANGUAGES[extension] : undefined) ?? extension;
}

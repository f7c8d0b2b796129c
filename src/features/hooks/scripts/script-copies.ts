import { join } from "node:path";
import { canonicalJson } from "../../../base/json.ts";
import type { Files } from "../../../base/world.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import type { TrustFile } from "../../../session/guard/trust.ts";

/** An acknowledged file, with its name among a repository's hooks. */
export interface Script extends Pick<TrustFile, "bytes" | "executable" | "sha256"> {
  readonly name: string;
}

const DIRECTORY_MODE = 0o700;
const PROGRAM_MODE = 0o500;
const FILE_MODE = 0o400;
const OWNER_RUNS = 0o100;
const OTHERS_WRITE = 0o022;

/**
 * Copies of a repository's acknowledged scripts in our own folder. What runs is what a person has seen, whatever the
 * repository holds now (S29, HOOK-02).
 */
export class ScriptCopies {
  readonly #files: Files;
  readonly #scripts: readonly Script[];
  readonly #parent: string;
  readonly #folder: string;

  constructor(files: Files, parent: string, scripts: readonly Script[]) {
    this.#files = files;
    this.#scripts = scripts;
    this.#parent = parent;
    const facts = scripts.map(({ name, sha256: hash, executable }) => ({ name, hash, executable }));
    this.#folder = join(parent, sha256(new TextEncoder().encode(canonicalJson(facts))));
  }

  /** Returns the folder. Verifies each copy and rewrites it if it differs from the acknowledged bytes. */
  async ready(): Promise<string> {
    await this.#files.makeDirectory(this.#parent, DIRECTORY_MODE);
    await this.#files.makeDirectory(this.#folder, DIRECTORY_MODE);
    for (const script of this.#scripts) await this.#keep(script);
    return this.#folder;
  }

  async #keep(script: Script): Promise<void> {
    const path = join(this.#folder, script.name);
    if (await this.#isKept(path, script)) return;
    if ((await this.#files.lstat(path)) !== undefined) await this.#files.remove(path);
    await this.#files.writeAtomic(path, script.bytes, script.executable ? PROGRAM_MODE : FILE_MODE);
    if (!(await this.#isKept(path, script))) throw new Error(`${path} is not what was acknowledged`);
  }

  async #isKept(path: string, { bytes, executable, sha256: hash }: Script): Promise<boolean> {
    const info = await this.#files.lstat(path);
    if (info?.kind !== "file" || info.size !== bytes.length || (info.mode & OTHERS_WRITE) !== 0) return false;
    if (((info.mode & OWNER_RUNS) !== 0) !== executable) return false;
    return sha256(await this.#files.readRange(path, 0, bytes.length)) === hash;
  }
}

import { dirname, join } from "node:path";
import { canonicalJson } from "../../base/json.ts";
import type { Files } from "../../base/world.ts";
import { sha256 } from "../../guard/trust/ledger/item.ts";
import type { TrustFile } from "../../session/guard/trust.ts";
import type { Skill } from "./format/skill.ts";
import { SKILL_FILE } from "./format/skill.ts";

const DIRECTORY_MODE = 0o700;
const PROGRAM_MODE = 0o500;
const FILE_MODE = 0o400;
const OWNER_RUNS = 0o100;
const OTHERS_WRITE = 0o022;
const ENTRIES_MAX = 2_048;

/**
 * Copies of the files of acknowledged skills, in a folder of this session. What a call reads or runs there is what a
 * person has seen, whatever the skill's own folder holds now (S29, S42).
 */
export class SkillCopies {
  /** Absolute path of the folder with one folder per skill. It may not exist yet. */
  readonly folder: string;
  readonly #files: Files;
  /**
   * The last operation. Operations run one after the other, because two at once would find each other's
   * work unfinished.
   */
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.folder = folder;
  }

  /** Returns the folder for a skill's files; undefined if it has no file except its SKILL.md. */
  folderOf(skill: Skill): string | undefined {
    if (skill.files.length < 2 && skill.files.every(({ path }) => path === SKILL_FILE)) return undefined;
    const facts = skill.files.map(({ path, sha256: hash, executable }) => ({ path, hash, executable }));
    const hash = sha256(new TextEncoder().encode(canonicalJson(facts)));
    return join(this.folder, `${skill.name}-${hash.slice(0, 12)}`);
  }

  /**
   * Verifies the copies of a skill's files and returns their folder. Rewrites changed copies and removes added files.
   */
  async ready(skill: Skill): Promise<string | undefined> {
    const folder = this.folderOf(skill);
    if (folder === undefined) return undefined;
    const made = this.#last.catch(() => undefined).then(() => this.#make(folder, skill.files));
    this.#last = made;
    await made;
    return folder;
  }

  /** Removes the folder with all copies. */
  async remove(): Promise<void> {
    await this.#last.catch(() => undefined); // its caller got the error
    if ((await this.#files.lstat(this.folder)) !== undefined) await this.#files.remove(this.folder);
  }

  async #make(folder: string, wanted: readonly TrustFile[]): Promise<void> {
    await this.#files.makeDirectory(folder, DIRECTORY_MODE);
    await this.#removeOthers(folder, wanted);
    for (const file of wanted) await this.#keep(join(folder, file.path), file);
  }

  async #keep(path: string, file: TrustFile): Promise<void> {
    if (await this.#isKept(path, file)) return;
    await this.#files.makeDirectory(dirname(path), DIRECTORY_MODE);
    if ((await this.#files.lstat(path)) !== undefined) await this.#files.remove(path);
    await this.#files.writeAtomic(path, file.bytes, file.executable ? PROGRAM_MODE : FILE_MODE);
    if (!(await this.#isKept(path, file))) throw new Error(`${path} is not what was acknowledged`);
  }

  async #isKept(path: string, { bytes, executable, sha256: hash }: TrustFile): Promise<boolean> {
    const info = await this.#files.lstat(path);
    if (info?.kind !== "file" || info.size !== bytes.length || (info.mode & OTHERS_WRITE) !== 0) return false;
    if (((info.mode & OWNER_RUNS) !== 0) !== executable) return false;
    return sha256(await this.#files.readRange(path, 0, bytes.length)) === hash;
  }

  /** Removes files that were added. A file beside a script can influence it. */
  async #removeOthers(folder: string, wanted: readonly TrustFile[]): Promise<void> {
    const paths = new Set(wanted.map(({ path }) => path));
    const folders = new Set(wanted.flatMap(({ path }) => parentsOf(path)));
    const openFolders = [""];
    let seen = 0;
    for (const below of openFolders) {
      for (const { name, kind } of await this.#files.list(join(folder, below))) {
        seen += 1;
        if (seen > ENTRIES_MAX) throw new Error(`${folder} contains files that nobody has acknowledged`);
        const path = below === "" ? name : `${below}/${name}`;
        if (kind === "directory" && folders.has(path)) openFolders.push(path);
        else if (kind !== "file" || !paths.has(path)) await this.#files.remove(join(folder, path));
      }
    }
  }
}

function parentsOf(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

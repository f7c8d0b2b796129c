import { dirname, join, relative } from "node:path";
import { acquireLock, LockRefused } from "../../../base/async/lock.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { codeOf, FileTooLarge } from "../../../base/world.ts";
import type {
  FileChange,
  TrustFile,
  TrustItem,
  TrustRecord,
  TrustVerdict,
} from "../../../session/guard/trust.ts";
import { sha256 } from "./item.ts";
import { judgeItem } from "./judge-item.ts";
import type { Approvals, ApprovedFile } from "./lock-file.ts";
import {
  approvalKey,
  LOCK_FILE_BYTES_MAX,
  NO_APPROVALS,
  parseLockFile,
  renderLockFile,
} from "./lock-file.ts";

type LedgerWorld = Pick<World, "files" | "clock" | "lock">;

const OWNER_ONLY = 0o600;
const DIRECTORY_MODE = 0o700;
const OTHERS_MAY_WRITE = 0o022;
/** Name of the lock file beside the approvals; always empty. */
const LOCK_FILE = ".approve.lock";
/** Limit for stored texts: a larger changed file is shown whole, not as a difference. */
const KEPT_BYTES_MAX = 1024 * 1024;

/**
 * Record of what the user has acknowledged: `approved.lock`, with the texts beside it in `approved/`, so that a
 * change can be shown as a difference ([A] hard rule 13, TOFU-01).
 *
 * Judges bytes, never paths, and fails closed: a record that cannot be read or parsed approves nothing.
 */
export class TrustLedger implements TrustRecord {
  readonly #world: LedgerWorld;
  readonly #path: string;
  readonly #named: Approvals;
  #own: Approvals;

  private constructor(world: LedgerWorld, path: string, known: { named: Approvals; own: Approvals }) {
    this.#world = world;
    this.#path = path;
    this.#named = known.named;
    this.#own = known.own;
  }

  /**
   * @param path of the user's approved.lock; it need not exist.
   * @param named a lock file that the user named, whose paths are those of a project.
   * @throws HarnessError TrustLedgerInvalid for an unreliable one; PathMissing for a named one that does not exist.
   */
  static async open(
    world: LedgerWorld,
    path: string,
    named?: { readonly path: string; readonly root: string },
  ): Promise<TrustLedger> {
    const ownApprovals = (await readOwn(world.files, path)) ?? NO_APPROVALS;
    return new TrustLedger(world, path, {
      own: ownApprovals,
      named: named === undefined ? NO_APPROVALS : await readNamedLockFile(world.files, named),
    });
  }

  /** Judges bytes that were read. Reads more only for a change: the previous text. */
  async judge(item: TrustItem): Promise<TrustVerdict> {
    if (judgeItem(item, this.#named).kind === "trusted") return { kind: "trusted" };
    const judgement = judgeItem(item, this.#own);
    if (judgement.kind !== "changed") return judgement;
    const changes = await this.#changes(item, judgement.was);
    const { classOfChanges } = await import("../review/change-class.ts");
    return { kind: "changed", class: classOfChanges(item.kind, changes), changes };
  }

  /**
   * Records that a person has acknowledged these contents. Records of other processes made meanwhile stay.
   * @throws HarnessError TrustLedgerUnwritable if it cannot be stored: then it does not count.
   */
  async approve(items: readonly TrustItem[]): Promise<void> {
    const at = this.#now();
    const approved = items.map(({ kind, path, scope, files }) => {
      return { kind, path, scope, at, files: files.map(approvedFile) };
    });
    const keys = new Set(approved.map(approvalKey));
    await this.#change(
      (before) => ({
        ...before,
        approved: [...before.approved.filter((entry) => !keys.has(approvalKey(entry))), ...approved],
      }),
      items.flatMap(({ files }) => files),
    );
  }

  /** Trusts a folder of the user in its current state, with every file in these items (TOFU-02). */
  async approveDirectory(path: string, items: readonly TrustItem[]): Promise<void> {
    const files = items.flatMap((item) => {
      const below = relative(path, item.path);
      return item.files.map((file) => ({ ...approvedFile(file), path: join(below, file.path) }));
    });
    await this.#change(
      (before) => ({
        ...before,
        directories: [
          ...before.directories.filter((entry) => entry.path !== path),
          { path, at: this.#now(), files },
        ],
      }),
      items.flatMap((item) => item.files),
    );
  }

  async #change(change: (before: Approvals) => Approvals, trustedFiles: readonly TrustFile[]): Promise<void> {
    const { files } = this.#world;
    const directory = dirname(this.#path);
    try {
      await files.makeDirectory(directory, DIRECTORY_MODE);
      using _lock = await acquireLock(this.#world, join(directory, LOCK_FILE));
      const after = change((await readOwn(files, this.#path)) ?? NO_APPROVALS);
      await this.#keep(trustedFiles);
      await files.writeAtomic(this.#path, renderLockFile(after), OWNER_ONLY);
      this.#own = after;
      await this.#forget(after);
    } catch (thrown) {
      if (codeOf(thrown) === undefined && !(thrown instanceof LockRefused)) throw thrown;
      const fields = { path: this.#path, detail: messageOf(thrown) };
      throw new HarnessError("TrustLedgerUnwritable", fields, { cause: thrown });
    }
  }

  async #keep(trustedFiles: readonly TrustFile[]): Promise<void> {
    const { files } = this.#world;
    const directory = this.#texts;
    await files.makeDirectory(directory, DIRECTORY_MODE);
    for (const { sha256: hash, bytes } of trustedFiles) {
      if (bytes.length > KEPT_BYTES_MAX) continue;
      await files.createNew(join(directory, hash), bytes, OWNER_ONLY);
    }
  }

  /** Removes texts to which no approval refers any more. */
  async #forget({ approved, directories }: Approvals): Promise<void> {
    const { files } = this.#world;
    const wanted = new Set(
      [...approved, ...directories].flatMap((entry) => entry.files.map((file) => file.sha256)),
    );
    for (const { name } of await files.list(this.#texts)) {
      if (/^[0-9a-f]{64}$/.test(name) && !wanted.has(name)) await files.remove(join(this.#texts, name));
    }
  }

  async #changes(item: TrustItem, was: readonly ApprovedFile[]): Promise<readonly FileChange[]> {
    const paths = new Set([...was.map(({ path }) => path), ...item.files.map(({ path }) => path)]);
    const changes: FileChange[] = [];
    for (const path of [...paths].sort()) {
      const before = was.find((file) => file.path === path);
      const after = item.files.find((file) => file.path === path);
      if (before?.sha256 === after?.sha256 && before?.executable === after?.executable) continue;
      const bytes = before === undefined ? undefined : await this.#textOf(before.sha256);
      changes.push({
        path,
        ...(before === undefined ? {} : { before: { executable: before.executable, ...defined({ bytes }) } }),
        ...(after === undefined ? {} : { after: { executable: after.executable, bytes: after.bytes } }),
      });
    }
    return changes;
  }

  /** Returns an approved text; undefined if it was not stored, or is not what was approved. */
  async #textOf(hash: string): Promise<Uint8Array | undefined> {
    try {
      const bytes = await this.#world.files.read(join(this.#texts, hash), KEPT_BYTES_MAX);
      return sha256(bytes) === hash ? bytes : undefined;
    } catch (thrown) {
      if (codeOf(thrown) === undefined && !(thrown instanceof FileTooLarge)) throw thrown;
      return undefined; // then the change is of the highest class, and the new text is shown whole
    }
  }

  get #texts(): string {
    return join(dirname(this.#path), "approved");
  }

  #now(): string {
    return new Date(this.#world.clock.now()).toISOString();
  }
}

function approvedFile({ path, sha256: hash, executable }: TrustFile): ApprovedFile {
  return { path, sha256: hash, executable };
}

/** Reads the user's approvals; undefined if there are none yet. */
async function readOwn(files: World["files"], path: string): Promise<Approvals | undefined> {
  const text = await readText(files, path);
  if (text === undefined) return undefined;
  const mode = (await files.stat(path))?.mode ?? 0;
  if ((mode & OTHERS_MAY_WRITE) !== 0) {
    const problem = `others may write to it (mode ${mode.toString(8)}): chmod 600 it after a look at it`;
    throw new HarnessError("TrustLedgerInvalid", { path, problem });
  }
  return parseLockFile(text, { path });
}

/**
 * Reads a lock file that was named from outside the project (TOFU-05).
 * @throws HarnessError PathMissing, TrustLedgerInvalid.
 */
export async function readNamedLockFile(
  files: World["files"],
  named: { readonly path: string; readonly root: string },
): Promise<Approvals> {
  const text = await readText(files, named.path);
  if (text === undefined) throw new HarnessError("PathMissing", { what: "The lock file", path: named.path });
  return parseLockFile(text, named);
}

async function readText(files: World["files"], path: string): Promise<string | undefined> {
  try {
    const info = await files.stat(path);
    if (info === undefined) return undefined;
    if (info.kind !== "file") {
      throw new HarnessError("TrustLedgerInvalid", { path, problem: "it is not a regular file" });
    }
    return decode(await files.read(path, LOCK_FILE_BYTES_MAX));
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    if (codeOf(thrown) === undefined && !(thrown instanceof FileTooLarge)) throw thrown;
    const problem = `it cannot be read: ${messageOf(thrown)}`;
    throw new HarnessError("TrustLedgerInvalid", { path, problem }, { cause: thrown });
  }
}

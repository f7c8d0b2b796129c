import { join } from "node:path";
import { acquireLock } from "../../../base/async/lock.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { TokenId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { decode, encode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { readPrivateFile, replacePrivateFile } from "../../../safety/private-file.ts";
import { LIFETIME_MS_MAX } from "./claims-request.ts";
import { tokenKeyPath } from "./token-key.ts";

/** Each stays for as long as its token could live. Beyond this number a new key is the remedy, which ends them all. */
export const REVOKED_MAX = 10_000;
const FILE_BYTES_MAX = 4 * 1024 * 1024;
const UNIQUE_BYTES = 6;
/** Name of the file beside the list that is locked while it is changed; always empty. */
const CHANGE_LOCK = ".revoked-tokens.change";

interface Entry {
  /** Time of the revocation, and until when it must be remembered; milliseconds since 1970. */
  readonly atMs: number;
  readonly untilMs: number;
}

export interface RevocationsDependencies {
  readonly world: Pick<World, "clock" | "lock" | "random"> & {
    readonly files: Pick<World["files"], "lstat">;
  };
  readonly stateDirectory: string;
  readonly now: () => number;
}

/**
 * The revoked tokens (AUTH-05): one file of the state directory, replaced in one step, so that a crash leaves the list
 * before or the list after. A revocation by another engine of the same installation counts here from the next check on.
 */
export class Revocations {
  readonly #parts: RevocationsDependencies;
  readonly #path: string;
  readonly #entries = new Map<TokenId, Entry>();
  readonly #watchers = new Map<TokenId, Set<() => void>>();
  /** The file as it was last read or written. */
  #seen = "";
  #writing: Promise<void> = Promise.resolve();

  private constructor(parts: RevocationsDependencies) {
    this.#parts = parts;
    this.#path = join(parts.stateDirectory, "revoked-tokens.json");
  }

  /** @throws HarnessError RevocationsUnusable: a damaged list may have held any token, so no token is valid. */
  static async open(parts: RevocationsDependencies): Promise<Revocations> {
    const revocations = new Revocations(parts);
    await revocations.#readChanges();
    return revocations;
  }

  /**
   * Returns the first of these tokens that was revoked, and when.
   * @throws HarnessError RevocationsUnusable.
   */
  async find(
    tokens: readonly TokenId[],
  ): Promise<{ readonly jti: TokenId; readonly atMs: number } | undefined> {
    await this.#readChanges();
    return this.findKnown(tokens);
  }

  /** Returns the same, from what this process knows already. */
  findKnown(tokens: readonly TokenId[]): { readonly jti: TokenId; readonly atMs: number } | undefined {
    for (const jti of tokens) {
      const entry = this.#entries.get(jti);
      if (entry !== undefined) return { jti, atMs: entry.atMs };
    }
    return undefined;
  }

  /**
   * Revokes a token: in this process at once, and for good once it resolves.
   * @throws HarnessError RevocationsUnusable if it cannot be stored; in this process it counts nevertheless.
   */
  async revoke(jti: TokenId): Promise<void> {
    const now = this.#parts.now();
    if (!this.#entries.has(jti)) this.#add(jti, { atMs: now, untilMs: now + LIFETIME_MS_MAX });
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined); // the caller gets it; the next one tries again
    await written;
  }

  /** Calls back when one of these tokens is revoked. */
  watch(tokens: readonly TokenId[], revoked: () => void): Disposable {
    for (const jti of tokens) {
      const watchers = this.#watchers.get(jti) ?? new Set();
      this.#watchers.set(jti, watchers.add(revoked));
    }
    return {
      [Symbol.dispose]: () => {
        for (const jti of tokens) {
          const watchers = this.#watchers.get(jti);
          watchers?.delete(revoked);
          if (watchers?.size === 0) this.#watchers.delete(jti);
        }
      },
    };
  }

  #add(jti: TokenId, entry: Entry): void {
    this.#entries.set(jti, entry);
    for (const revoked of [...(this.#watchers.get(jti) ?? [])]) revoked();
  }

  /** Reads the file if it has changed: it costs one stat if it has not. */
  async #readChanges(): Promise<void> {
    try {
      const seen = await this.#look();
      if (seen === this.#seen) return;
      const found = await readPrivateFile(this.#path, FILE_BYTES_MAX);
      if (found.kind === "refused") throw this.#unusable(`it ${found.problem}`);
      if (found.kind === "read") for (const [jti, entry] of this.#parse(found.bytes)) this.#learn(jti, entry);
      this.#seen = seen;
    } catch (thrown) {
      throw thrown instanceof HarnessError ? thrown : this.#unusable(messageOf(thrown), thrown);
    }
  }

  #learn(jti: TokenId, entry: Entry): void {
    if (entry.untilMs > this.#parts.now() && !this.#entries.has(jti)) this.#add(jti, entry);
  }

  async #look(): Promise<string> {
    const info = await this.#parts.world.files.lstat(this.#path);
    return info === undefined ? "" : `${info.identity} ${info.size} ${info.modifiedMs} ${info.changedMs}`;
  }

  #parse(bytes: Uint8Array): ReadonlyMap<TokenId, Entry> {
    const value = parseJson(decode(bytes))?.value;
    const revoked = isObject(value) && value["version"] === 1 ? value["revoked"] : undefined;
    if (!Array.isArray(revoked)) throw this.#unusable("it is not what cinch writes there");
    return new Map(
      revoked.map((each: unknown) => {
        if (!isObject(each)) throw this.#unusable("an entry is not an object");
        const { jti, at, until } = each;
        if (typeof jti !== "string" || !isId("tok", jti) || !isTime(at) || !isTime(until))
          throw this.#unusable("an entry has no token id or no time");
        return [jti, { atMs: at, untilMs: until }];
      }),
    );
  }

  async #write(): Promise<void> {
    using _lock = await this.#lock();
    await this.#readChanges(); // entries of another process stay
    const now = this.#parts.now();
    for (const [jti, { untilMs }] of this.#entries) if (untilMs <= now) this.#entries.delete(jti);
    if (this.#entries.size > REVOKED_MAX)
      throw this.#unusable(`more than ${REVOKED_MAX} tokens are revoked and could still be used`);
    const revoked = [...this.#entries].map(([jti, { atMs, untilMs }]) => ({ jti, at: atMs, until: untilMs }));
    const content = encode(`${JSON.stringify({ version: 1, revoked })}\n`);
    try {
      await replacePrivateFile(this.#path, content, this.#parts.world.random.bytes(UNIQUE_BYTES));
      this.#seen = await this.#look();
    } catch (thrown) {
      throw this.#unusable(messageOf(thrown), thrown);
    }
  }

  /** Keeps other processes from changing the list: each write replaces all of it. */
  async #lock(): Promise<Disposable> {
    try {
      return await acquireLock(this.#parts.world, join(this.#parts.stateDirectory, CHANGE_LOCK));
    } catch (thrown) {
      throw this.#unusable(messageOf(thrown), thrown);
    }
  }

  #unusable(problem: string, cause?: unknown): HarnessError<"RevocationsUnusable"> {
    const key = tokenKeyPath(this.#parts.stateDirectory);
    const fields = { path: this.#path, key, problem };
    return new HarnessError("RevocationsUnusable", fields, cause === undefined ? {} : { cause });
  }
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

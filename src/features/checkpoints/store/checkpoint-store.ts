import { join } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { CallId } from "../../../base/ids.ts";
import type { Files, Random } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { openBytes, SealBroken, sealBytes, subKey } from "../../../session/store/seal.ts";
import { lastEarlierKeyRecord } from "./earlier-key.ts";
import type { StoredEntry } from "./entry.ts";

const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600];
const NUMBER_DIGITS = 8;
/** Limit for unwritten contents; at this size they are written. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
const CHANGES_PER_PAUSE = 2_000;
const RECORD_BYTES_MAX = 256 * 1024 * 1024;
const MARK_BYTES_MAX = 1_024;

/** Author of a change, as far as known. */
export type ChangedBy = "calls" | "user" | "both" | "unknown";

/** Changes written at one time: the state of some paths from then on. */
export interface StoredRecord {
  readonly kind: "base" | "before" | "after" | "rewind" | "seen";
  readonly turn: number;
  /** Number of the log's last event at that time. */
  readonly at: number;
  readonly changes: readonly StoredChange[];
  /** Contents that were stored with it: name, number of the file, offset and length there. */
  readonly contents: readonly StoredLocation[];
  /** For a base record: the workspace to which its paths are relative. */
  readonly root?: string;
  /** Calls that changed something since the last record. */
  readonly calls?: readonly StoredCall[];
}

/** Files that one call changed, with their states before and after it. */
export interface StoredCall {
  readonly call: CallId;
  readonly turn: number;
  readonly changes: readonly (readonly [path: string, from: StoredEntry, to: StoredEntry])[];
  /** Number of changed files that are not listed. */
  readonly leftOut: number;
}

export type StoredLocation = readonly [name: string, file: number, from: number, length: number];

export type StoredChange = readonly [path: string, by: ChangedBy, entry: StoredEntry];

export interface CheckpointStoreDependencies {
  readonly files: Files;
  readonly random: Random;
  /** Folder of one log. */
  readonly folder: string;
  /** Key of this log alone; the keys for sealing and for names are derived from it. */
  readonly key: Uint8Array;
  readonly log: string;
  /** The workspace. Records of another one count as damaged. Default: not compared. */
  readonly root?: string;
  /** Lets other work run. */
  readonly pause?: () => Promise<void>;
}

export type RecordHeader = Pick<StoredRecord, "kind" | "turn" | "at">;
export type NumberedHeader = RecordHeader & { readonly number: number };

interface FileSlot {
  readonly record: number;
  readonly file: number;
  readonly from: number;
  readonly length: number;
}

/**
 * The records of one log and the contents that they name, sealed, each in a file that is written atomically and never
 * changed. Names of contents are made with a key, so that they reveal nothing about the contents (SES-15).
 */
export class CheckpointStore {
  readonly #dependencies: CheckpointStoreDependencies;
  readonly #sealKey: Uint8Array;
  readonly #nameKey: Uint8Array;
  readonly #places = new Map<string, FileSlot>();
  #headers: NumberedHeader[] = [];
  #damage: HarnessError | undefined;
  /** Number of the last record that was sealed under an earlier machine key; 0 for none. */
  #earlier = 0;
  #next = 1;
  /** Contents for the next record: those already in files, and those that are not yet. */
  #written: StoredLocation[] = [];
  readonly #waiting = new Map<string, Uint8Array>();
  #waitingBytes = 0;
  #file = 0;

  private constructor(dependencies: CheckpointStoreDependencies) {
    this.#dependencies = dependencies;
    this.#sealKey = subKey(dependencies.key, "cinch checkpoint seal v1");
    this.#nameKey = subKey(dependencies.key, "cinch checkpoint names v1");
  }

  /** Opens the records of a log; creates nothing. `damage` reports what cannot be opened. */
  static async open(dependencies: CheckpointStoreDependencies): Promise<CheckpointStore> {
    const store = new CheckpointStore(dependencies);
    await store.#read();
    return store;
  }

  /** Headers of the records, in order. */
  get headers(): readonly NumberedHeader[] {
    return this.#headers;
  }

  /** Set if records are missing or cannot be opened: the state before them is lost. */
  get damage(): HarnessError | undefined {
    return this.#damage;
  }

  /** True if records were sealed under an earlier machine key. They cannot be read, and are not damaged. */
  get isEarlierKey(): boolean {
    return this.#earlier > 0;
  }

  /** The reason why the oldest records are gone; undefined if none are. */
  get loss(): string | undefined {
    if (this.#damage !== undefined) return this.#damage.message;
    return this.isEarlierKey ? "earlier ones were kept under an earlier machine key" : undefined;
  }

  /**
   * Reads all records from disk: they are not held in memory.
   * @throws HarnessError CheckpointsDamaged.
   */
  async records(): Promise<readonly StoredRecord[]> {
    const records: StoredRecord[] = [];
    for (const { number } of this.#headers) {
      try {
        records.push(await this.#readRecord(number));
      } catch (thrown) {
        throw this.#damaged(`record ${number} cannot be read: ${messageOf(thrown)}`, thrown);
      }
    }
    return records;
  }

  name(content: Uint8Array): string {
    return new Bun.CryptoHasher("sha256", this.#nameKey).update(content).digest("hex").slice(0, 40);
  }

  has(name: string): boolean {
    return (
      this.#places.has(name) ||
      this.#waiting.has(name) ||
      this.#written.some(([writtenName]) => writtenName === name)
    );
  }

  /**
   * Stores a content with the next record. Returns the bytes that it takes: 0 if it is stored already.
   * @throws HarnessError CheckpointUnwritable.
   */
  async keep(name: string, content: Uint8Array): Promise<number> {
    if (this.has(name)) return 0;
    const sealed = sealBytes(this.#sealer, this.#contentText(name), content);
    this.#waiting.set(name, sealed);
    this.#waitingBytes += sealed.length;
    if (this.#waitingBytes >= WAITING_BYTES_MAX) await this.#writing(() => this.#flush());
    return sealed.length;
  }

  /**
   * Writes a record. Its contents were written before: an existing record has all of them.
   * @throws HarnessError CheckpointUnwritable.
   */
  async write(record: Omit<StoredRecord, "contents" | "root">): Promise<void> {
    const number = this.#next;
    const { root } = this.#dependencies;
    const where = record.kind === "base" && root !== undefined ? { root } : {};
    await this.#writing(async () => {
      await this.#flush();
      const whole: StoredRecord = { ...record, ...where, contents: this.#written };
      const text = await this.#textOf(whole);
      const sealed = sealBytes(this.#sealer, this.#recordText(number), text);
      await this.#dependencies.files.makeDirectory(this.#dependencies.folder, FOLDER_MODE);
      await this.#dependencies.files.writeAtomic(this.#path(number, "record"), sealed, FILE_MODE);
      this.#take(number, whole);
    });
    this.#written = [];
    this.#file = 0;
  }

  /** Renders JSON in pieces: a first record names every file. */
  async #textOf({ changes, ...rest }: StoredRecord): Promise<Uint8Array> {
    const pieces: string[] = [];
    for (let from = 0; from < changes.length; from += CHANGES_PER_PAUSE) {
      pieces.push(JSON.stringify(changes.slice(from, from + CHANGES_PER_PAUSE)).slice(1, -1));
      await this.#dependencies.pause?.();
    }
    const text = `{"changes":[${pieces.join(",")}],${JSON.stringify(rest).slice(1)}`;
    return new TextEncoder().encode(text);
  }

  async #flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { files, folder } = this.#dependencies;
    await files.makeDirectory(folder, FOLDER_MODE);
    const path = this.#path(this.#next, `${this.#file}.contents`);
    await files.writeAtomic(path, Buffer.concat([...this.#waiting.values()]), FILE_MODE);
    let from = 0;
    for (const [name, { length }] of this.#waiting) {
      this.#written.push([name, this.#file, from, length]);
      from += length;
    }
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.#file += 1;
  }

  async #writing(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      const path = this.#dependencies.folder;
      throw new HarnessError("CheckpointUnwritable", { path, detail: messageOf(cause) }, { cause });
    }
  }

  /** Returns a content; undefined if it is gone or cannot be opened: it is lost then. */
  async content(name: string): Promise<Uint8Array | undefined> {
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) return openBytes(this.#sealKey, this.#contentText(name), waiting);
    const place = this.#places.get(name) ?? this.#unrecordedPlace(name);
    if (place === undefined) return undefined;
    try {
      const path = this.#path(place.record, `${place.file}.contents`);
      const sealed = await this.#dependencies.files.readRange(path, place.from, place.length);
      return openBytes(this.#sealKey, this.#contentText(name), sealed);
    } catch (thrown) {
      if (thrown instanceof SealBroken || codeOf(thrown) === "ENOENT") return undefined;
      throw thrown;
    }
  }

  /** Returns the place of a content that is written, and whose record is not. */
  #unrecordedPlace(name: string): FileSlot | undefined {
    const found = this.#written.find(([writtenName]) => writtenName === name);
    if (found === undefined) return undefined;
    const [, file, from, length] = found;
    return { record: this.#next, file, from, length };
  }

  get #sealer() {
    return { key: this.#sealKey, random: (count: number) => this.#dependencies.random.bytes(count) };
  }

  /** Reads the newest contiguous records: from a base on, each readable and none missing. */
  async #read(): Promise<void> {
    const { files, folder } = this.#dependencies;
    if ((await files.lstat(folder)) === undefined) return;
    const names = (await files.list(folder)).map(({ name }) => name);
    const numbers = names.flatMap((name) => (name.endsWith(".record") ? [Number.parseInt(name, 10)] : []));
    this.#earlier = await lastEarlierKeyRecord(
      { log: this.#dependencies.log, names, key: this.#dependencies.key },
      (name) => files.read(join(folder, name), MARK_BYTES_MAX),
    );
    this.#next = this.#earlier + 1;
    for (const number of numbers.sort((a, b) => a - b)) {
      if (number <= this.#earlier) continue;
      if (this.#headers.length > 0 && number !== this.#next) this.#drop(`record ${this.#next} is missing`);
      await this.#readOne(number);
      this.#next = number + 1;
    }
  }

  async #readOne(number: number): Promise<void> {
    try {
      const record = await this.#readRecord(number);
      const { root } = this.#dependencies;
      if (record.kind === "base" && root !== undefined && record.root !== root) {
        this.#drop(
          `they are of the folder ${record.root ?? "of nobody knows what"}, and the session works in ${root}`,
        );
        return;
      }
      if (record.kind === "base") this.#clear();
      if (record.kind === "base" || this.#headers.length > 0) this.#take(number, record);
      else this.#damage ??= this.#damaged("its first record is missing");
    } catch (thrown) {
      this.#drop(messageOf(thrown), thrown);
    }
  }

  async #readRecord(number: number): Promise<StoredRecord> {
    const sealed = await this.#dependencies.files.read(this.#path(number, "record"), RECORD_BYTES_MAX);
    const text = openBytes(this.#sealKey, this.#recordText(number), sealed);
    return JSON.parse(new TextDecoder().decode(text)) as StoredRecord;
  }

  #drop(detail: string, cause?: unknown): void {
    this.#clear();
    this.#damage = this.#damaged(detail, cause);
  }

  #clear(): void {
    this.#headers = [];
    this.#places.clear();
  }

  #damaged(detail: string, cause?: unknown): HarnessError {
    return new HarnessError("CheckpointsDamaged", { path: this.#dependencies.folder, detail }, { cause });
  }

  #take(number: number, record: StoredRecord): void {
    const { kind, turn, at } = record;
    this.#headers.push({ number, kind, turn, at });
    this.#next = number + 1;
    for (const [name, file, from, length] of record.contents) {
      this.#places.set(name, { record: number, file, from, length });
    }
  }

  #path(number: number, kind: string): string {
    return join(this.#dependencies.folder, `${String(number).padStart(NUMBER_DIGITS, "0")}.${kind}`);
  }

  #recordText(number: number): string {
    return ["cinch checkpoint record v1", this.#dependencies.log, number].join("\0");
  }

  #contentText(name: string): string {
    return ["cinch checkpoint content v1", this.#dependencies.log, name].join("\0");
  }
}

/** What a memory is about: the person, how they want work done, this project, or where something is found (CTX-02). */
export const MEMORY_TYPES = ["user", "feedback", "project", "reference"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Whose memories a folder holds: one person's wherever they work, or one repository's. */
export type MemoryScope = "user" | "project";

/** One thing that was kept from an earlier session. Its words are foreign: a model wrote them, or a person by hand. */
export interface Memory {
  /** As `NAME`; the name of its file, less `.md`. */
  readonly name: string;
  readonly type: MemoryType;
  /** One line, of at most `DESCRIPTION_CHARACTERS_MAX`: what it is found by. */
  readonly description: string;
  readonly tags: readonly string[];
  readonly content: string;
}

/** A memory with the place it was read from. */
export interface KeptMemory extends Memory {
  readonly scope: MemoryScope;
  readonly path: string;
  readonly modifiedMs: number;
  readonly bytes: number;
}

export const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The index of each folder; no memory may have its name. */
export const INDEX_FILE = "MEMORY.md";

export const DESCRIPTION_CHARACTERS_MAX = 200;
export const CONTENT_BYTES_MAX = 8_192;
export const TAGS_MAX = 8;
export const TAG_CHARACTERS_MAX = 32;
/** Of one folder. */
export const MEMORIES_MAX = 200;
/** Of one folder, its files together. */
export const FOLDER_BYTES_MAX = 512 * 1024;
/** A file that is larger was not written by cinch, and is not read. */
export const FILE_BYTES_MAX = 16_384;

/** A person's memories are theirs everywhere; what was learnt of a project stays with it. */
export function scopeOf(type: MemoryType): MemoryScope {
  return type === "user" || type === "feedback" ? "user" : "project";
}

/** Whether two names are one file's on a disk that knows no case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function isIndexName(name: string): boolean {
  return isSameName(`${name}.md`, INDEX_FILE);
}

/** The subject of a memory: the user, how they want work done, this project, or a location of information (CTX-02). */
export const MEMORY_TYPES = ["user", "feedback", "project", "reference"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** The owner of a folder of memories: a user in all projects, or one repository. */
export type MemoryScope = "user" | "project";

/** One memory from an earlier session. Its text is untrusted, because a model or a person wrote it. */
export interface Memory {
  /** Matches `MEMORY_NAME`; the name of its file without `.md`. */
  readonly name: string;
  readonly type: MemoryType;
  /** One line of at most `MEMORY_DESCRIPTION_CHARACTERS_MAX`, used for selecting the memory. */
  readonly description: string;
  readonly tags: readonly string[];
  readonly content: string;
}

/** A memory with its file. */
export interface StoredMemory extends Memory {
  readonly scope: MemoryScope;
  readonly path: string;
  readonly modifiedMs: number;
  readonly bytes: number;
}

export const MEMORY_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** The index of each folder. No memory may have its name. */
export const INDEX_FILE = "MEMORY.md";

export const MEMORY_DESCRIPTION_CHARACTERS_MAX = 200;
export const CONTENT_BYTES_MAX = 8_192;
export const TAGS_MAX = 8;
export const TAG_CHARACTERS_MAX = 32;
/** Memories in one folder. */
export const MEMORIES_MAX = 200;
/** Bytes of all files in one folder. */
export const FOLDER_BYTES_MAX = 512 * 1024;
/** A larger file was not written by cinch and is not read. */
export const MEMORY_FILE_BYTES_MAX = 16_384;

/** Returns the scope of a type: memories about the user apply everywhere, those about a project only there. */
export function memoryScope(type: MemoryType): MemoryScope {
  return type === "user" || type === "feedback" ? "user" : "project";
}

/** Returns true if two names are the same on a case-insensitive disk. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function isIndexName(name: string): boolean {
  return isSameName(`${name}.md`, INDEX_FILE);
}

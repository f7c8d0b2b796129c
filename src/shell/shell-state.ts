import type { Directories } from "./analysis.ts";

/** Directories and state of a shell. A subshell gets a copy. */
export interface Shell {
  directories: Directories;
}

/** Directories after a part of the line, for success and failure. */
export interface DirectoryOutcome {
  readonly success: Directories;
  readonly failure: Directories;
}

export interface ReadingLevel {
  /** The text that positions refer to. */
  readonly source: string;
  readonly depth: number;
  readonly wrappedBy?: string;
}

/** Returns unchanged directories for both results. */
export function sameDirectories({ directories }: Shell): DirectoryOutcome {
  return { success: directories, failure: directories };
}

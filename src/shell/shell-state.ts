import type { Directories } from "./analysis.ts";

/** Where a shell is, and what has been done to it. A subshell gets a copy. */
export interface Shell {
  directories: Directories;
}

/** Where a part of the line ends up, by how it ended. */
export interface Outcome {
  readonly success: Directories;
  readonly failure: Directories;
}

export interface Level {
  /** The text that positions count in. */
  readonly source: string;
  readonly depth: number;
  readonly wrappedBy?: string;
}

/** It ends where it began, however it ended. */
export function stay({ directories }: Shell): Outcome {
  return { success: directories, failure: directories };
}

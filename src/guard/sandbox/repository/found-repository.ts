/** A folder in which git would find a repository. */
export interface FoundRepository {
  /** Absolute. */
  readonly path: string;
  /**
   * `link`: the `.git` is a link, or a file that names a folder. `part`: the `.git` has no HEAD, so git does not take
   * the folder for a repository until somebody completes it. `bare`: the folder itself has the content of a `.git`.
   */
  readonly kind: "directory" | "link" | "part" | "bare";
}

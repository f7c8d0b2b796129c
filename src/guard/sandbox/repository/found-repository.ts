/** A folder in which git would find a repository. */
export interface FoundRepository {
  /** Absolute. */
  readonly path: string;
  /**
   * `link`: the `.git` is a link, or a file that names a folder. `part`: the `.git` has no HEAD, so that git takes the folder
   * for no repository until somebody completes it. `bare`: the folder itself is what a `.git` is elsewhere.
   */
  readonly kind: "directory" | "link" | "part" | "bare";
}

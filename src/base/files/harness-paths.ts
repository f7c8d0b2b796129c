/** Folders of cinch's own files: the `cinch` folders of the XDG base directories. */
export interface HarnessPaths {
  readonly config: string;
  readonly data: string;
  readonly state: string;
}

/** Returns the folder with the spilled output of each session. */
export function scratchFolder({ data }: Pick<HarnessPaths, "data">): string {
  return `${data}/scratch`;
}

/** Returns the folder of worktrees, beside cinch's own data: a sub-agent works in one like in any workspace. */
export function worktreesFolder({ data }: Pick<HarnessPaths, "data">): string {
  return `${data}-worktrees`;
}

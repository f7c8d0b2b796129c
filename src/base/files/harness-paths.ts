/** Folders of cinch's own files: the `cinch` folders of the XDG base directories. */
export interface HarnessPaths {
  readonly config: string;
  readonly data: string;
  readonly state: string;
}

/** Something that can tell what is wrong with files: a language server, a checker (TOOL-11). */
export interface DiagnosticSource extends AsyncDisposable {
  /** For people and the model: "typescript". */
  readonly name: string;
  /** Whether a file is one of those that it knows about. */
  covers(path: string): boolean;
  /** Files may have changed that it was told nothing of: a command has run. */
  stale(): void;
  /**
   * What there is to tell of these files, for the model, within its own time limit: problems, that there are none, or why
   * that is not known.
   * @throws the signal's reason, and nothing else.
   */
  check(paths: readonly string[], signal: AbortSignal): Promise<string>;
}

/** Which files, what to run, and how long to wait for it. */
export interface SourceSettings {
  readonly name: string;
  readonly kind: "language-server" | "checker";
  /** Globs: of a name, or, with a slash, of a path below the root. */
  readonly files: readonly string[];
  readonly command: readonly [string, ...string[]];
  /** The language of the files, as language servers call it; absent: made of the file's extension. */
  readonly language?: string;
  readonly waitMs: number;
}

export const WAIT_MS = 5_000;
/** Starting takes longer than answering: it loads the project. */
export const START_MS_MAX = 20_000;

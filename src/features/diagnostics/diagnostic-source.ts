/** A source of diagnostics: a language server or a checker (TOOL-11). */
export interface DiagnosticSource extends AsyncDisposable {
  /** Name for people and the model: "typescript". */
  readonly name: string;
  /** Returns true if it reports on this file. */
  covers(path: string): boolean;
  /** Marks unseen changes: a command has run, and any file may have changed. */
  stale(): void;
  /**
   * Returns its report on these files for the model, within its time limit: problems, a statement without
   * problems, or the reason why they are unknown.
   * @throws the signal's reason, and nothing else.
   */
  check(paths: readonly string[], signal: AbortSignal): Promise<string>;
}

/** The files to cover, the command to run, and the time to wait for it. */
export interface SourceSettings {
  readonly name: string;
  readonly kind: "language-server" | "checker";
  /** Globs: of a name, or, with a slash, of a path below the root. */
  readonly files: readonly string[];
  readonly command: readonly [string, ...string[]];
  /** Language of the files, as language servers name it. Default: by the file's extension. */
  readonly language?: string;
  readonly waitMs: number;
}

export const WAIT_MS = 5_000;
/** Starting takes longer than answering: it loads the project. */
export const START_MS_MAX = 20_000;

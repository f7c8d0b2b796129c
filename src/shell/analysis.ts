/** Longest command that is parsed; a longer one belongs into a script file. */
export const SHELL_CHARACTERS_MAX = 50_000;
/** Commands of one line, including those inside wrappers, substitutions and nested shells. */
export const SHELL_COMMANDS_MAX = 5_120;
/** The parser searches the end of each here-document through the rest of the line. */
export const SHELL_HERE_DOCUMENTS_MAX = 1_024;
/** Substitutions and nested scripts. */
export const SHELL_SCRIPTS_MAX = 2_048;
/** Total characters read: nested scripts are read once per level. */
export const SHELL_CHARACTERS_READ_MAX = 200_000;
export const SHELL_WORDS_READ_MAX = 100_000;
/** Nesting of shells, groups and substitutions. */
export const SHELL_DEPTH_MAX = 48;

/** Commands that a bash command line would run, as far as known without running it. */
export interface Analysis {
  /** Every simple command in order; a wrapper's inner command follows it. */
  readonly commands: readonly ShellCommand[];
  /** Every redirection: of commands, groups, loops and conditions. */
  readonly redirections: readonly ShellRedirection[];
  /** Names of defined functions: a call of one starts no program. */
  readonly functions: readonly string[];
  /** Syntax that the line uses. Only a line of the closed grammar runs without a question. */
  readonly structure: Structure;
  /** Reasons why bash might read the line differently; empty if there is none. */
  readonly unsure: readonly Unsure[];
  /** Set if the line exceeds a limit and was not read to its end. */
  readonly overLimit?: string;
}

/** Syntax that a line uses. */
export interface Structure {
  /**
   * Reason why the line is more than simple commands of literal words, joined by `&&`, `||`, `;`, newlines, `|` and
   * `!`. Absent for such a line, groups allowed: then no word, redirection or construct of it sets a variable,
   * evaluates an expression or runs text.
   */
  readonly problem?: string;
  /** True if the line contains a group, `( … )` or `{ …; }`. */
  readonly grouped: boolean;
}

export interface Unsure {
  /** Position in the command, in UTF-16 units. */
  readonly at: number;
  /** Reason, as the end of a sentence after "because". */
  readonly why: string;
}

export interface ShellCommand {
  /** Absent for a line of assignments or redirections only. */
  readonly name?: ShellWord;
  readonly args: readonly ShellWord[];
  /** Assignments before the command, or alone. */
  readonly assignments: readonly ShellAssignment[];
  /**
   * Directories that it may run in: absolute, below `~`, or relative to the line's starting directory ("" for that
   * one itself). Undefined if unknown.
   */
  readonly directories: Directories;
  /** The command's text in the line. */
  readonly text: string;
  /** The wrapper or nested shell that runs it, if any. */
  readonly wrappedBy?: string;
  /**
   * `plain`: it only starts the next command, unchanged, and does nothing else. `opaque`: it runs something that is
   * unknown or that it changes.
   */
  readonly wraps?: "plain" | "opaque";
  /** Index in `commands` of the command that writes to its standard input, if that is one simple command. */
  readonly reads?: number;
}

export type Directories = readonly string[] | undefined;

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellRedirection {
  readonly operator: ">" | ">>" | "<" | "<>" | "<&" | ">&" | ">|" | "&>" | "&>>" | "<<" | "<<<";
  /** Absent for here-documents, whose expansions are in `commands`. */
  readonly target?: ShellWord;
  readonly directories: Directories;
}

/** One word of a command, before expansion. */
export type ShellWord =
  /** Exactly this argument. `home`: it begins with an unquoted `~`, which stands for the home directory. */
  | { readonly kind: "known"; readonly text: string; readonly value: string; readonly home: boolean }
  /** Matching file names, or the pattern itself; literal characters in `pattern` are escaped by a backslash. */
  | { readonly kind: "glob"; readonly text: string; readonly pattern: string; readonly home: boolean }
  /** Literal text and plain variables. `whole`: quoted, so that it stays one argument. */
  | {
      readonly kind: "variables";
      readonly text: string;
      readonly names: readonly string[];
      readonly whole: boolean;
    }
  /** Known only when it runs. */
  | { readonly kind: "unknown"; readonly text: string; readonly why: string };

/**
 * Returns the argument that a word certainly expands to; undefined for any other, including a leading `~`: see `home`.
 */
export function literalOf(word: ShellWord | undefined): string | undefined {
  return word?.kind === "known" && !word.home ? word.value : undefined;
}

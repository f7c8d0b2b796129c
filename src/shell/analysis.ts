/** No longer command is read: whoever needs more writes a script to a file. */
export const SHELL_CHARACTERS_MAX = 50_000;
/** Commands of one line, those inside wrappers, substitutions and nested shells included. */
export const SHELL_COMMANDS_MAX = 5_120;
/** The parser looks for the end of each here-document through all that follows. */
export const SHELL_HERE_DOCUMENTS_MAX = 1_024;
/** Substitutions and nested scripts. */
export const SHELL_SCRIPTS_MAX = 2_048;
/** What is read in all: a script in a script in a script is read once for each. */
export const SHELL_CHARACTERS_READ_MAX = 200_000;
export const SHELL_WORDS_READ_MAX = 100_000;
/** Shells in shells, groups in groups, substitutions in substitutions. */
export const SHELL_DEPTH_MAX = 48;

/** What a bash command line would run, as far as that can be known without running it. */
export interface Analysis {
  /** Every simple command, in the order in which they stand; what a wrapper runs stands behind the wrapper. */
  readonly commands: readonly ShellCommand[];
  /** Every redirection: of commands, groups, loops and conditions. */
  readonly redirections: readonly ShellRedirection[];
  /** Names of functions that are defined: what they are called by is no program. */
  readonly functions: readonly string[];
  /** Part of bash that the line uses. Only a line of the closed grammar goes unasked. */
  readonly structure: Structure;
  /** Why it cannot be shown that bash reads the line in this way; empty where it can. */
  readonly unsure: readonly Unsure[];
  /** Set where the line is over a limit and was not read to its end. */
  readonly overLimit?: string;
}

/** Part of bash that a line uses. */
export interface Structure {
  /**
   * Why the line is more than simple commands of literal words, joined by `&&`, `||`, `;`, newlines, `|` and `!`. Absent
   * for a line that is no more than that, but for groups: then no word, redirection or construct of it sets a variable,
   * evaluates an expression or runs text.
   */
  readonly problem?: string;
  /** The line holds a group, `( … )` or `{ …; }`. */
  readonly grouped: boolean;
}

export interface Unsure {
  /** The place in the command, in UTF-16 units. */
  readonly at: number;
  /** What stands there, as it reads behind "because". */
  readonly why: string;
}

export interface ShellCommand {
  /** Absent where a line has only assignments or redirections. */
  readonly name?: ShellWord;
  readonly args: readonly ShellWord[];
  /** Those in front of the command, or alone. */
  readonly assignments: readonly ShellAssignment[];
  /**
   * The directories that it may run in: absolute, below `~`, or relative to where the line starts ("" for that place
   * itself). Undefined where that cannot be known.
   */
  readonly directories: Directories;
  /** The command as it stands in the line. */
  readonly text: string;
  /** What runs it, where it stands behind a wrapper or in a nested shell. */
  readonly wrappedBy?: string;
  /**
   * `plain`: it only starts the next of the commands, in its own surroundings, and does nothing else. `opaque`: it runs
   * something, and what that is cannot be known or is changed by it.
   */
  readonly wraps?: "plain" | "opaque";
  /** The place in `commands` of what writes to its standard input, where that is one simple command. */
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

/** One word of a command, before it is expanded. */
export type ShellWord =
  /** Exactly this argument. `home`: it begins with an unquoted `~`, which stands for the home directory. */
  | { readonly kind: "known"; readonly text: string; readonly value: string; readonly home: boolean }
  /** File names that match, or the pattern itself; literal characters in `pattern` are escaped by a backslash. */
  | { readonly kind: "glob"; readonly text: string; readonly pattern: string; readonly home: boolean }
  /** Made of literal text and plain variables. `whole`: quoted, so that it stays one argument. */
  | {
      readonly kind: "variables";
      readonly text: string;
      readonly names: readonly string[];
      readonly whole: boolean;
    }
  /** What it becomes is only known when it runs. */
  | { readonly kind: "unknown"; readonly text: string; readonly why: string };

/** The argument that a word certainly becomes; undefined for any other. A leading `~` is none: see `home`. */
export function literalOf(word: ShellWord | undefined): string | undefined {
  return word?.kind === "known" && !word.home ? word.value : undefined;
}

import { defined } from "../../../base/defined.ts";
import type { Directories, ShellCommand, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";

/**
 * A file or repository that a command would read. It is checked on disk before the command counts as a known read.
 */
export type Use =
  /**
   * A file or directory. `deep`: everything below it too, or all except names that begin with a dot. `checkedFor`: the
   * content of a directory is checked for this first. `existence`: the command shows only facts about it, which are
   * public for system files.
   */
  | {
      readonly kind: "path";
      readonly word: ShellWord;
      readonly directories: Directories;
      readonly deep?: "all" | "visible";
      readonly checkedFor?: TreeSearch;
      readonly existence?: true;
    }
  /** A git repository whose configuration git obeys. `tree`: it also reads the working tree. */
  | { readonly kind: "repository"; readonly directories: Directories; readonly tree: boolean };

/** Kinds of file that may not lie below a directory. */
export interface TreeSearch {
  /** Names that are several words to a program that splits them: with blanks, quotes or backslashes. */
  readonly names?: true;
  /** Files that may hold a key or password: any, or those with the name of a source file. */
  readonly keys?: "all" | "sources";
  /** Links that lead out of what is readable. */
  readonly links?: true;
}

/** Result of checking a command: it only reads, or the reason why that is not known. */
export type ReadCheck =
  | { readonly kind: "reads"; readonly uses: readonly Use[] }
  | { readonly kind: "unknown"; readonly why: string };

/** One command in its line. */
export interface Invocation {
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly directories: Directories;
  /** Commands that write to its standard input, nearest first, if they are simple commands. */
  readonly writers: readonly ShellCommand[];
}

/** Checks whether one command only reads. */
export type CheckRead = (call: Invocation) => ReadCheck;

/** Kind of a flag's value. */
export type ValueKind = "text" | "path" | "number";

/** Flags of a command that are known to only read. Every other flag, abbreviation or cluster is asked about (S01). */
export interface KnownFlags {
  /** Letters without a value: `-a`, and `-abc` if every letter is one of them. */
  readonly letters?: string;
  /**
   * True if it reads each flag as a whole: `-ps` is another flag than `-p` and `-s`. Only digits may be attached as
   * a value.
   */
  readonly single?: true;
  /** True if it reads no flag after its first operand: each further word is a file. */
  readonly leading?: true;
  /**
   * True if only digits may be attached as a value: other letters are further flags, and the next word is the value.
   */
  readonly detached?: true;
  /** Letters with a value, attached or as the next word. */
  readonly values?: Readonly<Record<string, ValueKind>>;
  /** Long flags without a value, by their full names. */
  readonly long?: string;
  /** Long flags with a value: `--name=value`, or the next word. */
  readonly longValues?: Readonly<Record<string, ValueKind>>;
  /** Long flags with an optional value: `--name` or `--name=value`, never the next word. */
  readonly longOptional?: string;
  /** Whole words that are flags: `-type`, `-50`. */
  readonly words?: RegExp;
}

export interface ParsedFlags {
  readonly flags: ReadonlySet<string>;
  readonly values: readonly { readonly flag: string; readonly kind: ValueKind; readonly word: ShellWord }[];
  readonly operands: readonly ShellWord[];
  /** Count of the operands after `--`. */
  readonly behindDashes: number;
}

/** Parses the words of a command; a string is the reason why they are not known. */
export function parseFlags(known: KnownFlags, args: readonly ShellWord[]): ParsedFlags | string {
  const flags = new Set<string>();
  const values: { flag: string; kind: ValueKind; word: ShellWord }[] = [];
  const operands: ShellWord[] = [];
  const long = listOf(known.long);
  const optional = listOf(known.longOptional);
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const text = word.kind === "known" ? word.value : undefined;
    if (text === undefined) {
      const problem = operandProblem(word);
      if (problem !== undefined) return problem;
      operands.push(word);
      continue;
    }
    if (known.leading === true && operands.length > 0 && /^-./.test(text))
      return `${text} behind an operand, where it is a file`;
    if (text === "--") {
      const rest = args.slice(at + 1);
      const odd = rest.find((one) => one.kind === "unknown" || one.kind === "variables");
      if (odd !== undefined) return `${odd.text} is only known when it runs`;
      return { flags, values, operands: [...operands, ...rest], behindDashes: rest.length };
    }
    if (!text.startsWith("-") || text === "-") {
      operands.push(word);
      continue;
    }
    const taken = (flag: string, kind: ValueKind, attached: string | undefined): string | undefined => {
      const value: ShellWord | undefined =
        attached === undefined ? args[++at] : { kind: "known", text: attached, value: attached, home: false };
      if (value === undefined) return `${flag} has no value`;
      if (value.kind !== "known") return `the value of ${flag} is only known when it runs`;
      if (kind === "number" && !/^[-+]?\d+[a-zA-Z]*$/.test(value.value)) return `${flag} ${value.value}`;
      values.push({ flag, kind, word: value });
      flags.add(flag);
      return undefined;
    };
    if (known.words?.test(text) === true) {
      flags.add(text);
      continue;
    }
    if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const name = equals === -1 ? text.slice(2) : text.slice(2, equals);
      const kind = Object.hasOwn(known.longValues ?? {}, name) ? known.longValues?.[name] : undefined;
      if (kind !== undefined) {
        const problem = taken(`--${name}`, kind, equals === -1 ? undefined : text.slice(equals + 1));
        if (problem !== undefined) return problem;
      } else if ((long.has(name) && equals === -1) || optional.has(name)) flags.add(`--${name}`);
      else return `the flag ${text}`;
      continue;
    }
    if (known.single === true && !/^-[A-Za-z]\d*$/.test(text)) return `the flag ${text}`;
    for (let letterAt = 1; letterAt < text.length; letterAt++) {
      const letter = text[letterAt] ?? "";
      const kind = Object.hasOwn(known.values ?? {}, letter) ? known.values?.[letter] : undefined;
      if (kind !== undefined) {
        const rest = text.slice(letterAt + 1);
        if (known.detached === true && !/^\d*$/.test(rest)) return `the flag ${text}`;
        const problem = taken(`-${letter}`, kind, rest === "" ? undefined : rest);
        if (problem !== undefined) return problem;
        break;
      }
      if (known.letters?.includes(letter) !== true) return `the flag ${text}`;
      flags.add(`-${letter}`);
    }
  }
  return { flags, values, operands, behindDashes: 0 };
}

/**
 * Returns a problem for an unusable operand. A pattern without matches stays as it is: with a leading dash it is a
 * flag then.
 */
function operandProblem(word: ShellWord): string | undefined {
  if (word.kind === "unknown") return `${word.text}: ${word.why}`;
  if (word.kind === "variables") return `${word.text} is only known when it runs`;
  return word.kind === "glob" && /^\\?-/.test(word.pattern) ? `the flag ${word.text}` : undefined;
}

const lists = new Map<string, ReadonlySet<string>>();

function listOf(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return NONE;
  let list = lists.get(text);
  if (list === undefined) {
    list = new Set(text.split(" "));
    lists.set(text, list);
  }
  return list;
}

const NONE: ReadonlySet<string> = new Set();

export function notKnown(why: string): ReadCheck {
  return { kind: "unknown", why };
}

export function knownRead(uses: readonly Use[] = []): ReadCheck {
  return { kind: "reads", uses };
}

/** Returns why a word may not be an argument that is only shown or compared; undefined if it may. */
export function textProblem(word: ShellWord): string | undefined {
  if (word.kind === "known") return undefined;
  if (word.kind === "glob") return `the pattern ${word.text}`;
  if (word.kind === "unknown") return `${word.text}: ${word.why}`;
  return `${word.text} is only known when it runs`;
}

export interface CommandShape {
  readonly flags: KnownFlags;
  /** Kind of the operands. `pattern`: the first is text, unless one of these flags is given; the others are paths. */
  readonly operands: "none" | "text" | "paths" | { readonly patternUnless: readonly string[] };
  /** Limit for operands: a further one may be written to. */
  readonly operandsMax?: number;
  /** True if it reads further words from a file named after `@`. */
  readonly responseFiles?: true;
  /** True if it needs a file: it copies piped input to a temporary file. */
  readonly fileOnly?: boolean;
  /** True if it reads its working directory when it has no operands. */
  readonly here?: boolean;
  /** Flags with which it reads what lies below its operands: everything, or only visible names. */
  readonly deep?: { readonly flags: readonly string[]; readonly kind: "all" | "visible" } | "all" | "visible";
  /** Kinds of file that may not lie below a directory that it reads. */
  readonly checkedFor?: TreeSearch;
}

/** Returns the check for a command that its flags and the kind of its operands describe completely. */
export function checkByShape(shape: CommandShape): CheckRead {
  return ({ args, directories }) => {
    const read = parseFlags(shape.flags, args);
    if (typeof read === "string") return notKnown(read);
    const { flags, values, operands } = read;
    const response = shape.responseFiles === true ? args.find((word) => isResponse(word)) : undefined;
    if (response !== undefined) return notKnown(`it takes further words from ${response.text}`);
    const deepKind = typeof shape.deep === "string" ? shape.deep : shape.deep?.kind;
    const isDeep =
      typeof shape.deep === "string" || (shape.deep?.flags.some((flag) => flags.has(flag)) ?? false);
    const deep = {
      ...(isDeep && deepKind !== undefined ? { deep: deepKind } : {}),
      ...defined({ checkedFor: shape.checkedFor }),
    };
    const uses: Use[] = values.flatMap(({ kind, word }) =>
      kind === "path" ? [{ kind: "path", word, directories }] : [],
    );
    if (shape.operandsMax !== undefined && operands.length > shape.operandsMax)
      return notKnown(`it writes to its operand ${operands.at(-1)?.text}`);
    if (shape.operandsMax !== undefined && operands.some((word) => word.kind === "glob"))
      return notKnown("a pattern may become more than one operand");
    let paths: readonly ShellWord[] = [];
    let texts: readonly ShellWord[] = [];
    if (shape.operands === "none") {
      if (operands.length > 0) return notKnown(`the operand ${operands[0]?.text}`);
    } else if (shape.operands === "text") texts = operands;
    else if (shape.operands === "paths") paths = operands;
    else {
      const hasPatternFlag = shape.operands.patternUnless.some((flag) => flags.has(flag));
      texts = hasPatternFlag ? [] : operands.slice(0, 1);
      paths = hasPatternFlag ? operands : operands.slice(1);
    }
    for (const word of texts) {
      const problem = textProblem(word);
      if (problem !== undefined) return notKnown(problem);
    }
    if (shape.fileOnly === true && (paths.length === 0 || paths.some((word) => literalOf(word) === "-")))
      return notKnown("it makes a temporary file of its input");
    const readHere = paths.length === 0 && (shape.here === true || isDeep);
    for (const word of readHere ? [CURRENT_DIRECTORY] : paths) {
      if (literalOf(word) === "-") continue;
      uses.push({ kind: "path", word, directories, ...deep });
    }
    return knownRead(uses);
  };
}

function isResponse(word: ShellWord): boolean {
  return /^\\?@/.test(word.kind === "glob" ? word.pattern : (literalOf(word) ?? "@"));
}

export const CURRENT_DIRECTORY: ShellWord = { kind: "known", text: ".", value: ".", home: false };

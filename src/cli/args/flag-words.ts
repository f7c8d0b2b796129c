import { nearestWords } from "../../base/text/near.ts";
import type { CliFlag } from "../../session/commands/cli-command.ts";

/** A command line, taken apart. */
export interface Words {
  /** The text of each flag that was given; `NO_VALUE` for a flag without a value. */
  readonly flags: ReadonlyMap<string, string>;
  /** Words that are no flags. `isText` is true if -p or `--` stands before the word: it is no command. */
  readonly plain: readonly { readonly text: string; readonly isText: boolean }[];
  /** The first problem. It names `help` as the command line that lists the flags. */
  readonly problem?: (help: string) => string;
}

/** Separates flags and their values from other words. `known` are the flags of all commands. */
export function readWords(argv: readonly string[], known: readonly CliFlag[]): Words {
  const flags = new Map<string, string>();
  const plain: { text: string; isText: boolean }[] = [];
  let problem: Words["problem"];
  let at = 0;
  let onlyPlain = false;
  while (at < argv.length) {
    const word = argv[at] ?? "";
    at += 1;
    if (onlyPlain || !isFlag(word)) {
      plain.push({ text: word, isText: onlyPlain || flags.has("print") });
    } else if (word === "--") {
      onlyPlain = true;
    } else {
      const read = readFlagWord(word, argv[at], known);
      if (read.kind === "problem") {
        problem ??= read.problem;
        continue;
      }
      if (read.takesNext) at += 1;
      const { flag, value } = read;
      const earlier = flags.get(flag.name);
      const isFurther = earlier !== undefined && flag.kind === "texts";
      if (earlier !== undefined && !isFurther) problem ??= () => `--${flag.name} is given twice`;
      flags.set(flag.name, isFurther ? `${earlier}${BETWEEN_VALUES}${value}` : value);
    }
  }
  return problem === undefined ? { flags, plain } : { flags, plain, problem };
}

type ReadFlag =
  | { readonly kind: "flag"; readonly flag: CliFlag; readonly value: string; readonly takesNext: boolean }
  | { readonly kind: "problem"; readonly problem: NonNullable<Words["problem"]> };

/** Stands between the values of a flag that is given several times. No word of a command line contains it. */
export const BETWEEN_VALUES = "\0";
/** The text of a switch, and of a flag whose optional value is missing. */
export const NO_VALUE = "\0";

function readFlagWord(word: string, next: string | undefined, known: readonly CliFlag[]): ReadFlag {
  const equals = word.indexOf("=");
  const name = equals === -1 ? word : word.slice(0, equals);
  const value = equals === -1 ? undefined : word.slice(equals + 1);
  const flag = known.find((each) => name === `--${each.name}` || name === shortOf(each));
  if (flag === undefined) return { kind: "problem", problem: unknownFlag(name, known) };
  if (flag.kind === "switch") {
    if (value !== undefined) return { kind: "problem", problem: () => `${name} takes no value` };
    return { kind: "flag", flag, value: NO_VALUE, takesNext: false };
  }
  if (value !== undefined) return { kind: "flag", flag, value, takesNext: false };
  if (next !== undefined && !isFlag(next)) return { kind: "flag", flag, value: next, takesNext: true };
  if (flag.kind === "optional-text") return { kind: "flag", flag, value: NO_VALUE, takesNext: false };
  const hint = next === undefined ? "" : `; if it begins with a dash, write ${name}=${flag.placeholder}`;
  const where = flag.valuesFrom === undefined ? "" : `; ${flag.valuesFrom} lists them`;
  return { kind: "problem", problem: () => `${name} needs a value (${flag.placeholder})${where}${hint}` };
}

function isFlag(word: string): boolean {
  return word.startsWith("-") && word.length > 1;
}

function shortOf(flag: CliFlag): string | undefined {
  return flag.short === undefined ? undefined : `-${flag.short}`;
}

function unknownFlag(name: string, known: readonly CliFlag[]): (help: string) => string {
  const [meant] = nearestWords(
    name.replace(/^-+/, ""),
    known.map((flag) => flag.name),
  );
  return (help) =>
    `there is no flag ${name}; ${meant === undefined ? `${help} lists them` : `did you mean --${meant}?`}`;
}

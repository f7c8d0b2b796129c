import { near } from "../../base/text/near.ts";
import type { Flags } from "./flag-values.ts";
import type { Flag, FlagName } from "./flags.ts";
import { FLAGS } from "./flags.ts";

/** A command line, taken apart. */
export interface Words {
  readonly flags: Flags;
  /** Words that are no flags, with whether -p stood before them. */
  readonly plain: readonly { readonly text: string; readonly afterPrint: boolean }[];
  readonly problem?: string;
}

type KnownFlag = (typeof FLAGS)[number];

/** Tells flags and their values from other words. What is wrong is told with the first of it. */
export function readWords(argv: readonly string[]): Words {
  const flags = new Map<FlagName, string>();
  const plain: { text: string; afterPrint: boolean }[] = [];
  let problem: string | undefined;
  let at = 0;
  let onlyPlain = false;
  while (at < argv.length) {
    const word = argv[at] ?? "";
    at += 1;
    if (onlyPlain || !isFlag(word)) {
      plain.push({ text: word, afterPrint: flags.has("print") });
    } else if (word === "--") {
      onlyPlain = true;
    } else {
      const read = readFlag(word, argv[at]);
      if (read.kind === "problem") {
        problem ??= read.problem;
        continue;
      }
      if (read.takesNext) at += 1;
      if (flags.has(read.flag.name)) problem ??= `--${read.flag.name} is given twice`;
      flags.set(read.flag.name, read.value);
    }
  }
  return problem === undefined ? { flags, plain } : { flags, plain, problem };
}

type ReadFlag =
  | { readonly kind: "flag"; readonly flag: KnownFlag; readonly value: string; readonly takesNext: boolean }
  | { readonly kind: "problem"; readonly problem: string };

/** What stands for a flag without a value, and for -p without a prompt. */
export const GIVEN = "\0";

function readFlag(word: string, next: string | undefined): ReadFlag {
  const equals = word.indexOf("=");
  const name = equals === -1 ? word : word.slice(0, equals);
  const value = equals === -1 ? undefined : word.slice(equals + 1);
  const flag = FLAGS.find((known) => name === `--${known.name}` || name === shortOf(known));
  if (flag === undefined) return { kind: "problem", problem: unknownFlag(name) };
  if (!("value" in flag)) {
    if (value !== undefined) return { kind: "problem", problem: `${name} takes no value` };
    return { kind: "flag", flag, value: GIVEN, takesNext: false };
  }
  if (value !== undefined) return { kind: "flag", flag, value, takesNext: false };
  if (next !== undefined && !isFlag(next)) return { kind: "flag", flag, value: next, takesNext: true };
  if ("optional" in flag) return { kind: "flag", flag, value: GIVEN, takesNext: false };
  const hint = next === undefined ? "" : `; if it begins with a dash, write ${name}=${flag.value}`;
  return { kind: "problem", problem: `${name} needs a value (${flag.value})${hint}` };
}

function isFlag(word: string): boolean {
  return word.startsWith("-") && word.length > 1;
}

function shortOf(flag: Flag): string | undefined {
  return flag.short === undefined ? undefined : `-${flag.short}`;
}

function unknownFlag(name: string): string {
  const [meant] = near(
    name.replace(/^-+/, ""),
    FLAGS.map((flag) => flag.name),
  );
  return `there is no flag ${name}; ${meant === undefined ? "cinch --help lists them" : `did you mean --${meant}?`}`;
}

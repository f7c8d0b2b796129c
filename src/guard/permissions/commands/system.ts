import type { ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { CheckRead, ReadCheck, Use } from "./grammar.ts";
import { checkByShape, knownRead, notKnown, parseFlags, textProblem } from "./grammar.ts";

const NOTHING = checkByShape({ flags: {}, operands: "none" });

/** Commands that report about the machine, or that only control the shell. */
export const SYSTEM_COMMANDS: Readonly<Record<string, CheckRead>> = {
  pwd: checkByShape({ flags: { letters: "LP" }, operands: "none" }),
  date: date,
  uname: checkByShape({
    flags: {
      letters: "asnrvmpio",
      long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system help version",
    },
    operands: "none",
  }),
  nproc: checkByShape({
    flags: { long: "all help version", longValues: { ignore: "number" } },
    operands: "none",
  }),
  arch: NOTHING,
  uptime: checkByShape({ flags: { letters: "ps", long: "pretty since help version" }, operands: "none" }),
  free: checkByShape({
    flags: { letters: "bkmghltw", long: "bytes kibi mebi gibi human total wide help version" },
    operands: "none",
  }),
  // Its other flags ask a name server.
  hostname: checkByShape({ flags: { letters: "s", long: "short" }, operands: "none" }),
  whoami: checkByShape({ flags: { long: "help version" }, operands: "none" }),
  // The name of another user is looked up in services beside the system's own list.
  id: checkByShape({ flags: { letters: "ugGnrz", long: "user group groups name real" }, operands: "none" }),
  groups: checkByShape({ flags: {}, operands: "none" }),
  tty: NOTHING,
  lscpu: NOTHING,
  which: checkByShape({ flags: { letters: "as" }, operands: "text" }),
  type: checkByShape({ flags: { letters: "aftpP" }, operands: "text" }),
  sleep: checkByShape({ flags: {}, operands: "text" }),
  true: checkByShape({ flags: {}, operands: "text" }),
  false: checkByShape({ flags: {}, operands: "text" }),
  ":": checkByShape({ flags: {}, operands: "text" }),
  exit: checkByShape({ flags: {}, operands: "text" }),
  cd: cd,
  command: lookup,
  test: test,
  "[": test,
};

function date({ args }: Parameters<CheckRead>[0]): ReadCheck {
  const read = parseFlags(
    {
      letters: "uR",
      values: { d: "text" },
      long: "utc universal rfc-email help version",
      longValues: { date: "text", "rfc-3339": "text" },
      longOptional: "iso-8601",
      words: /^-I(?:date|hours|minutes|seconds|ns)?$/,
    },
    args,
  );
  if (typeof read === "string") return notKnown(read);
  // A date may name a time zone, which is a file: TZ="/path".
  const odd = read.values.find(({ word }) => !/^[\w :+.,@-]*$/.test(literalOf(word) ?? "/"));
  if (odd !== undefined) return notKnown(`the date ${odd.word.text}`);
  const setting = read.operands.find((word) => !literalOf(word)?.startsWith("+"));
  return setting === undefined ? knownRead() : notKnown(`date ${setting.text} sets the clock`);
}

function cd({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const words = args.filter((word) => literalOf(word) !== "--");
  const [word] = words;
  if (word === undefined || words.length > 1 || word.kind !== "known")
    return notKnown("cd to a place that is not known");
  return knownRead([{ kind: "path", word, directories }]);
}

/** Checks `command -v NAME`, which prints what a name stands for. */
function lookup({ args }: Parameters<CheckRead>[0]): ReadCheck {
  const [flag, ...names] = args;
  if (!/^-[vV]$/.test(literalOf(flag) ?? "")) return notKnown("command without -v");
  const problem = names.map(textProblem).find((each) => each !== undefined);
  return problem === undefined ? knownRead() : notKnown(problem);
}

const FILE_TEST = /^-[abcdefghkprsuwxGLNOS]$/;
const FILE_COMPARISON = /^-(?:nt|ot|ef)$/;

/** Checks `test`: it compares words and looks for files. -v and -R evaluate the index of an array. */
function test({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const uses: Use[] = [];
  for (const [at, word] of args.entries()) {
    const problem = /^"?\$\?"?$/.test(word.text) ? undefined : textProblem(word);
    if (problem !== undefined) return notKnown(problem);
    if (/^-[vR]$/.test(literalOf(word) ?? "")) return notKnown(`${word.text} of test evaluates its operand`);
    const [before, after] = [args[at - 1], args[at + 1]].map((each) => literalOf(each) ?? "");
    if (
      FILE_TEST.test(before ?? "") ||
      FILE_COMPARISON.test(before ?? "") ||
      FILE_COMPARISON.test(after ?? "")
    )
      if (word.text !== "]") uses.push({ kind: "path", word, directories, existence: true });
  }
  return knownRead(uses);
}

/**
 * Programs that print their version and do nothing else when given only that flag, whatever the directory contains.
 * Without npm, which writes a log of each run.
 */
const VERSIONS = new Set(
  "node bun deno python python3 tsc gcc g++ clang make cmake ruby perl php pip pip3 jq rg git bash curl wget tar sqlite3 docker".split(
    " ",
  ),
);

export function printsVersion(name: string, args: readonly ShellWord[]): boolean {
  const only = args.length === 1 ? literalOf(args[0]) : undefined;
  return VERSIONS.has(name) && (only === "--version" || (only === "-v" && name === "node"));
}

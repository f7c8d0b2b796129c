import { literalOf } from "../../shell/analysis.ts";
import type { Knowledge, Known } from "./grammar.ts";
import { readFlags, reads, shaped, textProblem, unknown } from "./grammar.ts";

const NOTHING = shaped({ flags: {}, operands: "none" });

/** Commands that tell about the machine, or that only steer the shell. */
export const SYSTEM_COMMANDS: Readonly<Record<string, Knowledge>> = {
  pwd: shaped({ flags: { letters: "LP" }, operands: "none" }),
  date: date,
  uname: shaped({
    flags: {
      letters: "asnrvmpio",
      long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system help version",
    },
    operands: "none",
  }),
  nproc: shaped({ flags: { long: "all help version", longValues: { ignore: "number" } }, operands: "none" }),
  arch: NOTHING,
  uptime: shaped({ flags: { letters: "ps", long: "pretty since help version" }, operands: "none" }),
  free: shaped({
    flags: { letters: "bkmghltw", long: "bytes kibi mebi gibi human total wide help version" },
    operands: "none",
  }),
  hostname: shaped({
    flags: { letters: "sfdiIA", long: "short fqdn domain ip-address all-ip-addresses" },
    operands: "none",
  }),
  whoami: shaped({ flags: { long: "help version" }, operands: "none" }),
  id: shaped({ flags: { letters: "ugGnrz", long: "user group groups name real" }, operands: "text" }),
  groups: shaped({ flags: {}, operands: "text" }),
  tty: NOTHING,
  lscpu: NOTHING,
  which: shaped({ flags: { letters: "as" }, operands: "text" }),
  whereis: shaped({ flags: { letters: "bms" }, operands: "text" }),
  type: shaped({ flags: { letters: "aftpP" }, operands: "text" }),
  sleep: shaped({ flags: {}, operands: "text" }),
  true: shaped({ flags: {}, operands: "text" }),
  false: shaped({ flags: {}, operands: "text" }),
  ":": shaped({ flags: {}, operands: "text" }),
  exit: shaped({ flags: {}, operands: "text" }),
  return: shaped({ flags: {}, operands: "text" }),
  break: shaped({ flags: {}, operands: "text" }),
  continue: shaped({ flags: {}, operands: "text" }),
  wait: NOTHING,
  cd: cd,
  command: lookup,
  test: test,
  "[": test,
  "[[": conditional,
};

function date({ args }: Parameters<Knowledge>[0]): Known {
  const read = readFlags(
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
  if (typeof read === "string") return unknown(read);
  const setting = read.operands.find((word) => !literalOf(word)?.startsWith("+"));
  return setting === undefined ? reads() : unknown(`date ${setting.text} sets the clock`);
}

function cd({ args, directories }: Parameters<Knowledge>[0]): Known {
  const words = args.filter((word) => literalOf(word) !== "--");
  const [word] = words;
  if (word === undefined || words.length > 1 || word.kind !== "known")
    return unknown("cd to a place that is not known");
  return reads([{ kind: "path", word, directories }]);
}

/** `command -v NAME`: what a name stands for. */
function lookup({ args }: Parameters<Knowledge>[0]): Known {
  const [flag, ...names] = args;
  if (!/^-[vV]$/.test(literalOf(flag) ?? "")) return unknown("command without -v");
  const problem = names.map(textProblem).find((each) => each !== undefined);
  return problem === undefined ? reads() : unknown(problem);
}

/** Words are compared, and files are looked for. -v and -R evaluate the index of an array. */
function test({ args }: Parameters<Knowledge>[0]): Known {
  for (const word of args) {
    const problem = textProblem(word);
    if (problem !== undefined) return unknown(problem);
    if (/^-[vR]$/.test(literalOf(word) ?? "")) return unknown(`${word.text} of test evaluates its operand`);
  }
  return reads();
}

/** Inside [[ ]] numbers are expressions, which may hold substitutions. */
function conditional(call: Parameters<Knowledge>[0]): Known {
  const { args } = call;
  if (args.some((word) => word.text.includes("[") || literalOf(word)?.includes("[") === true))
    return unknown("an expression that bash evaluates");
  return args.every(
    (word) =>
      word.kind === "known" ||
      word.kind === "glob" ||
      (word.kind === "variables" && textProblem(word) === undefined),
  )
    ? reads()
    : unknown("an expression that bash evaluates");
}

/** Programs that tell their version and do nothing else when asked for it alone, whatever the directory holds. */
const VERSIONS = new Set([
  "node",
  "bun",
  "deno",
  "python",
  "python3",
  "tsc",
  "gcc",
  "g++",
  "clang",
  "make",
  "cmake",
  "ruby",
  "perl",
  "php",
  "npm",
  "pip",
  "pip3",
  "jq",
  "rg",
  "git",
  "bash",
  "curl",
  "wget",
  "tar",
  "sqlite3",
  "docker",
]);

export function tellsVersion(name: string, args: readonly { readonly text: string }[]): boolean {
  if (args.length !== 1 || !VERSIONS.has(name)) return false;
  const [only] = args;
  return only?.text === "--version" || (only?.text === "-v" && (name === "node" || name === "npm"));
}

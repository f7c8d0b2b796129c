import { literalOf } from "../../../shell/analysis.ts";
import type { CheckRead, ReadCheck, Use } from "./grammar.ts";
import { checkByShape, knownRead, notKnown, parseFlags } from "./grammar.ts";
import { awkProblem, jqProblem, sedProblem } from "./programs.ts";

/** Commands that filter to standard output. */
export const FILTER_COMMANDS: Readonly<Record<string, CheckRead>> = {
  sort: checkByShape({
    flags: {
      letters: "bcCdfghiMmnRrsuVz",
      values: { k: "text", t: "text" },
      long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated help version",
      longValues: { key: "text", "field-separator": "text", sort: "text", parallel: "number" },
    },
    operands: "paths",
  }),
  uniq: checkByShape({
    flags: {
      leading: true, // BSD writes to the second operand, whatever it looks like
      letters: "cdDiuz",
      values: { f: "number", s: "number", w: "number" },
      long: "count repeated ignore-case unique zero-terminated help version",
      longValues: { "skip-fields": "number", "skip-chars": "number", "check-chars": "number" },
    },
    operands: "paths",
    operandsMax: 1,
  }),
  cut: checkByShape({
    flags: {
      letters: "nsz",
      values: { b: "text", c: "text", d: "text", f: "text" },
      long: "complement only-delimited zero-terminated help version",
      longValues: {
        bytes: "text",
        characters: "text",
        delimiter: "text",
        fields: "text",
        "output-delimiter": "text",
      },
    },
    operands: "paths",
  }),
  tr: checkByShape({
    flags: { letters: "cCdst", long: "complement delete squeeze-repeats truncate-set1 help version" },
    operands: "text",
  }),
  column: checkByShape({
    flags: { letters: "etxn", values: { s: "text", c: "number", o: "text", N: "text" }, long: "table" },
    operands: "paths",
  }),
  paste: checkByShape({
    flags: {
      letters: "sz",
      values: { d: "text" },
      long: "serial zero-terminated help version",
      longValues: { delimiters: "text" },
    },
    operands: "paths",
  }),
  join: checkByShape({
    flags: {
      letters: "i",
      values: {
        "1": "number",
        "2": "number",
        a: "number",
        e: "text",
        j: "number",
        o: "text",
        t: "text",
        v: "number",
      },
    },
    operands: "paths",
  }),
  rev: checkByShape({ flags: {}, operands: "paths" }),
  fold: checkByShape({ flags: { letters: "bs", values: { w: "number" } }, operands: "paths" }),
  fmt: checkByShape({
    flags: { letters: "cstu", values: { w: "number", p: "text" }, words: /^-\d+$/ },
    operands: "paths",
  }),
  expand: checkByShape({ flags: { letters: "i", values: { t: "text" } }, operands: "paths" }),
  unexpand: checkByShape({ flags: { letters: "a", values: { t: "text" } }, operands: "paths" }),
  seq: checkByShape({
    flags: { letters: "w", values: { f: "text", s: "text" }, words: /^-\d+$/ },
    operands: "text",
  }),
  sed,
  awk,
  gawk: awk,
  mawk: awk,
  jq,
  echo: texts,
  printf: printf,
};

/** Checks a command that prints its arguments: no flag of it does more. */
function texts({ args }: Parameters<CheckRead>[0]): ReadCheck {
  const odd = args.find((word) => word.kind === "glob" || word.kind === "unknown");
  return odd === undefined ? knownRead() : notKnown(`${odd.text} is only known when it runs`);
}

/** Texts, and conversions that print one argument each. `%n` sets a variable, and so does -v. */
const PRINTF_FORMAT = /^(?!-)(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[sbqcdiouxXeEfFgG])*$/s;

function printf(call: Parameters<CheckRead>[0]): ReadCheck {
  const [first] = call.args;
  const format = literalOf(first);
  if (format === undefined || !PRINTF_FORMAT.test(format))
    return notKnown(`the format of printf ${first?.text ?? ""}`);
  return texts(call);
}

function sed({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const read = parseFlags({ letters: "n", long: "quiet silent" }, args);
  if (typeof read === "string") return notKnown(read);
  if (!["-n", "--quiet", "--silent"].some((flag) => read.flags.has(flag))) return notKnown("sed without -n");
  return withProgram(read, sedProblem, directories);
}

function awk({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const read = parseFlags({ leading: true, values: { F: "text" } }, args);
  if (typeof read === "string") return notKnown(read);
  const separator = read.values.find(({ word }) => !/^(?:[^\\]|\\t)$/.test(literalOf(word) ?? ""));
  if (separator !== undefined) return notKnown(`the separator ${separator.word.text} of awk`);
  const setting = read.operands.slice(1).find((word) => literalOf(word)?.includes("=") !== false);
  if (setting !== undefined) return notKnown(`awk takes ${setting.text} for a variable`);
  return withProgram(read, awkProblem, directories);
}

function jq({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const read = parseFlags(
    {
      letters: "rRscnejaSCM",
      long: "raw-output raw-input slurp compact-output null-input exit-status join-output ascii-output sort-keys color-output monochrome-output tab",
      longValues: { indent: "number" },
    },
    args,
  );
  if (typeof read === "string") return notKnown(read);
  return withProgram(read, jqProblem, directories);
}

/** Checks a command whose first operand is a program and whose other operands are files. */
function withProgram(
  { operands }: Exclude<ReturnType<typeof parseFlags>, string>,
  problemOf: (program: string) => string | undefined,
  directories: Use["directories"],
): ReadCheck {
  const [word, ...paths] = operands;
  const program = literalOf(word);
  if (word === undefined || program === undefined)
    return notKnown(`the program ${word?.text ?? ""} is only known when it runs`);
  const problem = problemOf(program);
  if (problem !== undefined) return notKnown(problem);
  return knownRead(
    paths.flatMap((path): readonly Use[] =>
      literalOf(path) === "-" ? [] : [{ kind: "path", word: path, directories }],
    ),
  );
}

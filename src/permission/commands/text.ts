import { literalOf } from "../../shell/analysis.ts";
import type { Knowledge, Known, Use } from "./grammar.ts";
import { readFlags, reads, shaped, textProblem, unknown } from "./grammar.ts";
import { awkProblem, jqProblem, sedProblem } from "./programs.ts";

/** Commands that filter to standard output. */
export const TEXT_COMMANDS: Readonly<Record<string, Knowledge>> = {
  sort: shaped({
    flags: {
      letters: "bcCdfghiMmnRrsuVz",
      values: { k: "text", t: "text" },
      long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated help version",
      longValues: { key: "text", "field-separator": "text", sort: "text", parallel: "number" },
    },
    operands: "paths",
  }),
  uniq: shaped({
    flags: {
      letters: "cdDiuz",
      values: { f: "number", s: "number", w: "number" },
      long: "count repeated ignore-case unique zero-terminated help version",
      longValues: { "skip-fields": "number", "skip-chars": "number", "check-chars": "number" },
    },
    operands: "paths",
    operandsMax: 1,
  }),
  cut: shaped({
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
  tr: shaped({
    flags: { letters: "cCdst", long: "complement delete squeeze-repeats truncate-set1 help version" },
    operands: "text",
  }),
  column: shaped({
    flags: { letters: "etxn", values: { s: "text", c: "number", o: "text", N: "text" }, long: "table" },
    operands: "paths",
  }),
  paste: shaped({
    flags: {
      letters: "sz",
      values: { d: "text" },
      long: "serial zero-terminated help version",
      longValues: { delimiters: "text" },
    },
    operands: "paths",
  }),
  join: shaped({
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
  rev: shaped({ flags: {}, operands: "paths" }),
  fold: shaped({ flags: { letters: "bs", values: { w: "number" } }, operands: "paths" }),
  fmt: shaped({
    flags: { letters: "cstu", values: { w: "number", p: "text" }, words: /^-\d+$/ },
    operands: "paths",
  }),
  expand: shaped({ flags: { letters: "i", values: { t: "text" } }, operands: "paths" }),
  unexpand: shaped({ flags: { letters: "a", values: { t: "text" } }, operands: "paths" }),
  seq: shaped({
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

/** What it prints is its arguments: no flag of it does more. */
function texts({
  args,
}: {
  readonly args: Parameters<Knowledge>[0]["args"];
  readonly directories: Parameters<Knowledge>[0]["directories"];
} & Parameters<Knowledge>[0]): Known {
  const uses: Use[] = [];
  for (const word of args) {
    if (word.kind === "glob") return unknown(`the pattern ${word.text}`);
    const problem = textProblem(word);
    if (problem !== undefined) return unknown(problem);
  }
  return reads(uses);
}

function printf(call: Parameters<Knowledge>[0]): Known {
  const first = literalOf(call.args[0]);
  if (first === undefined || (first.startsWith("-") && first !== "--"))
    return unknown("printf sets a variable with -v");
  return texts(call);
}

function sed({ args, directories }: Parameters<Knowledge>[0]): Known {
  const read = readFlags(
    {
      letters: "nErsuz",
      values: { e: "text", l: "number" },
      long: "quiet silent regexp-extended separate unbuffered null-data help version",
      longValues: { expression: "text" },
    },
    args,
  );
  if (typeof read === "string") return unknown(read);
  return withProgram(read, { flags: ["-e", "--expression"], problemOf: sedProblem, directories });
}

function awk({ args, directories }: Parameters<Knowledge>[0]): Known {
  const read = readFlags({ values: { F: "text", v: "text" } }, args);
  if (typeof read === "string") return unknown(read);
  return withProgram(read, { flags: [], problemOf: awkProblem, directories });
}

function jq({ args, directories }: Parameters<Knowledge>[0]): Known {
  const named = new Set(["--arg", "--argjson"]);
  const kept = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (!named.has(literalOf(word) ?? "")) kept.push(word);
    else {
      if (literalOf(args[at + 1]) === undefined || literalOf(args[at + 2]) === undefined)
        return unknown("the value of --arg is only known when it runs");
      at += 2;
    }
  }
  const read = readFlags(
    {
      letters: "rRscnejaSCMg",
      long: "raw-output raw-input slurp compact-output null-input exit-status join-output ascii-output sort-keys color-output monochrome-output tab help version",
      longValues: { indent: "number" },
    },
    kept,
  );
  if (typeof read === "string") return unknown(read);
  return withProgram(read, { flags: [], problemOf: jqProblem, directories });
}

interface ProgramReading {
  /** The flags whose values are programs; where none is given, the first operand is the program. */
  readonly flags: readonly string[];
  readonly problemOf: (program: string) => string | undefined;
  readonly directories: Use["directories"];
}

function withProgram(
  { flags, values, operands }: Exclude<ReturnType<typeof readFlags>, string>,
  { flags: programFlags, problemOf, directories }: ProgramReading,
): Known {
  const given = values.filter(({ flag }) => programFlags.includes(flag)).map(({ word }) => word);
  const programs = given.length > 0 ? given : operands.slice(0, 1);
  const paths = given.length > 0 ? operands : operands.slice(1);
  if (programs.length === 0 && !flags.has("--help") && !flags.has("--version"))
    return unknown("it has no program");
  for (const word of programs) {
    const program = literalOf(word);
    if (program === undefined) return unknown(`the program ${word.text} is only known when it runs`);
    const problem = problemOf(program);
    if (problem !== undefined) return unknown(problem);
  }
  return reads(
    paths.flatMap((word): readonly Use[] =>
      literalOf(word) === "-" ? [] : [{ kind: "path", word, directories }],
    ),
  );
}

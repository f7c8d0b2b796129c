import type { ShellCommand, ShellWord } from "../../shell/analysis.ts";
import { literalOf } from "../../shell/analysis.ts";
import { mayHoldCredentials } from "../sensitive.ts";
import type { Knowledge, Known, Use } from "./grammar.ts";
import { HERE, readFlags, reads, shaped, textProblem, unknown } from "./grammar.ts";

const GREP_FLAGS = {
  letters: "EFGPiIvwxcoqshHnlLrzZabTyuU",
  values: { A: "number", B: "number", C: "number", m: "number", e: "text", f: "path", d: "text", D: "text" },
  long: "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count only-matching quiet silent no-messages with-filename no-filename line-number files-with-matches files-without-match recursive null null-data text byte-offset initial-tab line-buffered binary help version",
  longValues: {
    "after-context": "number",
    "before-context": "number",
    context: "number",
    "max-count": "number",
    regexp: "text",
    file: "path",
    include: "text",
    exclude: "text",
    "exclude-dir": "text",
    "binary-files": "text",
    label: "text",
    directories: "text",
    devices: "text",
  },
  longOptional: "color colour context",
  words: /^-\d+$/,
} as const;

const GREP = {
  flags: GREP_FLAGS,
  operands: { patternUnless: ["-e", "-f", "--regexp", "--file"] },
  deep: { flags: ["-r", "--recursive", "-d", "--directories"], kind: "all" },
} as const;

const RG_FLAGS = {
  letters: "abcFhHiIlnNopPqsSUuvVwx0.",
  values: {
    A: "number",
    B: "number",
    C: "number",
    e: "text",
    f: "path",
    g: "text",
    j: "number",
    m: "number",
    M: "number",
    r: "text",
    t: "text",
    T: "text",
    E: "text",
  },
  long: "files hidden no-ignore no-ignore-vcs no-config column count count-matches files-with-matches files-without-match fixed-strings glob-case-insensitive heading no-heading ignore-case invert-match json line-number no-line-number multiline multiline-dotall no-filename no-messages null only-matching passthru pcre2 quiet smart-case case-sensitive stats text trim type-list unrestricted vimgrep with-filename word-regexp line-regexp no-unicode one-file-system help version",
  longValues: {
    "after-context": "number",
    "before-context": "number",
    context: "number",
    glob: "text",
    iglob: "text",
    "max-count": "number",
    "max-columns": "number",
    "max-depth": "number",
    "max-filesize": "text",
    regexp: "text",
    file: "path",
    replace: "text",
    sort: "text",
    sortr: "text",
    threads: "number",
    type: "text",
    "type-not": "text",
    color: "text",
    colors: "text",
    encoding: "text",
    engine: "text",
  },
} as const;

/** Commands that look for files or in them. */
export const SEARCH_COMMANDS: Readonly<Record<string, Knowledge>> = {
  grep: shaped(GREP),
  egrep: shaped(GREP),
  fgrep: shaped(GREP),
  rg,
  find,
  fd,
  fdfind: fd,
  xargs,
};

function rg({ args, directories }: Parameters<Knowledge>[0]): Known {
  const read = readFlags(RG_FLAGS, args);
  if (typeof read === "string") return unknown(read);
  const { flags, values, operands } = read;
  const hidden =
    ["-.", "--hidden", "-u", "--unrestricted", "--no-ignore"].some((flag) => flags.has(flag)) ||
    values.some(({ flag, word }) => choosesHidden(flag, literalOf(word) ?? "*"));
  const files = flags.has("--files") || flags.has("--type-list");
  const pattern =
    files || ["-e", "-f", "--regexp", "--file"].some((flag) => flags.has(flag)) ? [] : operands.slice(0, 1);
  const paths = operands.slice(pattern.length);
  const problem = pattern.map(textProblem).find((each) => each !== undefined);
  if (problem !== undefined) return unknown(problem);
  const uses: Use[] = values.flatMap(({ kind, word }) =>
    kind === "path" ? [{ kind: "path", word, directories }] : [],
  );
  for (const word of paths.length === 0 ? [HERE] : paths)
    uses.push({ kind: "path", word, directories, ...(files ? {} : { deep: hidden ? "all" : "visible" }) });
  return reads(uses);
}

/** Endings of names that no file with a key has, one that begins with a dot neither. */
const SOURCES =
  /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|[ch]|cc|cpp|hpp|rb|php|cs|swift|scala|md|mdx|rst|txt|css|scss|html|vue|svelte|sql|sh|toml|xml|ya?ml|json|lock|proto)$/;

/** rg looks into what a pattern or type names, whether its name begins with a dot or not. */
function choosesHidden(flag: string, value: string): boolean {
  if (flag === "-t" || flag === "--type") return /^(?:sh|all)$/.test(value);
  if (!/^(?:-g|--glob|--iglob)$/.test(flag) || value.startsWith("!")) return false;
  const name = value.slice(value.lastIndexOf("/") + 1);
  if (/^\w[^{},]*$/.test(name)) return false;
  const [, start = "", ends] = /^([^{},]*)\{([\w,]+)\}$/.exec(name) ?? [];
  const names = ends === undefined ? [name] : ends.split(",").map((end) => `${start}${end}`);
  return !names.every((each) => /^\*(?:[\w*.-]*)$/.test(each) && SOURCES.test(each));
}

function fd({ args, directories }: Parameters<Knowledge>[0]): Known {
  const read = readFlags(
    {
      letters: "HIaFgilpsu01",
      values: { d: "number", e: "text", E: "text", t: "text", S: "text" },
      long: "hidden no-ignore absolute-path fixed-strings glob ignore-case list-details full-path case-sensitive unrestricted print0 help version",
      longValues: {
        "max-depth": "number",
        "min-depth": "number",
        extension: "text",
        exclude: "text",
        type: "text",
        size: "text",
        color: "text",
        "changed-within": "text",
        "changed-before": "text",
      },
    },
    args,
  );
  if (typeof read === "string") return unknown(read);
  const [pattern, ...paths] = read.operands;
  const problem = pattern === undefined ? undefined : textProblem(pattern);
  if (problem !== undefined) return unknown(problem);
  return reads((paths.length === 0 ? [HERE] : paths).map((word) => ({ kind: "path", word, directories })));
}

const FIND_ALONE = new Set(
  "-a -and -o -or -not ! ( ) , -true -false -print -print0 -ls -prune -quit -depth -d -empty -readable -writable -executable -nouser -nogroup -mount -xdev -daystart -noleaf -warn -nowarn -ignore_readdir_race -P -H -E -x".split(
    " ",
  ),
);
const FIND_VALUES = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newermt -newerat -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -lname -ilname -printf -used".split(
    " ",
  ),
);
const FIND_PATHS = new Set("-newer -anewer -cnewer -samefile".split(" "));

/** The whole expression is of tests that look, and of actions that print. */
function find({ args, directories }: Parameters<Knowledge>[0]): Known {
  const uses: Use[] = [];
  let roots = 0;
  let inExpression = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const text = literalOf(word);
    const isExpression = text !== undefined && /^(?:-.|[(),!]$)/.test(text);
    if (!inExpression && !isExpression) {
      roots++;
      uses.push({ kind: "path", word, directories });
      continue;
    }
    if (text === undefined) return unknown(`${word.text} is only known when it runs`);
    inExpression ||= !/^-[PH]$/.test(text);
    if (FIND_ALONE.has(text)) continue;
    const value = args[at + 1];
    if (FIND_VALUES.has(text) && literalOf(value) !== undefined) at++;
    else if (FIND_PATHS.has(text) && value !== undefined) {
      uses.push({ kind: "path", word: value, directories });
      at++;
    } else return unknown(`${text} of find`);
  }
  return reads(roots === 0 ? [{ kind: "path", word: HERE, directories }, ...uses] : uses);
}

/** With arguments that nobody has seen: none of their options runs, writes, or shows what a file holds. */
const COUNTING: Readonly<Record<string, RegExp | undefined>> = {
  wc: /^-[clmwL]+$/,
  ls: /^-[la1dhtrS]+$/,
  du: /^-[shkmc]+$/,
  stat: /^$/,
  basename: /^-a$/,
  dirname: /^$/,
  md5sum: /^$/,
  sha256sum: /^$/,
};
/** They pass lines on whole. */
const PASSING = new Set(["head", "tail", "sort", "uniq", "tac"]);

/**
 * xargs is known where what it starts only counts or names files, and where the names come from a search below one
 * place. A name may hold blanks, and so become several arguments; with NUL bytes between them it is one, and files may
 * be shown.
 */
function xargs({ args, writers }: Parameters<Knowledge>[0]): Known {
  const [inner, nul, counted] = innerOf(args);
  if (inner === undefined) return unknown("the flags of xargs");
  const exact = nul && isSearchWithNul(writers[0]);
  if (!exact && !comesFromSearch(writers)) return unknown("it takes its arguments from what it reads");
  const [name, ...words] = inner.map(literalOf);
  if (name === undefined || words.includes(undefined))
    return unknown("what xargs starts is only known when it runs");
  // By itself, one part of a name with blanks in it may be a flag that shows a file: `--files0-from=`.
  if (counted && !exact) return unknown("xargs may start it with a part of a name alone");
  const rest = words.flatMap((word) => (word === undefined || word === "{}" ? [] : [word]));
  const counting = Object.hasOwn(COUNTING, name) ? COUNTING[name] : undefined;
  if (counting !== undefined && rest.every((word) => counting.test(word))) return reads();
  if (name === "grep" || name === "egrep" || name === "fgrep")
    return grepBehindXargs(inner.slice(1), exact ? writers[0] : undefined);
  if (
    exact &&
    (name === "cat" || name === "head" || name === "tail") &&
    rest.every((word) => /^-(?:n|n?\d+)$|^\d+$/.test(word))
  )
    return foundAndRead(writers[0]);
  return unknown(`xargs starts ${name} with arguments that are only known when it runs`);
}

/** What a search has found is read whole: all that lies below where it looked, or what it was told the name of. */
function foundAndRead(search: ShellCommand | undefined): Known {
  const words = search?.args ?? [];
  if (!findsFilesOnly(words))
    return unknown("the files found may be links that lead anywhere: with -type f alone they are none");
  const secret = words.find((word) => mayHoldCredentials(literalOf(word) ?? ""));
  if (secret !== undefined) return unknown(`it reads ${secret.text}, which may hold a key or password`);
  const end = words.findIndex((word) => /^(?:-.|[(),!]$)/.test(literalOf(word) ?? "-x"));
  const roots = words.slice(0, end === -1 ? words.length : end);
  const directories = search?.directories;
  return reads(
    (roots.length === 0 ? [HERE] : roots).map((word) => ({ kind: "path", word, directories, deep: "all" })),
  );
}

/** Every name that is printed is that of a file, and of no link. */
function findsFilesOnly(words: readonly ShellWord[]): boolean {
  const texts = words.map((word) => literalOf(word) ?? "");
  const at = texts.indexOf("-type");
  return at !== -1 && texts[at + 1] === "f" && !texts.some((text) => /^(?:-o|-or|-not|[!,()])$/.test(text));
}

function grepBehindXargs(args: readonly ShellWord[], search: ShellCommand | undefined): Known {
  const read = readFlags(
    GREP_FLAGS,
    args.filter((word) => literalOf(word) !== "{}"),
  );
  if (typeof read === "string") return unknown(read);
  const { flags, values, operands } = read;
  if (values.some(({ kind }) => kind === "path") || operands.length > 1)
    return unknown("further files of grep");
  const names = [
    "-l",
    "-L",
    "-c",
    "-q",
    "--count",
    "--files-with-matches",
    "--files-without-match",
    "--quiet",
  ];
  if (names.some((flag) => flags.has(flag))) return reads();
  if (search === undefined)
    return unknown("grep shows lines of files whose names are only known when it runs");
  return foundAndRead(search);
}

/** What it starts; whether names end with a NUL byte; whether each start takes but some of them. */
function innerOf(args: readonly ShellWord[]): readonly [readonly ShellWord[] | undefined, boolean, boolean] {
  let nul = false;
  let counted = false;
  for (let at = 0; at < args.length; at++) {
    const text = literalOf(args[at]);
    if (text === undefined) return [undefined, false, false];
    if (text === "-0" || text === "--null") nul = true;
    else if (text === "-r" || text === "--no-run-if-empty") continue;
    else if (/^-(?:n|P|L)\d*$/.test(text)) {
      counted ||= !text.startsWith("-P");
      at += /\d$/.test(text) ? 0 : 1;
    } else if (text === "-I{}") continue;
    else if (text === "-I" && literalOf(args[at + 1]) === "{}") at++;
    else if (text.startsWith("-")) return [undefined, false, false];
    else return [args.slice(at), nul, counted];
  }
  return [undefined, false, false];
}

function isSearchWithNul(command: ShellCommand | undefined): boolean {
  return (
    literalOf(command?.name) === "find" &&
    command?.args.some((word) => literalOf(word) === "-print0") === true
  );
}

/** The names all begin with a place that was named: none of them is a flag, or begins elsewhere. */
function comesFromSearch(writers: readonly ShellCommand[]): boolean {
  for (const { name, args } of writers) {
    const program = literalOf(name) ?? "";
    const values = args.map((word) => literalOf(word) ?? "");
    if (program === "find") return !values.some((value) => /^-(?:printf|ls|print0)$/.test(value));
    if (/^[ef]?grep$/.test(program)) {
      const listing = values.some((value) => /^-[a-zA-Z]*[lL]/.test(value));
      if (listing)
        return (
          values.some((value) => /^-[a-zA-Z]*r/.test(value)) &&
          /^[./\w]/.test(values.at(-1) ?? "") &&
          values.filter((value) => !value.startsWith("-")).length > 1
        );
      if (values.some((value) => /^-[a-zA-Z]*[ocnbA-CHrR]|^--/.test(value))) return false;
      continue; // it lets whole lines through
    }
    if (!PASSING.has(program)) return false;
    if (program === "uniq" && values.length > 0) return false;
  }
  return false;
}

import { literalOf } from "../../../shell/analysis.ts";
import { checkFind, checkXargs, SOURCE_FILES } from "./find.ts";
import type { CheckRead, ReadCheck, Use } from "./grammar.ts";
import { CURRENT_DIRECTORY, checkByShape, knownRead, notKnown, parseFlags, textProblem } from "./grammar.ts";

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

/** Commands that search for files or in them. */
export const SEARCH_COMMANDS: Readonly<Record<string, CheckRead>> = {
  grep: checkByShape(GREP),
  egrep: checkByShape(GREP),
  fgrep: checkByShape(GREP),
  rg,
  find: checkFind,
  fd,
  fdfind: fd,
  xargs: checkXargs,
};

function rg({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const read = parseFlags(RG_FLAGS, args);
  if (typeof read === "string") return notKnown(read);
  const { flags, values, operands } = read;
  const hidden =
    ["-.", "--hidden", "-u", "--unrestricted", "--no-ignore"].some((flag) => flags.has(flag)) ||
    values.some(({ flag, word }) => choosesHidden(flag, literalOf(word) ?? "*"));
  const files = flags.has("--files") || flags.has("--type-list");
  const pattern =
    files || ["-e", "-f", "--regexp", "--file"].some((flag) => flags.has(flag)) ? [] : operands.slice(0, 1);
  const paths = operands.slice(pattern.length);
  const problem = pattern.map(textProblem).find((each) => each !== undefined);
  if (problem !== undefined) return notKnown(problem);
  const uses: Use[] = values.flatMap(({ kind, word }) =>
    kind === "path" ? [{ kind: "path", word, directories }] : [],
  );
  for (const word of paths.length === 0 ? [CURRENT_DIRECTORY] : paths)
    uses.push({ kind: "path", word, directories, ...(files ? {} : { deep: hidden ? "all" : "visible" }) });
  return knownRead(uses);
}

/**
 * Returns true if a pattern or type makes rg search hidden files: it reads a file that they select even if hidden.
 */
function choosesHidden(flag: string, value: string): boolean {
  if (flag === "-t" || flag === "--type") return /^(?:sh|all)$/.test(value);
  if (!/^(?:-g|--glob|--iglob)$/.test(flag) || value.startsWith("!")) return false;
  const name = value.slice(value.lastIndexOf("/") + 1);
  if (/^\w[^{},]*$/.test(name)) return false;
  const [, start = "", ends] = /^([^{},]*)\{([\w,]+)\}$/.exec(name) ?? [];
  const names = ends === undefined ? [name] : ends.split(",").map((end) => `${start}${end}`);
  return !names.every((each) => /^\*(?:[\w*.-]*)$/.test(each) && SOURCE_FILES.test(each));
}

function fd({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const read = parseFlags(
    {
      letters: "HIaFgipsu01", // -l starts ls
      values: { d: "number", e: "text", E: "text", t: "text", S: "text" },
      long: "hidden no-ignore absolute-path fixed-strings glob ignore-case full-path case-sensitive unrestricted print0 help version",
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
  if (typeof read === "string") return notKnown(read);
  const [pattern, ...paths] = read.operands;
  const problem = pattern === undefined ? undefined : textProblem(pattern);
  if (problem !== undefined) return notKnown(problem);
  return knownRead(
    (paths.length === 0 ? [CURRENT_DIRECTORY] : paths).map((word) => ({ kind: "path", word, directories })),
  );
}

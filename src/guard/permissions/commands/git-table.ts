import type { KnownFlags } from "./grammar.ts";

const DIFF_LONG =
  "patch no-patch stat numstat shortstat summary name-only name-status raw minimal patience histogram cached staged check full-index binary text ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines no-renames exit-code quiet no-color no-ext-diff no-textconv pickaxe-all pickaxe-regex function-context patch-with-stat compact-summary no-prefix";
const DIFF_VALUES = {
  "diff-filter": "text",
  "diff-algorithm": "text",
  unified: "number",
  "inter-hunk-context": "number",
  "word-diff-regex": "text",
  "ignore-matching-lines": "text",
  "src-prefix": "text",
  "dst-prefix": "text",
  "line-prefix": "text",
} as const;
const DIFF_OPTIONAL =
  "color word-diff stat find-renames find-copies abbrev relative dirstat color-words color-moved unified ignore-submodules";
const DIFF_LETTERS = "puswbRzaWqM";
const DIFF: KnownFlags = {
  letters: DIFF_LETTERS,
  values: { U: "number", S: "text", G: "text" },
  long: `${DIFF_LONG} merge-base no-relative`,
  longValues: DIFF_VALUES,
  longOptional: DIFF_OPTIONAL,
};
const LOG_LONG =
  "oneline graph all branches tags remotes merges no-merges first-parent reverse follow abbrev-commit no-abbrev-commit decorate no-decorate left-right cherry-pick topo-order date-order author-date-order full-history ancestry-path walk-reflogs show-pulls no-notes source boundary simplify-by-decoration regexp-ignore-case invert-grep all-match fixed-strings extended-regexp perl-regexp basic-regexp root clear-decorations no-walk parents children relative-date left-only right-only cherry-mark cherry log-size no-mailmap use-mailmap";
const LOG: KnownFlags = {
  letters: `${DIFF_LETTERS}giEFPtmc`,
  values: { n: "number", U: "number", S: "text", G: "text", L: "text" },
  long: `${DIFF_LONG} ${LOG_LONG}`,
  longValues: {
    ...DIFF_VALUES,
    "max-count": "number",
    skip: "number",
    since: "text",
    until: "text",
    after: "text",
    before: "text",
    author: "text",
    committer: "text",
    grep: "text",
    date: "text",
    "min-parents": "number",
    "max-parents": "number",
    glob: "text",
    "decorate-refs": "text",
    "decorate-refs-exclude": "text",
    exclude: "text",
  },
  longOptional: `${DIFF_OPTIONAL} decorate pretty format encoding branches tags remotes`,
  words: /^-\d+$/,
};

/** Read-only use of one subcommand of git. */
export interface Subcommand {
  readonly flags: KnownFlags;
  /** `revisions`: names of commits and paths in the repository. `onlyWith`: only with one of these flags. */
  readonly operands: "none" | "revisions" | { readonly onlyWith: readonly string[] };
  readonly tree?: boolean;
}

/** Flags that select references and their output. */
const REFS_VALUES = {
  sort: "text",
  format: "text",
  contains: "text",
  "no-contains": "text",
  merged: "text",
  "no-merged": "text",
  "points-at": "text",
} as const;
const LISTING = { longOptional: "color column abbrev" } as const;
export const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  status: {
    flags: {
      letters: "sbvuz",
      long: "short branch show-stash long verbose no-renames no-ahead-behind ahead-behind null",
      longOptional: "porcelain untracked-files ignored ignore-submodules column find-renames",
      words: /^-u(?:no|normal|all)$/,
    },
    operands: "revisions",
    tree: true,
  },
  diff: { flags: DIFF, operands: "revisions", tree: true },
  "diff-tree": {
    flags: { ...DIFF, letters: `${DIFF_LETTERS}rtmc`, long: `${DIFF.long} root no-commit-id pretty` },
    operands: "revisions",
  },
  "diff-index": { flags: DIFF, operands: "revisions", tree: true },
  "diff-files": { flags: DIFF, operands: "revisions", tree: true },
  log: { flags: LOG, operands: "revisions" },
  whatchanged: { flags: LOG, operands: "revisions" },
  show: { flags: LOG, operands: "revisions" },
  reflog: { flags: LOG, operands: "revisions" },
  shortlog: {
    flags: {
      letters: "nsecw",
      long: "numbered summary email no-merges merges all committer",
      longValues: {
        since: "text",
        until: "text",
        after: "text",
        before: "text",
        group: "text",
        author: "text",
      },
      words: /^-\d+$/,
    },
    operands: "revisions",
  },
  branch: {
    flags: {
      ...LISTING,
      letters: "arvil",
      long: "all remotes verbose show-current list ignore-case no-color no-column",
      longValues: REFS_VALUES,
    },
    operands: { onlyWith: ["--list", "-l"] },
  },
  tag: {
    flags: {
      ...LISTING,
      letters: "lin",
      long: "list ignore-case no-column",
      longValues: REFS_VALUES,
      words: /^-n\d+$/,
    },
    operands: { onlyWith: ["--list", "-l"] },
  },
  remote: { flags: { letters: "v", long: "verbose" }, operands: "none" },
  blame: {
    flags: {
      letters: "bcefhklnpstwMC",
      values: { L: "text" },
      long: "porcelain line-porcelain show-email show-name show-number root date-order",
      longValues: { since: "text", date: "text", abbrev: "number", "ignore-rev": "text" },
    },
    operands: "revisions",
    tree: true,
  },
  grep: {
    flags: {
      letters: "nIiwvhHEGFPlLczopqWr",
      values: { A: "number", B: "number", C: "number", e: "text", m: "number" },
      long: "line-number ignore-case word-regexp invert-match extended-regexp basic-regexp perl-regexp fixed-strings files-with-matches files-without-match name-only count null only-matching column heading break show-function function-context all-match and or not cached full-name recursive no-recursive quiet text",
      longValues: { "max-depth": "number", "max-count": "number", threads: "number" },
      longOptional: "color",
      words: /^-\d+$/,
    },
    operands: "revisions",
    tree: true,
  },
  describe: {
    flags: {
      long: "all tags contains exact-match long always first-parent",
      longValues: { abbrev: "number", candidates: "number", match: "text", exclude: "text" },
    },
    operands: "revisions",
  },
  "merge-base": {
    flags: { letters: "a", long: "all is-ancestor octopus independent fork-point" },
    operands: "revisions",
  },
  "check-ignore": {
    flags: { letters: "vqnz", long: "verbose quiet non-matching no-index" },
    operands: "revisions",
  },
  "check-attr": { flags: { letters: "a", long: "all cached" }, operands: "revisions" },
  "rev-parse": {
    flags: {
      letters: "q",
      long: "show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository show-superproject-working-tree verify quiet symbolic symbolic-full-name all branches tags remotes",
      longOptional: "short abbrev-ref",
    },
    operands: "revisions",
  },
  "rev-list": {
    flags: { ...LOG, long: `${LOG.long} count objects header timestamp` },
    operands: "revisions",
  },
  "name-rev": { flags: { long: "all name-only always tags" }, operands: "revisions" },
  "ls-files": {
    flags: {
      letters: "cdmoisktuvzf",
      values: { x: "text" }, // the file of -X is not relative to the working directory
      long: "cached deleted modified others ignored stage directory no-empty-directory unmerged killed full-name error-unmatch exclude-standard eol deduplicate",
      longValues: { exclude: "text" },
      longOptional: "abbrev",
    },
    operands: "revisions",
    tree: true,
  },
  "ls-tree": {
    flags: {
      letters: "drtlz",
      long: "long name-only name-status full-name full-tree object-only",
      longOptional: "abbrev",
      longValues: { format: "text" },
    },
    operands: "revisions",
  },
  "cat-file": { flags: { letters: "ptes" }, operands: "revisions" },
  "show-ref": {
    flags: {
      letters: "dhsq",
      long: "head heads tags branches dereference verify quiet",
      longOptional: "hash abbrev",
    },
    operands: "revisions",
  },
  "for-each-ref": {
    flags: {
      longValues: { ...REFS_VALUES, count: "number" },
    },
    operands: "revisions",
  },
  "count-objects": { flags: { letters: "vH", long: "verbose human-readable" }, operands: "none" },
};

/** Subcommands of subcommands, by name. */
export const NESTED_SUBCOMMANDS: Readonly<Record<string, Readonly<Record<string, Subcommand>>>> = {
  stash: {
    list: { flags: LOG, operands: "revisions" },
    show: { flags: DIFF, operands: "revisions" },
  },
  reflog: { show: { flags: LOG, operands: "revisions" } },
  remote: { "get-url": { flags: { long: "push all" }, operands: "revisions" } },
  worktree: { list: { flags: { letters: "vz", long: "porcelain verbose" }, operands: "none" } },
};

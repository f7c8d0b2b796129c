import type { CheckRead } from "./grammar.ts";
import { checkByShape } from "./grammar.ts";

// `tail -cf` is not `-c` with the value f: it follows the file.
const COUNT = { n: "number", c: "number" } as const;
const TOPS = { lines: "number", bytes: "number" } as const;
const SUM = {
  letters: "btz",
  long: "binary text zero tag help version",
} as const;

/**
 * Commands that show files, or facts about them. In GNU and BSD spelling: a flag that only one of them has is
 * asked about.
 */
export const FILE_COMMANDS: Readonly<Record<string, CheckRead>> = {
  ls: checkByShape({
    flags: {
      letters: "aABbCcdFfGghHiklLmNnopqQrRSsTtuUvxX1Z",
      values: { I: "text", w: "text" },
      long: "all almost-all author escape directory classify file-type full-time group-directories-first human-readable si inode literal numeric-uid-gid quote-name reverse recursive size help version no-group kibibytes hide-control-chars",
      longValues: {
        sort: "text",
        time: "text",
        "time-style": "text",
        ignore: "text",
        hide: "text",
        format: "text",
        width: "text",
        "block-size": "text",
        "quoting-style": "text",
      },
      longOptional: "color hyperlink",
    },
    operands: "paths",
    here: true,
  }),
  tree: checkByShape({
    flags: {
      detached: true,
      letters: "adfipqNQugsDhFvtcUrSACnxJX",
      values: { L: "number", P: "text", I: "text" },
      long: "noreport dirsfirst gitignore prune matchdirs ignore-case du si inodes device help version",
      longValues: { filelimit: "number", charset: "text" },
      longOptional: "sort",
    },
    operands: "paths",
    here: true,
  }),
  cat: checkByShape({
    flags: {
      letters: "AbeEnstTuv",
      long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version",
    },
    operands: "paths",
  }),
  tac: checkByShape({
    flags: { letters: "br", values: { s: "text" }, longValues: { separator: "text" } },
    operands: "paths",
    fileOnly: true,
  }),
  head: checkByShape({
    flags: {
      letters: "qvz",
      values: COUNT,
      long: "quiet silent verbose zero-terminated help version",
      longValues: TOPS,
      words: /^-\d+$/,
    },
    operands: "paths",
  }),
  tail: checkByShape({
    flags: {
      letters: "qvzr",
      values: COUNT,
      long: "quiet silent verbose zero-terminated help version",
      longValues: TOPS,
      words: /^-\d+$/,
    },
    operands: "paths",
  }),
  nl: checkByShape({
    flags: {
      letters: "p",
      values: {
        b: "text",
        d: "text",
        f: "text",
        h: "text",
        i: "text",
        l: "text",
        n: "text",
        s: "text",
        v: "text",
        w: "text",
      },
    },
    operands: "paths",
  }),
  wc: checkByShape({
    flags: { letters: "cmlLw", long: "bytes chars lines words max-line-length help version" },
    operands: "paths",
  }),
  stat: checkByShape({
    flags: {
      letters: "fLtx",
      values: { c: "text" },
      long: "dereference file-system terse help version",
      longValues: { format: "text", printf: "text" },
    },
    operands: "paths",
  }),
  file: checkByShape({
    flags: {
      letters: "bhikLNrs0", // -p sets times
      long: "brief mime mime-type mime-encoding no-dereference dereference keep-going help version",
    },
    operands: "paths",
    fileOnly: true,
  }),
  du: checkByShape({
    flags: {
      letters: "0abchkmsx",
      values: { d: "number", t: "text", B: "text" },
      long: "all apparent-size bytes total human-readable summarize si one-file-system null separate-dirs help version",
      longValues: { "max-depth": "number", exclude: "text", threshold: "text", "block-size": "text" },
    },
    operands: "paths",
    here: true,
  }),
  df: checkByShape({
    flags: {
      letters: "ahHiklmPT",
      long: "all human-readable inodes local portability print-type total help version",
    },
    operands: "paths",
  }),
  md5sum: checkByShape({ flags: SUM, operands: "paths" }),
  sha1sum: checkByShape({ flags: SUM, operands: "paths" }),
  sha224sum: checkByShape({ flags: SUM, operands: "paths" }),
  sha256sum: checkByShape({ flags: SUM, operands: "paths" }),
  sha384sum: checkByShape({ flags: SUM, operands: "paths" }),
  sha512sum: checkByShape({ flags: SUM, operands: "paths" }),
  b2sum: checkByShape({ flags: SUM, operands: "paths" }),
  cksum: checkByShape({ flags: { long: "help version" }, operands: "paths" }),
  sum: checkByShape({ flags: { letters: "rs", long: "help version" }, operands: "paths" }),
  xxd: checkByShape({
    flags: {
      single: true,
      leading: true,
      letters: "abCeiEpu",
      values: { c: "number", g: "number", l: "number", o: "number", s: "number" },
    },
    operands: "paths",
    operandsMax: 1,
  }),
  od: checkByShape({
    flags: {
      letters: "abcdfilosxvw",
      values: { A: "text", j: "text", N: "text", t: "text" },
      long: "help version",
      words: /^-w\d+$/, // attached or absent: the next word is a file
    },
    operands: "paths",
  }),
  hexdump: checkByShape({
    flags: { letters: "bcCdovx", values: { n: "number", s: "text" } },
    operands: "paths",
  }),
  hd: checkByShape({ flags: { letters: "bcCdovx", values: { n: "number", s: "text" } }, operands: "paths" }),
  strings: checkByShape({
    flags: { letters: "afw", values: { n: "number", t: "text", e: "text" }, long: "all help version" },
    operands: "paths",
    responseFiles: true,
  }),
  cmp: checkByShape({
    flags: {
      letters: "bls",
      values: { i: "text", n: "text" },
      long: "print-bytes verbose quiet silent help version",
    },
    operands: "paths",
  }),
  diff: checkByShape({
    flags: {
      letters: "abBcdeEfiNnpqrsTtuwWyZ",
      values: { U: "number", C: "number", I: "text", x: "text", W: "number", L: "text" },
      long: "brief ignore-all-space ignore-blank-lines ignore-case ignore-space-change ignore-trailing-space minimal new-file normal recursive report-identical-files show-c-function side-by-side speed-large-files suppress-common-lines text unified help version ed rcs no-dereference",
      longValues: { exclude: "text", label: "text", width: "number", "ignore-matching-lines": "text" },
      longOptional: "color unified context",
      words: /^-\d+$/,
    },
    operands: "paths",
    // For two folders it compares the files even without -r, for a file and a folder the file of the same name.
    deep: "all",
    checkedFor: { keys: "all", links: true },
  }),
  comm: checkByShape({
    flags: { letters: "123iz", long: "check-order nocheck-order total help version", words: /^-[123]+$/ },
    operands: "paths",
  }),
  realpath: checkByShape({
    flags: {
      letters: "emLPqsz",
      long: "canonicalize-existing canonicalize-missing help version",
      longValues: { "relative-to": "path", "relative-base": "path" },
    },
    operands: "paths",
  }),
  readlink: checkByShape({
    flags: {
      letters: "efmnqsvz",
      long: "canonicalize canonicalize-existing canonicalize-missing help version",
    },
    operands: "paths",
  }),
  basename: checkByShape({
    flags: { letters: "az", values: { s: "text" }, long: "help version" },
    operands: "text",
  }),
  dirname: checkByShape({ flags: { letters: "z", long: "help version" }, operands: "text" }),
};

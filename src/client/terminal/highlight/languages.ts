/** Patterns and words of a language. */
export interface Language {
  /** Patterns of a comment, a string, and a key or tag. */
  readonly comment?: string;
  readonly string?: string;
  readonly name?: string;
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase?: true;
}

/** The end of the code: what is not closed ends there. */
const END = String.raw`(?![\s\S])`;
const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|${END})`;
const HASH = String.raw`(?<![^\s;(){}])#[^\n]*`;
const DASHES = String.raw`--[^\n]*`;
const DOUBLE = String.raw`"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?`;
const QUOTED = String.raw`${DOUBLE}|'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'?`;
const DOUBLE_LINES = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|${END})`;
const BACKTICKS = String.raw`\x60[^\x60\\]*(?:\\[\s\S][^\x60\\]*)*(?:\x60|${END})`;
const RAW_BACKTICKS = String.raw`\x60[^\x60]*(?:\x60|${END})`;
const TRIPLE = String.raw`"""[\s\S]*?(?:"""|${END})|'''[\s\S]*?(?:'''|${END})`;
/** A lone quote is a lifetime in Rust. */
const CHARACTERS = String.raw`${DOUBLE_LINES}|'(?:\\[^\n]{1,9}|[^'\\\n])'`;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const C =
  "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while";
const SCRIPT =
  "as async await break case catch class const continue debugger default delete do else export extends false finally for from function get if import in instanceof let new null of return set static super switch this throw true try typeof undefined var void while yield";
const TYPED =
  "abstract any asserts bigint boolean declare enum implements infer interface is keyof module namespace never number object override private protected public readonly satisfies string symbol type unique unknown";
const JAVA =
  "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new package private protected public record return short static super switch synchronized this throw throws transient true false null try var void volatile while yield";

const LANGUAGES: Readonly<Record<string, Language>> = {
  javascript: { comment: SLASHES, string: `${QUOTED}|${BACKTICKS}`, keywords: words(SCRIPT) },
  typescript: { comment: SLASHES, string: `${QUOTED}|${BACKTICKS}`, keywords: words(`${SCRIPT} ${TYPED}`) },
  c: {
    comment: SLASHES,
    string: QUOTED,
    name: String.raw`^[ \t]*#[a-z]+`,
    keywords: words(`${C} bool true false NULL`),
  },
  cpp: {
    comment: SLASHES,
    string: QUOTED,
    name: String.raw`^[ \t]*#[a-z]+`,
    keywords: words(
      `${C} bool catch class concept constexpr consteval co_await co_return co_yield decltype delete explicit export false final friend mutable namespace new noexcept nullptr operator override private protected public requires static_cast template this throw true try typename using virtual`,
    ),
  },
  java: { comment: SLASHES, string: `${TRIPLE}|${QUOTED}`, name: String.raw`@\w+`, keywords: words(JAVA) },
  csharp: {
    comment: SLASHES,
    string: QUOTED,
    keywords: words(
      `${JAVA} as async await base bool checked decimal delegate event explicit extern fixed foreach get in internal is lock namespace object operator out override params readonly ref sbyte sealed set sizeof string struct typeof uint ulong unsafe using value virtual where`,
    ),
  },
  kotlin: {
    comment: SLASHES,
    string: `${TRIPLE}|${QUOTED}`,
    keywords: words(
      "abstract as break by catch class companion const constructor continue data do else enum false final finally for fun get if import in init inline interface internal is lateinit null object open operator override package private protected public return sealed set super suspend this throw true try typealias val var vararg when where while",
    ),
  },
  swift: {
    comment: SLASHES,
    string: `${TRIPLE}|${QUOTED}`,
    keywords: words(
      "actor as associatedtype async await break case catch class continue default defer deinit do else enum extension false fileprivate for func guard if import in init inout internal is let nil open operator override private protocol public repeat rethrows return self Self some static struct subscript super switch throw throws true try typealias var weak where while",
    ),
  },
  go: {
    comment: SLASHES,
    string: `${QUOTED}|${RAW_BACKTICKS}`,
    keywords: words(
      "any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go goto if import int int32 int64 interface iota map nil package range return rune select string struct switch true type uint uint8 uint32 uint64 var",
    ),
  },
  rust: {
    comment: SLASHES,
    string: CHARACTERS,
    name: String.raw`#!?\[[^\]\n]*\]?|\b\w+!(?=[(\[{])`,
    keywords: words(
      "as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i8 i16 i32 i64 i128 if impl in isize let loop match mod move mut pub ref return self Self static str struct super trait true type u8 u16 u32 u64 u128 union unsafe use usize where while",
    ),
  },
  php: {
    comment: `${SLASHES}|${HASH}`,
    string: QUOTED,
    name: String.raw`\$\w+`,
    keywords: words(
      `${SCRIPT} abstract and array bool callable clone echo elseif empty endforeach endif fn foreach global implements include int interface isset list match namespace or print private protected public readonly require require_once self string trait unset use`,
    ),
  },
  python: {
    comment: HASH,
    string: `[rbfuRBFU]{0,2}(?:${TRIPLE}|${QUOTED})`,
    name: String.raw`^[ \t]*@[\w.]+`,
    keywords: words(
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
    ),
  },
  ruby: {
    comment: HASH,
    string: QUOTED,
    name: String.raw`(?<!:):\w+|@@?\w+`,
    keywords: words(
      "alias and begin break case class def defined? do else elsif end ensure extend false for if in include loop module next nil not or private protected public raise redo require rescue retry return self super then true unless until when while yield",
    ),
  },
  shell: {
    comment: HASH,
    string: `${DOUBLE_LINES}|'[^']*(?:'|${END})`,
    name: String.raw`\$(?:\w+|\{[^}\n]*\}?|[@*#?$!-])`,
    keywords: words(
      "alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local readonly return set shift source test then trap unset until while",
    ),
  },
  sql: {
    comment: String.raw`${DASHES}|\/\*[\s\S]*?(?:\*\/|${END})`,
    string: QUOTED,
    ignoresCase: true,
    keywords: words(
      "add all alter and as asc begin between by case cascade check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true false union unique update using values view when where with",
    ),
  },
  lua: {
    comment: String.raw`--\[\[[\s\S]*?(?:\]\]|${END})|--[^\n]*`,
    string: QUOTED,
    keywords: words(
      "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
    ),
  },
  haskell: {
    comment: String.raw`\{-[\s\S]*?(?:-\}|${END})|${DASHES}`,
    string: DOUBLE,
    keywords: words(
      "case class data deriving do else if import in instance let module newtype of then type where",
    ),
  },
  json: {
    comment: SLASHES,
    name: String.raw`"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"(?=\s{0,9}:)`,
    string: DOUBLE,
    keywords: words("true false null"),
  },
  yaml: {
    comment: HASH,
    name: String.raw`(?=[\w./-])(?<![\w./-])(?<=^[ \t-]{0,200})[\w./-]+(?=:(?:[ \n]|${END}))`,
    string: QUOTED,
    keywords: words("true false null yes no on off"),
  },
  toml: {
    comment: HASH,
    name: String.raw`^[ \t]*\[[^\]\n]*\]+|^[ \t]*[\w."-]+(?=[ \t]*=)`,
    string: `${TRIPLE}|${QUOTED}`,
    keywords: words("true false"),
  },
  html: {
    comment: String.raw`<!--[\s\S]*?(?:-->|${END})`,
    name: String.raw`<\/?[\w:-]+|\/?>|(?<![\w:-])[\w:-]+(?==["'])`,
    string: `(?<==)(?:"[^"]*(?:"|${END})|'[^']*(?:'|${END}))`,
    keywords: new Set(),
  },
  css: {
    comment: SLASHES,
    name: String.raw`(?<![\w-])[\w-]+(?=\s{0,9}:[^{}\n]{0,200}(?:[;}\n]|${END}))|@[\w-]+`,
    string: QUOTED,
    keywords: words("important inherit initial unset none auto"),
  },
  dockerfile: {
    comment: HASH,
    name: String.raw`\$(?:\w+|\{[^}\n]*\}?)`,
    string: QUOTED,
    keywords: words(
      "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
    ),
  },
};

const ALIASES: Readonly<Record<string, string>> = {
  bash: "shell",
  "c#": "csharp",
  "c++": "cpp",
  cc: "cpp",
  cjs: "javascript",
  console: "shell",
  cs: "csharp",
  cts: "typescript",
  docker: "dockerfile",
  golang: "go",
  h: "c",
  hpp: "cpp",
  hs: "haskell",
  ini: "toml",
  js: "javascript",
  json5: "json",
  jsonc: "json",
  jsonl: "json",
  jsx: "javascript",
  kt: "kotlin",
  less: "css",
  mjs: "javascript",
  mts: "typescript",
  py: "python",
  pyi: "python",
  rb: "ruby",
  rs: "rust",
  scss: "css",
  sh: "shell",
  svelte: "html",
  svg: "html",
  ts: "typescript",
  tsx: "typescript",
  vue: "html",
  xml: "html",
  yml: "yaml",
  zsh: "shell",
};

/** Returns the language of a name or the end of a file name, such as `ts`; undefined if it is not known. */
export function languageOf(name: string): Language | undefined {
  const lower = name.toLowerCase();
  const found = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower;
  return found !== undefined && Object.hasOwn(LANGUAGES, found) ? LANGUAGES[found] : undefined;
}

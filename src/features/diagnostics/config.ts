import type { ConfigOf, ListEntryOf, ListSection } from "../../session/config-section.ts";

const SOURCES_MAX = 16;
const WAIT_SECONDS_MAX = 120;
const NOT_UNCONFINED =
  "a profile that lies in the repository may run nothing without a sandbox: take unconfined out, or put the profile among your own";
const NAME_PROBLEM = "must be a short name of letters, digits, dots and dashes";

const keys = {
  name: {
    kind: "text",
    key: "name",
    meaning: "A short name.",
    required: NAME_PROBLEM,
    example: "typescript",
    check: (name: string) => (/^[\w.-]{1,40}$/.test(name) ? undefined : NAME_PROBLEM),
  },
  kind: {
    kind: "word",
    key: "kind",
    words: ["language-server", "checker"],
    meaning: "A language server, or a program that runs on the files after each edit.",
    default: "language-server",
    example: "checker",
  },
  files: {
    kind: "texts",
    key: "files",
    meaning: "Patterns of names, or with a slash of paths below the root.",
    required: 'must name files, such as ["*.ts"]',
    example: ["*.ts", "*.tsx"],
    check: (files: readonly string[]) =>
      files.length === 0 ? 'must name files, such as ["*.ts"]' : undefined,
  },
  command: {
    kind: "texts",
    key: "command",
    meaning: "The program and its words. `{files}` stands for the files.",
    required: 'must be a program and its words: ["tsc", "--lsp", "--stdio"]',
    example: ["tsc", "--lsp", "--stdio"],
    check([program]: readonly string[]) {
      if (program === undefined) return 'must be a program and its words: ["tsc", "--lsp", "--stdio"]';
      return /^\.{0,2}\/|^[^/]+\//.test(program) && !program.startsWith("/")
        ? "the program is a path below the folder that is worked in, so each repository would bring its own: write an absolute path, or a name that is found in PATH"
        : undefined;
    },
    // The check refuses an empty list.
    as: ([program = "", ...args]: readonly string[]): readonly [string, ...string[]] => [program, ...args],
  },
  language: {
    kind: "text",
    key: "language",
    meaning: "The name of the language for language servers.",
    otherwise: "by the file's extension",
    example: "typescript",
  },
  waitMs: {
    kind: "seconds",
    key: "wait",
    min: 0.1,
    max: WAIT_SECONDS_MAX,
    unit: "seconds",
    meaning: "How long an edit waits for the answer.",
    otherwise: "as the kind says",
    example: 5,
  },
  unconfined: {
    kind: "boolean",
    key: "unconfined",
    meaning: "Runs with your own rights if there is no working sandbox.",
    default: false,
    example: true,
  },
} as const satisfies ListSection["keys"];

/** `[[diagnostics]]`: language servers and checkers that report problems after an edit (TOOL-11). */
export const diagnosticsSection = {
  shape: "list",
  name: "diagnostics",
  about:
    "Language servers and checkers that report problems after an edit: [tools.md](../tools.md). An entry of `config.toml` replaces one of the same name in the profile.",
  itemsMax: SOURCES_MAX,
  sameName: "first",
  keys,
  checkInRepository: (entries, at) =>
    entries
      .filter(({ unconfined }) => unconfined)
      .map(({ name }) => ({ ...at, problem: `${name}: ${NOT_UNCONFINED}` })),
  checkAll(entries) {
    const names = entries.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    return twice === undefined ? undefined : `has two of the name "${String(twice)}"`;
  },
} as const satisfies ListSection<ListEntryOf<typeof keys>>;

/** One entry of `[[diagnostics]]`. */
export type DiagnosticKeys = ConfigOf<typeof diagnosticsSection>[number];

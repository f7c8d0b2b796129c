import type { Table } from "../table.ts";

/** One of `[[diagnostics]]`: what tells, after an edit, what is wrong with the files (TOOL-11). */
export interface DiagnosticKeys {
  readonly name: string;
  readonly kind: "language-server" | "checker";
  readonly files: readonly string[];
  readonly command: readonly [string, ...string[]];
  readonly language?: string;
  readonly waitMs?: number;
  /** Runs with the user's own rights where there is no working sandbox. */
  readonly unconfined: boolean;
}

const SOURCES_MAX = 16;
const WAIT_SECONDS_MAX = 120;

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function diagnosticsFrom(parent: Table): readonly DiagnosticKeys[] {
  const tables = parent.tables("diagnostics");
  if (tables.length > SOURCES_MAX) throw parent.problem("diagnostics", `holds more than ${SOURCES_MAX}`);
  const read = tables.map(sourceFrom);
  const twice = read.find(({ name }, at) => read.findIndex((each) => each.name === name) < at);
  if (twice !== undefined) throw parent.problem("diagnostics", `has two of the name "${twice.name}"`);
  return read;
}

function sourceFrom(table: Table): DiagnosticKeys {
  const name = table.string("name");
  const files = table.strings("files") ?? [];
  const [program, ...args] = table.strings("command") ?? [];
  const language = table.string("language");
  const wait = table.number("wait", 0.1);
  if (name === undefined || !/^[\w.-]{1,40}$/.test(name))
    throw table.problem("name", "must be a short name of letters, digits, dots and dashes");
  if (files.length === 0) throw table.problem("files", 'must name files, such as ["*.ts"]');
  if (program === undefined)
    throw table.problem("command", 'must be a program and its words: ["tsc", "--lsp", "--stdio"]');
  if (/^\.{0,2}\/|^[^/]+\//.test(program) && !program.startsWith("/"))
    throw table.problem(
      "command",
      "the program is a path below the folder that is worked in, so each repository would bring its own: write an absolute path, or a name that is found in PATH",
    );
  if (wait !== undefined && wait > WAIT_SECONDS_MAX)
    throw table.problem("wait", `must be at most ${WAIT_SECONDS_MAX} seconds`);
  const source = {
    name,
    kind: table.oneOf("kind", ["language-server", "checker"] as const) ?? "language-server",
    files,
    command: [program, ...args] as const,
    ...(language === undefined ? {} : { language }),
    ...(wait === undefined ? {} : { waitMs: wait * 1_000 }),
    unconfined: table.boolean("unconfined") ?? false,
  };
  table.refuseUnknown();
  return source;
}

import { SUBCOMMANDS } from "../commands/commands.ts";
import type { Verb } from "../commands/sessions/sessions-verbs.ts";
import { SESSIONS_FLAGS, VERBS } from "../commands/sessions/sessions-verbs.ts";
import { EXIT_TEXTS } from "../exit-codes.ts";
import type { Flag } from "./flags.ts";
import { COMMANDS, FLAGS } from "./flags.ts";

const COLUMNS_MAX = 80;
const INDENT = 27;

/** The help text, made of the tables of flags, commands and exit codes: of everything, or of what words name. */
export function helpText(about: readonly string[] = []): string {
  const [command, name] = about;
  if (command !== "sessions") return wholeHelp();
  const verb = VERBS.find((known) => known.name === name);
  return verb === undefined ? sessionsHelp() : verbHelp(verb);
}

function wholeHelp(): string {
  return [
    "cinch: an agent harness for software work",
    "",
    "Usage:",
    row("cinch", "Work with an agent in this directory, line by line (/help there)."),
    row('cinch -p "PROMPT"', "Answer one prompt and exit."),
    ...SUBCOMMANDS.map(({ name, summary }) => row(`cinch ${name}`, summary)),
    ...COMMANDS.map(({ name, help }) => row(`cinch ${name}`, help)),
    "",
    "Flags:",
    ...FLAGS.filter(isGlobal).map((flag) => row(usageOf(flag), flag.help)),
    "",
    ...wrapped(
      "Standard output carries the answer or the JSON and nothing else. With -p PROMPT, standard input is attached when it is a pipe or a file, up to 4 MiB of text; a pipe that is silent for 3 s is left alone.",
    ),
    "",
    "Exit codes:",
    ...EXIT_TEXTS.flatMap(([code, text]) => wrapped(text, `  ${String(code).padStart(3)}  `)),
    "",
  ].join("\n");
}

function sessionsHelp(): string {
  return [
    "cinch sessions: look at stored sessions, and keep them",
    "",
    "Usage:",
    ...VERBS.map((verb) => row(`cinch sessions ${verb.name}`, verb.help)),
    "",
    ...wrapped(
      "ID is a session or log id, the beginning of one, or last: the newest session of this directory. A session gets a new sess_ id each time it goes on; the earlier ones still name it.",
    ),
    ...wrapped(
      "cinch sessions VERB --help tells what a verb takes. Only resume starts a model; the others run nothing.",
    ),
    "",
  ].join("\n");
}

function verbHelp({ name, usage, help, flags }: Verb): string {
  const own = [
    ...SHARED.filter((flag) => flags.includes(flag.name)),
    ...SESSIONS_FLAGS.filter((flag) => flags.includes(flag.name)),
  ];
  return [
    ...wrapped(usage, `cinch sessions ${name} `).map((line) => line.trimEnd()),
    "",
    ...wrapped(help),
    ...(own.length === 0 ? [] : ["", "Flags:", ...own.map((flag) => row(usageOf(flag), flag.help))]),
    "",
  ].join("\n");
}

/** Flags that mean something else for other commands. */
const SHARED = [
  { name: "all", help: "Of every directory.", for: [] },
  { name: "json", help: "For programs: one JSON object a line.", for: [] },
] as const;

/** Flags of one command alone stand in the help of that command. */
function isGlobal(flag: Flag): boolean {
  return flag.for.some((mode) => mode !== "sessions");
}

function usageOf(flag: Flag): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value =
    flag.value === undefined ? "" : flag.optional === true ? ` [${flag.value}]` : ` ${flag.value}`;
  return `${short}--${flag.name}${value}`;
}

function row(left: string, right: string): string {
  const label = `  ${left}`;
  if (label.length < INDENT) return wrapped(right, label.padEnd(INDENT)).join("\n");
  return [label, ...wrapped(right, " ".repeat(INDENT))].join("\n");
}

/** A text in lines of 80 columns: the first behind a label, the others below where it begins. */
function wrapped(text: string, label = ""): readonly string[] {
  const lines: string[] = [];
  let line = label;
  let isBegun = false;
  for (const word of text.split(" ")) {
    if (isBegun && line.length + 1 + word.length > COLUMNS_MAX) {
      lines.push(line);
      line = " ".repeat(label.length);
      isBegun = false;
    }
    line += isBegun ? ` ${word}` : word;
    isBegun = true;
  }
  return [...lines, line];
}

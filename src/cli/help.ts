import { EXIT_TEXTS } from "./exit-codes.ts";
import type { Flag } from "./flags.ts";
import { COMMANDS, FLAGS } from "./flags.ts";
import type { Verb } from "./sessions-verbs.ts";
import { SESSIONS_FLAGS, VERBS } from "./sessions-verbs.ts";

const COLUMNS_MAX = 96;
const INDENT = 28;

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
    ...COMMANDS.map(({ name, help }) => row(`cinch ${name}`, help)),
    "",
    "Flags:",
    ...FLAGS.filter(isGlobal).map((flag) => row(usageOf(flag), flag.help)),
    "",
    "Standard output carries the answer or the JSON and nothing else. With -p PROMPT, standard input is",
    "attached when it is a pipe or a file, up to 4 MiB of text; a pipe that is silent for 3 s is left alone.",
    "",
    "Exit codes:",
    ...EXIT_TEXTS.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`),
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
    "ID is a session or log id, the beginning of one, or last: the newest session of this directory.",
    "cinch sessions VERB --help tells what a verb takes. Only resume starts a model; the others run nothing.",
    "",
  ].join("\n");
}

function verbHelp({ name, usage, help, flags }: Verb): string {
  const own = [
    ...SHARED.filter((flag) => flags.includes(flag.name)),
    ...SESSIONS_FLAGS.filter((flag) => flags.includes(flag.name)),
  ];
  return [
    `cinch sessions ${name}${usage === "" ? "" : ` ${usage}`}`,
    "",
    help,
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
  const lines: string[] = [];
  let line = "";
  for (const word of right.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length + INDENT <= COLUMNS_MAX || line === "") {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  lines.push(line);
  const label = `  ${left}`;
  const padding = " ".repeat(INDENT);
  const body = lines.join(`\n${padding}`);
  return label.length < INDENT ? `${label.padEnd(INDENT)}${body}` : `${label}\n${padding}${body}`;
}

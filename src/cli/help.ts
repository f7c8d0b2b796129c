import { EXIT_TEXTS } from "./exit-codes.ts";
import type { Flag } from "./flags.ts";
import { COMMANDS, FLAGS } from "./flags.ts";

const COLUMNS_MAX = 96;
const INDENT = 28;

/** The help text, made of the tables of flags, commands and exit codes. */
export function helpText(): string {
  return [
    "cinch: an agent harness for software work",
    "",
    "Usage:",
    row("cinch", "Work with an agent in this directory, line by line (/help there)."),
    row('cinch -p "PROMPT"', "Answer one prompt and exit."),
    ...COMMANDS.map(({ name, help }) => row(`cinch ${name}`, help)),
    "",
    "Flags:",
    ...FLAGS.map((flag) => row(usageOf(flag), flag.help)),
    "",
    "Standard output carries the answer or the JSON and nothing else. With -p PROMPT, standard input is",
    "attached when it is a pipe or a file, up to 4 MiB of text; a pipe that is silent for 3 s is left alone.",
    "",
    "Exit codes:",
    ...EXIT_TEXTS.map(([code, text]) => `  ${String(code).padStart(3)}  ${text}`),
    "",
  ].join("\n");
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

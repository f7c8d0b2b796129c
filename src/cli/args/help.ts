import type {
  CliAction,
  CliExample,
  CliFlag,
  CliVerb,
  SettingName,
} from "../../session/commands/cli-command.ts";
import { COMMANDS } from "../commands/commands.ts";
import { EXIT_TEXTS } from "../exit-codes.ts";
import type { AnyCommand } from "./parsed-call.ts";
import { EVERYWHERE, SETTING_NAMES, settingFlag } from "./settings-flags.ts";
import { flagForm, labelOf, wordsForm } from "./usage.ts";

const COLUMNS_MAX = 80;
/** The longest label beside a text, such as a flag with its placeholder. */
const LABEL_COLUMNS_MAX = 24;
/** Columns of a command's name in the list. */
const NAME_COLUMNS = 12;
/** The help of a group shows its flags too if there are no more. */
const FLAGS_SHOWN_MAX = 6;

/** Returns the help about everything, a topic, or a command and its verb. The words are known ones. */
export function helpText(about: readonly string[] = [], commands: readonly AnyCommand[] = COMMANDS): string {
  const [word, name] = about;
  if (word === "flags") return flagsHelp(commands);
  if (word === "exit-codes") return exitCodesHelp();
  const command = word === undefined ? undefined : commands.find((each) => each.name === word);
  if (command === undefined) return overview(commands);
  const verb = command.verbs?.find((each) => each.name === name);
  return verb === undefined ? commandHelp(command) : verbHelp(command, verb);
}

/** Returns one screen of help: 24 rows of 80 columns. */
function overview(commands: readonly AnyCommand[]): string {
  const named = commands.filter(({ name }) => /^[a-z]/.test(name));
  const cells = [...named]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, brief }) => `  ${name.padEnd(NAME_COLUMNS)}${brief}`);
  const half = Math.ceil(cells.length / 2);
  const rows = cells
    .slice(0, half)
    .map((left, row) => `${left.padEnd(COLUMNS_MAX / 2)}${cells[half + row] ?? ""}`.trimEnd());
  return page([
    "cinch: an agent harness for software work",
    "",
    "  cinch              work with an agent in this directory; type /help there",
    '  cinch -p "PROMPT"  answer one prompt and exit',
    "  cinch COMMAND      run one of these:",
    "",
    ...rows,
    "",
    "cinch COMMAND --help   what a command takes, with examples",
    "cinch help flags       model, profile, permissions, limits and other flags",
    "cinch help exit-codes  what a script can rely on",
  ]);
}

function commandHelp(command: AnyCommand): string {
  const { summary, about, verbs, flags, settings, examples } = command;
  const shown = verbs === undefined || flags.length <= FLAGS_SHOWN_MAX ? flags : [];
  const more = verbs === undefined ? [] : [`cinch ${command.name} VERB --help tells more about one of them.`];
  return page([
    ...wrapped(`${calledAs(command)}: ${summary}`),
    ...(about === undefined ? [] : ["", ...wrapped(about)]),
    "",
    "Usage:",
    ...(verbs === undefined
      ? [...wrapped(usageOf(command, command), "  "), ...wordLines(command)]
      : rows(verbs.map((verb) => [usageOf(command, verb), verb.summary]))),
    ...flagLines(shown),
    ...exampleLines(examples),
    "",
    ...more,
    ...settingLines(settings),
    ...pageLines(command),
  ]);
}

function verbHelp(command: AnyCommand, verb: CliVerb): string {
  const verbFlags = command.flags.filter(({ name }) => verb.flags.includes(name));
  return page([
    ...wrapped(`${calledAs(command, verb)}: ${verb.summary}`),
    "",
    "Usage:",
    ...wrapped(`${usageOf(command, verb)}${verbFlags.length === 0 ? "" : " [FLAGS]"}`, "  "),
    ...wordLines(verb),
    ...flagLines(verbFlags),
    ...exampleLines(verb.examples),
    "",
    ...settingLines(verb.settings ?? command.settings),
    ...pageLines(command),
  ]);
}

function flagsHelp(commands: readonly AnyCommand[]): string {
  const bare = commands.filter(({ name }) => !/^[a-z]/.test(name)).flatMap(({ flags }) => flags);
  const uniqueFlags = [...new Map(bare.map((flag) => [flag.name, flag])).values()];
  const settings = SETTING_NAMES.map((name) => settingFlag(name));
  return page([
    "Flags of cinch and cinch -p. cinch COMMAND --help shows the flags of a command.",
    ...flagLines([...uniqueFlags, ...settings, ...EVERYWHERE]).filter((line) => line !== "Flags:"),
  ]);
}

function exitCodesHelp(): string {
  return page([
    "Exit codes:",
    ...EXIT_TEXTS.flatMap(([code, text]) => wrapped(text, `  ${String(code).padStart(3)}  `)),
  ]);
}

function calledAs(command: AnyCommand, verb?: CliVerb): string {
  return command.name === "-p" ? "cinch -p" : labelOf(command, verb);
}

/** Returns a command line with its words and the flags that must be there. */
function usageOf(command: AnyCommand, action: AnyCommand | CliVerb): string {
  const groups = action.required ?? [];
  const forms = groups.map((group) =>
    group.map((name) => flagForm(command.flags.find((flag) => flag.name === name))).join(" | "),
  );
  const label = calledAs(command, action === command ? undefined : (action as CliVerb));
  const rest = action === command && command.flags.length > 0 ? ["[FLAGS]"] : [];
  return [label, wordsForm(action), ...forms, ...rest].filter((part) => part !== "").join(" ");
}

function wordLines({ words = [] }: CliAction): readonly string[] {
  return words.length === 0 ? [] : ["", ...rows(words.map(({ name, help }) => [name, sentence(help)]))];
}

function flagLines(flags: readonly CliFlag[]): readonly string[] {
  if (flags.length === 0) return [];
  return ["", "Flags:", ...rows(flags.map((flag) => [`${shortOf(flag)}${flagForm(flag)}`, flag.help]))];
}

function shortOf({ short }: CliFlag): string {
  return short === undefined ? "" : `-${short}, `;
}

function exampleLines(examples: readonly CliExample[]): readonly string[] {
  return ["", "Examples:", ...examples.flatMap(({ line, does }) => [`  ${line}`, `      ${sentence(does)}`])];
}

function settingLines(settings: readonly SettingName[] = []): readonly string[] {
  if (settings.length === 0) return [];
  return wrapped(`It also takes --${settings.join(", --")}: see cinch help flags.`);
}

function pageLines({ page: path }: AnyCommand): readonly string[] {
  return path === undefined ? [] : [`More: docs/${path}`];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Lays out labels and texts in two columns. A label that is too long gets a line of its own. */
function rows(pairs: readonly (readonly [label: string, text: string])[]): readonly string[] {
  const longest = Math.max(
    ...pairs.map(([label]) => label.length).filter((length) => length <= LABEL_COLUMNS_MAX),
  );
  const columns = longest + 4;
  return pairs.flatMap(([label, text]) =>
    label.length <= longest
      ? wrapped(text, `  ${label}`.padEnd(columns))
      : [`  ${label}`, ...wrapped(text, " ".repeat(columns))],
  );
}

function page(lines: readonly string[]): string {
  return `${lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd()}\n`;
}

/** Breaks a text into lines of 80 columns: the first behind a label, the others below its start. */
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

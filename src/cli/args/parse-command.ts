import { nearestWords } from "../../base/text/near.ts";
import type { CliAction, CliFlag, CliVerb } from "../../session/commands/cli-command.ts";
import { parseSettings } from "../settings.ts";
import type { FlagTexts } from "./flag-values.ts";
import { Misuse, readFlag } from "./flag-values.ts";
import { NO_VALUE } from "./flag-words.ts";
import type { AnyCommand, ParsedCall } from "./parsed-call.ts";
import { settingFlag } from "./settings-flags.ts";
import { flagForm, joinWords, labelOf, shortForm, usageOf } from "./usage.ts";

/** Commands or verbs that take a flag; more are not named in an error. */
const PLACES_MAX = 3;

/** Says that `--resume` lacks its ID where there is no list to choose from. */
export const NO_SESSION_TEXT = "--resume needs a value (ID); cinch sessions list lists them";

/** Reads the words behind the name of a command. @throws Misuse. */
export function readCall(
  command: AnyCommand,
  plain: readonly string[],
  flags: FlagTexts,
  commands: readonly AnyCommand[],
): ParsedCall {
  const [verb, rest] = verbOf(command, plain);
  const action: CliAction = verb ?? command;
  const label = labelOf(command, verb);
  const verbFlags = command.flags.filter(({ name }) => verb?.flags.includes(name) ?? true);
  const taken = [...verbFlags, ...(action.settings ?? command.settings ?? []).map(settingFlag)];
  for (const name of flags.keys()) {
    if (!taken.some((flag) => flag.name === name))
      throw new Misuse(foreign(name, { command, label }, commands));
  }
  checkTogether(taken, flags);
  const words = readPositionals(action, rest, { label, flags });
  for (const group of action.required ?? []) {
    if (group.some((name) => flags.has(name))) continue;
    const forms = group.map((name) => flagForm(taken.find((flag) => flag.name === name)));
    throw new Misuse(`${label} needs ${joinWords(forms)}`);
  }
  const settings = parseSettings(flags);
  if (settings.choosesSession === true && command.name !== "") throw new Misuse(NO_SESSION_TEXT);
  return {
    kind: "command",
    command,
    action,
    verb: verb?.name ?? "",
    words,
    flags: Object.fromEntries(command.flags.map((flag) => [flag.name, readFlag(flag, flags)])),
    settings,
  };
}

function verbOf(
  command: AnyCommand,
  plain: readonly string[],
): readonly [CliVerb | undefined, readonly string[]] {
  if (command.verbs === undefined) return [undefined, plain];
  const [word = "", ...rest] = plain;
  const verb = word === "" ? undefined : command.verbs.find(({ name }) => name === word);
  if (verb !== undefined) return [verb, rest];
  const usual = command.verbs.find(({ name }) => name === "");
  if (usual !== undefined && (word === "" || usual.words !== undefined)) return [usual, plain];
  const [meant] = nearestWords(
    word,
    command.verbs.map(({ name }) => name),
  );
  // The word is not repeated: it may be a key.
  const what = word === "" ? "" : `cinch ${command.name} has no such subcommand; `;
  const hint = meant === undefined ? "" : `did you mean cinch ${command.name} ${meant}? `;
  throw new Misuse(`${what}${hint}${usageOf(command)}`);
}

/** Returns where a flag belongs that this command or verb does not take, and how to ask for the same here. */
function foreign(name: string, { command, label }: CommandRequest, commands: readonly AnyCommand[]): string {
  const takes = ({ flags, settings = [] }: CliVerb) => [...flags, ...settings].includes(name);
  const verbs = (command.verbs ?? []).filter(takes);
  const owners = commands.filter((each) => each.flags.some((flag) => flag.name === name));
  const flag = owners[0]?.flags.find((each) => each.name === name);
  const instead = command.flags.find((each) => each.name === flag?.instead);
  const places =
    verbs.length > 0 ? verbs.map((verb) => labelOf(command, verb)) : owners.map((each) => labelOf(each));
  if (places.length === 0 || places.length > PLACES_MAX) {
    const all = command.name === "" || command.name === "-p" ? "cinch help flags" : `${label} --help`;
    return `--${name} does not go with ${label}; ${all} lists its flags`;
  }
  const hint = instead === undefined ? "" : `; write ${label} --${instead.name}`;
  return `--${name} goes with ${joinWords(places)}, not with ${label}${hint}`;
}

interface CommandRequest {
  readonly command: AnyCommand;
  readonly label: string;
}

function checkTogether(taken: readonly CliFlag[], flags: FlagTexts): void {
  for (const { name, excludes = [], needs = [] } of taken) {
    if (!flags.has(name)) continue;
    const other = excludes.find((each) => flags.has(each));
    if (other !== undefined) throw new Misuse(`--${name} and --${other} exclude each other`);
    const possible = taken.filter((flag) => needs.includes(flag.name));
    if (possible.length > 0 && !possible.some((flag) => flags.has(flag.name)))
      throw new Misuse(`--${name} goes with ${possible.map((flag) => shortForm(flag)).join(" or ")}`);
  }
}

interface ParsedWords {
  readonly label: string;
  readonly flags: FlagTexts;
}

function readPositionals(
  { words: places = [], tooMany }: CliAction,
  operands: readonly string[],
  { label, flags }: ParsedWords,
): readonly string[] {
  const instead = places.flatMap(({ flag }) => (flag === undefined ? [] : [flags.get(flag) ?? NO_VALUE]));
  const words = [...instead.filter((text) => text !== NO_VALUE), ...operands];
  const names = places.map(({ name }) => name).join(" and ");
  const extra = places.at(-1)?.many === true ? undefined : words[places.length];
  if (extra !== undefined) {
    const what = names === "" ? "no words" : names;
    if (tooMany !== undefined) throw new Misuse(`${label} takes ${what}; ${tooMany}`);
    if (names === "") throw new Misuse(`${label} takes no "${extra}"; ${label} --help shows what it takes`);
    throw new Misuse(`${label} takes ${names}; "${extra}" is one too many`);
  }
  const missing = places.find(
    ({ optional }, index) => optional !== true && (words[index] ?? "").trim() === "",
  );
  if (missing !== undefined) throw new Misuse(`${label} needs ${missing.name}: ${missing.help}`);
  return words;
}

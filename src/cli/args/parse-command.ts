import { near } from "../../base/text/near.ts";
import type { CliAction, CliFlag, CliVerb, CliWord } from "../../session/cli-command.ts";
import { settingsOf } from "../settings.ts";
import type { AnyCommand, Call } from "./call.ts";
import type { Flags } from "./flag-values.ts";
import { Misuse, readFlag } from "./flag-values.ts";
import { GIVEN } from "./flag-words.ts";
import { settingFlag } from "./settings-flags.ts";
import { formOf, labelOf, usageOf } from "./usage.ts";

/** Reads what follows the name of a command. @throws Misuse. */
export function readCall(
  command: AnyCommand,
  plain: readonly string[],
  flags: Flags,
  commands: readonly AnyCommand[],
): Call {
  const [verb, rest] = verbOf(command, plain);
  const action: CliAction = verb ?? command;
  const label = labelOf(command, verb);
  const own = command.flags.filter(({ name }) => verb?.flags.includes(name) ?? true);
  const taken = [...own, ...(action.settings ?? command.settings ?? []).map(settingFlag)];
  for (const name of flags.keys()) {
    if (!taken.some((flag) => flag.name === name)) throw new Misuse(foreign(name, command, label, commands));
  }
  checkTogether(taken, flags);
  const words = readPositionals(action.words ?? [], rest, { label, flags });
  for (const group of action.required ?? []) {
    if (group.some((name) => flags.has(name))) continue;
    const forms = group.map((name) => formOf(taken.find((flag) => flag.name === name)));
    throw new Misuse(`${label} needs ${forms.join(" or ")}`);
  }
  return {
    kind: "command",
    command,
    action,
    verb: verb?.name ?? "",
    words,
    flags: Object.fromEntries(command.flags.map((flag) => [flag.name, readFlag(flag, flags)])),
    settings: settingsOf(flags),
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
  const [meant] = near(
    word,
    command.verbs.map(({ name }) => name),
  );
  const hint = meant === undefined ? "" : `did you mean cinch ${command.name} ${meant}? `;
  throw new Misuse(`${hint}${usageOf(command)}`);
}

/** Says which commands take a flag that this one does not. */
function foreign(name: string, command: AnyCommand, label: string, commands: readonly AnyCommand[]): string {
  const owners = commands.filter((each) => each.flags.some((flag) => flag.name === name));
  const flag = owners[0]?.flags.find((each) => each.name === name);
  const instead = command.flags.find((each) => each.name === flag?.instead);
  const hint = instead === undefined ? "" : `; write ${label} --${instead.name}`;
  const places = owners.filter((each) => each !== command).map((each) => labelOf(each));
  if (places.length === 0 || places.length > 3) return `--${name} does not go with ${label}${hint}`;
  return `--${name} goes with ${places.join(" and ")}, not with ${label}${hint}`;
}

function checkTogether(taken: readonly CliFlag[], flags: Flags): void {
  for (const { name, excludes = [], needs } of taken) {
    if (!flags.has(name)) continue;
    const other = excludes.find((each) => flags.has(each));
    if (other !== undefined) throw new Misuse(`--${name} and --${other} exclude each other`);
    if (needs !== undefined && !needs.some((each) => flags.has(each)))
      throw new Misuse(`--${name} goes with --${needs.join(" or --")}`);
  }
}

interface Given {
  readonly label: string;
  readonly flags: Flags;
}

function readPositionals(
  places: readonly CliWord[],
  given: readonly string[],
  { label, flags }: Given,
): readonly string[] {
  const instead = places.map(({ flag }) => (flag === undefined ? undefined : flags.get(flag)));
  const words = [...instead.filter((text) => text !== undefined && text !== GIVEN), ...given] as string[];
  const last = places.at(-1);
  const extra = last?.many === true ? undefined : words[places.length];
  if (extra !== undefined) {
    const hint = last?.hint === undefined ? "" : `; ${last.hint}`;
    if (last === undefined) throw new Misuse(`${label} takes no "${extra}"`);
    const names = places.map(({ name }) => name).join(" and ");
    throw new Misuse(`${label} takes ${names}; "${extra}" is one too many${hint}`);
  }
  const missing = places.find(
    ({ optional }, index) => optional !== true && (words[index] ?? "").trim() === "",
  );
  if (missing !== undefined) throw new Misuse(`${label} needs ${missing.name}: ${missing.help}`);
  return words;
}

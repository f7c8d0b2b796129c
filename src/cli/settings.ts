import { defined } from "../base/defined.ts";
import type { LogLevel } from "../base/log.ts";
import { LOG_LEVELS } from "../base/log.ts";
import {
  ADDED_FOLDER_CHARACTERS_MAX,
  ADDED_FOLDERS_MAX,
  ALLOW_CHARACTERS_MAX,
  ALLOW_RULES_MAX,
  APPENDED_CHARACTERS_MAX,
} from "../protocol/commands/run-limits.ts";
import type { CliSettings } from "../session/commands/cli-command.ts";
import type { OrphanFate } from "../session/history/unfinished.ts";
import type { FlagTexts } from "./args/flag-values.ts";
import { Misuse, readFlag } from "./args/flag-values.ts";
import type { SettingValues } from "./args/settings-flags.ts";
import { SETTING_NAMES, settingFlag } from "./args/settings-flags.ts";

/** The settings of a command line, the same for every command. */
export interface Settings extends CliSettings {
  readonly cwd?: string;
  readonly autoApprove: boolean;
  readonly strictPermissions: boolean;
  readonly planMode: boolean;
  readonly withoutProject: boolean;
  readonly allowProjectHooks: boolean;
  readonly lockfile?: string;
  readonly record?: string;
  readonly resume?: { readonly kind: "id"; readonly id: string } | { readonly kind: "last" };
  /** True: the person chooses the session to resume. Only the terminal client has the list for it. */
  readonly choosesSession?: true;
  /** Decision about calls that the resumed session's last run left open. */
  readonly orphans?: OrphanFate;
  readonly insecureDevKey: boolean;
  /** Do not print the cost after each turn. */
  readonly quietCost?: true;
  readonly logToStderr: boolean;
  readonly logLevels: ReadonlyMap<string, LogLevel>;
}

/** @throws Misuse with flag, value and the right form. */
export function parseSettings(flags: FlagTexts): Settings {
  const values = valuesOf(flags);
  const { level, effort, profile, model, cwd, record, lockfile, allow } = values;
  checkAllowed(allow);
  const addDirs = values["add-dir"];
  checkAdded(addDirs);
  const { "max-turns": maxTurns, "max-time": maxTimeMs } = values;
  const maxCostUsd = dollarsOf(values["max-cost"]);
  const appendSystemPrompt = appendedOf(values["append-system-prompt"]);
  const resume = resumeOf(values);
  const orphans = orphansOf(values.orphans);
  return {
    autoApprove: values["auto-approve"],
    strictPermissions: values["strict-permissions"],
    planMode: values.plan,
    withoutProject: values["without-project"],
    allowProjectHooks: values["allow-project-hooks"],
    insecureDevKey: values["insecure-dev-key"],
    logToStderr: values["log-to-stderr"],
    logLevels: logLevelsOf(values["log-level"]),
    ...(values.resume === true ? { choosesSession: true } : {}),
    ...(values["quiet-cost"] ? { quietCost: true } : {}),
    ...defined({
      profile,
      model,
      cwd,
      level,
      effort,
      maxTurns,
      maxCostUsd,
      maxTimeMs,
      appendSystemPrompt,
      allow,
      addDirs,
      record,
      lockfile,
      resume,
      orphans,
    }),
  };
}

function valuesOf(flags: FlagTexts): SettingValues {
  const entries = SETTING_NAMES.map((name) => [name, readFlag(settingFlag(name), flags)]);
  return Object.fromEntries(entries) as SettingValues;
}

function dollarsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d+)?$/.test(value)) return Number(value);
  throw new Misuse(`--max-cost takes US dollars, such as 0.50, not "${value}"`);
}

function checkAllowed(rules: readonly string[] = []): void {
  const long = rules.find((rule) => rule.length > ALLOW_CHARACTERS_MAX);
  if (long !== undefined)
    throw new Misuse(`--allow takes at most ${ALLOW_CHARACTERS_MAX} characters, not ${long.length}`);
  if (rules.length > ALLOW_RULES_MAX)
    throw new Misuse(
      `--allow can be given ${ALLOW_RULES_MAX} times; write further rules into a profile ([permissions] allow)`,
    );
}

function checkAdded(folders: readonly string[] = []): void {
  const long = folders.find((path) => path.length > ADDED_FOLDER_CHARACTERS_MAX);
  if (long !== undefined)
    throw new Misuse(`--add-dir takes at most ${ADDED_FOLDER_CHARACTERS_MAX} characters, not ${long.length}`);
  if (folders.length > ADDED_FOLDERS_MAX)
    throw new Misuse(`--add-dir can be given ${ADDED_FOLDERS_MAX} times; name a folder above them instead`);
}

function appendedOf(value: string | undefined): string | undefined {
  const length = value?.length ?? 0;
  if (length <= APPENDED_CHARACTERS_MAX) return value;
  throw new Misuse(
    `--append-system-prompt takes at most ${APPENDED_CHARACTERS_MAX} characters, not ${length}; put a longer text in a file and name it in the prompt`,
  );
}

const ORPHAN_WORDS = "fail, done, done=NOTE or abort";

function orphansOf(text: string | undefined): OrphanFate | undefined {
  const value = text?.trim();
  if (value === undefined) return undefined;
  if (value === "fail") return { kind: "failed" };
  if (value === "abort") return { kind: "abort" };
  if (value === "done") return { kind: "succeeded" };
  const note = /^done=(.*\S.*)$/s.exec(value)?.[1];
  if (note === undefined) throw new Misuse(`--orphans takes ${ORPHAN_WORDS}, not "${value}"`);
  return { kind: "succeeded", note };
}

function resumeOf({ resume: id, continue: isLast }: SettingValues): Settings["resume"] {
  if (typeof id === "string") return { kind: "id", id };
  return isLast ? { kind: "last" } : undefined;
}

/** Reads `debug` for all components, or `engine=debug,provider.openai=trace`. The empty name means all. */
function logLevelsOf(value: string | undefined): ReadonlyMap<string, LogLevel> {
  const levels = new Map<string, LogLevel>();
  if (value === undefined) return levels;
  for (const part of value.split(",")) {
    const [, component = "", word = ""] = /^(?:([\w.-]+)=)?(.*)$/.exec(part.trim()) ?? [];
    const level = LOG_LEVELS.find((known) => known === word);
    if (level === undefined) throw new Misuse(`--log-level: "${part}" is none of ${LOG_LEVELS.join(", ")}`);
    levels.set(component, level);
  }
  return levels;
}

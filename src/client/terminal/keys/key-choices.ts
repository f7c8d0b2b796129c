import type { KeyPath } from "../../../base/files/toml-lines.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { hintFor, nearestWords } from "../../../base/text/near.ts";
import type { ActionName, KeyContext } from "./actions.ts";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";
import { VIM_MODES } from "./context-titles.ts";
import { KEY_WORDS, keyName, typesText } from "./key-name.ts";
import type { KeyChoices } from "./key-table.ts";
import { keyLocation } from "./key-table.ts";

/** An entry of the settings file that does not count. */
export interface SettingProblem {
  /** The key of the entry in the file. */
  readonly at: KeyPath;
  /** The mistake and what to do about it, as the end of a sentence that begins with its name. */
  readonly problem: string;
}

/** Contexts in which characters are typed: no action may take one. */
const TYPED: readonly KeyContext[] = ["global", "input", "completion", "search", "list", "vimInsert"];
const KEYS_MAX = 16;
/** Without a key for it the client could not be left. */
const NEEDED: ActionName = "app.interrupt";

/** Returns the keys that `[keys]` of the settings file names, and the entries that do not count. */
export function keyChoices(table: JsonObject): {
  readonly choices: KeyChoices;
  readonly problems: readonly SettingProblem[];
} {
  const problems: SettingProblem[] = [];
  const choices: Partial<Record<ActionName, readonly string[]>> = {};
  for (const { name, at, value } of entriesOf(table)) {
    if (!isAction(name)) {
      problems.push({ at, problem: `is not an action. ${actionHint(name)}` });
      continue;
    }
    const written = typeof value === "string" ? [value] : value;
    if (!Array.isArray(written) || !written.every((each) => typeof each === "string")) {
      problems.push({ at, problem: 'must be a list of keys, such as ["ctrl+k"], or [] for none' });
      continue;
    }
    const keys = written.slice(0, KEYS_MAX).filter((key) => {
      const problem = keyProblem(name, key);
      if (problem !== undefined) problems.push({ at, problem });
      return problem === undefined;
    });
    if (name === NEEDED && keys.length === 0)
      problems.push({ at, problem: "needs a key: without one nobody could leave. It keeps ctrl+c" });
    else if (keys.length > 0 || written.length === 0) choices[name] = keys;
  }
  return { choices, problems };
}

/** Returns the entries of a table and of those in it: `input.send` may be written with or without quotes. */
function entriesOf(
  table: JsonObject,
  at: KeyPath = ["keys"],
  before = "",
): readonly {
  readonly name: string;
  readonly at: KeyPath;
  readonly value: unknown;
}[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const name = `${before}${key}`;
    return isObject(value) && !(value instanceof Date)
      ? entriesOf(value, [...at, key], `${name}.`)
      : [{ name, at: [...at, key], value }];
  });
}

function actionHint(name: string): string {
  const [meant] = nearestWords(name, ACTION_NAMES);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const [group = ""] = name.split(".");
  const same = ACTION_NAMES.filter((each) => each.startsWith(`${group}.`));
  return same.length === 0 ? "The palette names each action." : `There are: ${same.join(", ")}.`;
}

function isAction(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

function keyProblem(action: ActionName, written: string): string | undefined {
  const [, mode, rest = written] = /^(vim-\w+):(.+)$/s.exec(written) ?? [];
  if (mode !== undefined && !VIM_MODES.has(mode))
    return `names the mode "${mode}". ${hintFor(mode, [...VIM_MODES.keys()])}`;
  const name = keyName(rest);
  if (name === undefined) return `names "${rest}", which is not a key. ${keyHint(rest)}`;
  const { context } = keyLocation(action, written);
  return typesText(name) && TYPED.includes(context)
    ? `names "${rest}", which could not be typed any more: add ctrl+ or alt+`
    : undefined;
}

function keyHint(written: string): string {
  const known = new Set(KEY_WORDS);
  const wrong = written.split("+").find((word) => [...word].length > 1 && !known.has(word.toLowerCase()));
  if (wrong === undefined) return "Write the character that it types";
  const [meant] = nearestWords(wrong, KEY_WORDS);
  return meant === undefined ? "The probe of keys in the palette names each key" : `Did you mean ${meant}?`;
}

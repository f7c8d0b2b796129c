import { unreachable } from "../../../base/assert.ts";
import { messageOf } from "../../../base/errors.ts";
import { lineOf } from "../../../base/files/toml-lines.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { hintFor } from "../../../base/text/near.ts";
import type { SettingProblem } from "../keys/key-choices.ts";
import { keyChoices } from "../keys/key-choices.ts";
import type { KeyChoices } from "../keys/key-table.ts";
import type { ClientSettingValues } from "./client-settings.ts";
import type { SettingKey } from "./setting-keys.ts";
import { SETTING_KEYS, TERMINAL_SETTING_NAMES } from "./setting-keys.ts";

const KEYS_TABLE = "keys";
const TEXT_CHARACTERS_MAX = 1_000;

/** Settings and keys of a file, as far as they are valid. */
export interface SettingsText {
  readonly values: Partial<ClientSettingValues>;
  readonly keys: KeyChoices;
  /** A sentence for each entry that does not count, with its line and what to do. */
  readonly problems: readonly string[];
}

/** Reads the text of a settings file. What is wrong in it is left out and named; the rest counts. */
export async function readSettingsText(text: string): Promise<SettingsText> {
  const parsed = await parseSettingsText(text);
  if (parsed.kind === "invalid") return { values: {}, keys: {}, problems: [parsed.problem] };
  const { [KEYS_TABLE]: table, ...rest } = parsed.value;
  const { values, problems } = settingValues(rest);
  const keys = isObject(table)
    ? keyChoices(table)
    : {
        choices: {},
        problems: table === undefined ? [] : [{ at: [KEYS_TABLE], problem: "must be a table: write [keys]" }],
      };
  const found = [...problems, ...keys.problems]
    .map((each) => ({ line: lineOf(text, each.at), sentence: sentenceOf(each) }))
    .sort((a, b) => a.line - b.line);
  return {
    values,
    keys: keys.choices,
    problems: found.map(({ line, sentence }) => `line ${line}: ${sentence}`),
  };
}

/** Returns the value of a TOML text, or why it is not valid, with the line. */
export async function parseSettingsText(
  text: string,
): Promise<
  | { readonly kind: "valid"; readonly value: JsonObject }
  | { readonly kind: "invalid"; readonly problem: string }
> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    const value: unknown = parse(text);
    return { kind: "valid", value: isObject(value) ? value : {} };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [first = ""] = messageOf(thrown).split("\n");
    const why = first.replace("Invalid TOML document: ", "");
    return {
      kind: "invalid",
      problem: `line ${thrown.line}: ${why}. Nothing of the file counts until it is corrected.`,
    };
  }
}

function settingValues(table: JsonObject): {
  readonly values: Partial<ClientSettingValues>;
  readonly problems: readonly SettingProblem[];
} {
  const values: Partial<Record<keyof ClientSettingValues, unknown>> = {};
  const problems: SettingProblem[] = [];
  const known = new Map(TERMINAL_SETTING_NAMES.map((name) => [SETTING_KEYS[name].key, name]));
  for (const [key, value] of Object.entries(table)) {
    const name = known.get(key);
    if (name === undefined) {
      problems.push({
        at: [key],
        problem: `is not a setting. ${hintFor(key, [...known.keys(), KEYS_TABLE])}`,
      });
      continue;
    }
    const problem = valueProblem(value, SETTING_KEYS[name]);
    if (problem === undefined) values[name] = value;
    else problems.push({ at: [key], problem });
  }
  return { values: values as Partial<ClientSettingValues>, problems };
}

/** Returns why a setting cannot have a value, as the end of a sentence; undefined if it can. */
function valueProblem(value: unknown, setting: SettingKey): string | undefined {
  switch (setting.kind) {
    case "flag":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "number": {
      const { min, max } = setting;
      const isRight = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
      return isRight ? undefined : `must be a whole number from ${min} to ${max}`;
    }
    case "word":
      if (typeof value !== "string") return `must be one of ${quoted(setting.words)}`;
      return setting.words.includes(value)
        ? undefined
        : `cannot be "${value}". ${hintFor(value, setting.words)}`;
    case "texts": {
      const isRight =
        Array.isArray(value) &&
        value.length <= setting.countMax &&
        value.every((each) => typeof each === "string" && each.length <= TEXT_CHARACTERS_MAX);
      return isRight ? undefined : `must be a list of at most ${setting.countMax} texts`;
    }
    default:
      return unreachable(setting);
  }
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

function sentenceOf({ at, problem }: SettingProblem): string {
  const name = at[0] === KEYS_TABLE ? at.slice(1).join(".") || KEYS_TABLE : at.join(".");
  const end = /[.?!]$/.test(problem) ? "" : ".";
  return `${name} ${problem}${end}`;
}

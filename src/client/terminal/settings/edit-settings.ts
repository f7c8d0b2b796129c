import { isDeepStrictEqual } from "node:util";
import type { ClientSettingValues } from "./client-settings.ts";
import { SETTING_KEYS, TERMINAL_SETTING_NAMES } from "./setting-keys.ts";
import { parseSettingsText } from "./settings-text.ts";

const NEW_FILE =
  "# Settings of cinch's terminal client. A [keys] table chooses keys: see docs/terminal.md.\n";
/** A value as this client writes it, or as a person may write one that it replaces. */
const VALUE = /(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\[(?:[^\]"']|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*\]|[^\s#,]+)/
  .source;
/** The first line of a table ends the part in which settings stand. */
const HEADER = /^[ \t]*\[{1,2}[^[\]\n]+\]{1,2}[ \t]*(?:#.*)?\r?$/m;

/** Text of a settings file after a change; or why the change cannot be made, with what to do. */
export type EditedSettings =
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "refused"; readonly problem: string };

/**
 * Changes settings in the text of a file. Comments, order and all other entries stay: the result is parsed, and it is
 * refused if anything but these settings has changed.
 */
export async function editSettings(
  text: string,
  changes: Partial<ClientSettingValues>,
): Promise<EditedSettings> {
  const before = await parseSettingsText(text);
  if (before.kind === "invalid") return { kind: "refused", problem: before.problem };
  let edited = text === "" ? NEW_FILE : text;
  const wanted: Record<string, unknown> = { ...before.value };
  for (const name of TERMINAL_SETTING_NAMES) {
    const value = changes[name];
    if (value === undefined) continue;
    const { key } = SETTING_KEYS[name];
    wanted[key] = value;
    edited = withSetting(edited, key, JSON.stringify(value));
  }
  const after = await parseSettingsText(edited);
  if (after.kind === "valid" && isDeepStrictEqual({ ...after.value }, wanted))
    return { kind: "edited", text: edited };
  const lines = TERMINAL_SETTING_NAMES.flatMap((name) =>
    changes[name] === undefined ? [] : [`${SETTING_KEYS[name].key} = ${JSON.stringify(changes[name])}`],
  );
  return {
    kind: "refused",
    problem: `the file is written in a way that it cannot be changed in: write ${lines.join(", ")} there`,
  };
}

/** Returns the text with one setting in it: in place of the one before, else behind the last one. */
function withSetting(text: string, key: string, value: string): string {
  const end = HEADER.exec(text)?.index ?? text.length;
  const [head, tail] = [text.slice(0, end), text.slice(end)];
  const line = new RegExp(`^([ \\t]*(?:${key}|"${key}"|'${key}')[ \\t]*=[ \\t]*)${VALUE}`, "m");
  if (line.test(head)) return `${head.replace(line, (_, start: string) => `${start}${value}`)}${tail}`;
  const eol = /\r\n/.test(text) ? "\r\n" : "\n";
  const added = `${key} = ${value}${eol}`;
  if (tail === "") return `${head}${head === "" || head.endsWith("\n") ? "" : eol}${added}`;
  const lines = head === "" ? [] : head.split(/(?<=\n)/);
  let at = lines.length;
  // A comment right above the table belongs to the table.
  while (lines[at - 1]?.trimStart().startsWith("#") === true) at -= 1;
  while (lines[at - 1]?.trim() === "") at -= 1;
  const gap = lines[at]?.trim() === "" ? "" : eol;
  return [...lines.slice(0, at), added, gap, ...lines.slice(at), tail].join("");
}

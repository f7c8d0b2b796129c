import { isObject } from "../../base/json.ts";
import { count } from "../../base/text.ts";
import { neutraliseLine } from "./terminal-text.ts";

/** What of each list of paths is shown. */
const PATHS_SHOWN_MAX = 20;

const LISTS = [
  ["create", "comes back"],
  ["change", "is changed back"],
  ["mode", "gets its mode back"],
  ["remove", "goes"],
  ["contested", "stays: changed here and by somebody else"],
  ["foreign", "stays: changed by somebody else alone"],
] as const;

/** What a RewindSession answered with, for people: what it would do, or has done. */
export function rewindText(result: unknown): string {
  if (!isObject(result)) return "";
  const { conversation, files, done } = result;
  const lines: string[] = [];
  if (isObject(conversation)) {
    const removed = Number(conversation["removed"] ?? 0);
    lines.push(`Conversation: ${count(removed, "message")} ${done === true ? "taken" : "to be taken"} out.`);
  }
  if (isObject(files)) lines.push(...(done === true ? doneLines(files) : plannedLines(files)));
  return lines.join("\n");
}

function plannedLines(files: Readonly<Record<string, unknown>>): readonly string[] {
  const lines = LISTS.flatMap(([key, what]) => pathsOf(files[key]).map((path) => `  ${path}: ${what}`));
  const all = [...lines, ...unreached(files["notRestorable"], "cannot be set back")];
  return all.length === 0 ? ["Files: none would change."] : ["Files:", ...all];
}

function doneLines(files: Readonly<Record<string, unknown>>): readonly string[] {
  const restored = Number(files["restored"] ?? 0);
  return [
    `Files: ${restored} set back.`,
    ...unreached(files["kept"], "left as it is"),
    ...unreached(files["notRestorable"], "cannot be set back"),
  ];
}

function pathsOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return cut(list.map((path) => neutraliseLine(String(path))));
}

function unreached(list: unknown, what: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  const lines = list.filter(isObject).map(({ path, why }) => {
    return `  ${neutraliseLine(String(path))}: ${what}: ${neutraliseLine(String(why))}`;
  });
  return cut(lines);
}

function cut(lines: readonly string[]): readonly string[] {
  const rest = lines.length - PATHS_SHOWN_MAX;
  return rest <= 0 ? lines : [...lines.slice(0, PATHS_SHOWN_MAX), `  … and ${rest} more`];
}

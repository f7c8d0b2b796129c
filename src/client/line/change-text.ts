import { isObject } from "../../base/json.ts";
import { count } from "../../base/text.ts";
import type { PayloadOf } from "../../protocol/events.ts";
import { reveal } from "../kit/terminal-text.ts";

/** Lines of a change that a question shows; how many more there are is told. */
export const CHANGE_LINES_MAX = 40;
export const CHANGE_LINE_CHARACTERS_MAX = 400;

/**
 * What a call would change, for the person who is asked: the engine's diff, else what the call itself holds, with
 * nothing hidden by control characters (PERM-06, TUI-07). Empty for calls that change no file's text.
 */
export function changeText(
  request: Pick<PayloadOf<"PermissionRequested">, "tool" | "args" | "diff">,
): readonly string[] {
  const lines =
    request.diff === undefined ? linesOfArgs(request.tool, request.args) : request.diff.split("\n");
  const shown = lines.slice(0, CHANGE_LINES_MAX).map((line) => `| ${shortLine(line)}`);
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `  … and ${count(more, "more line")} not shown here`];
}

function shortLine(line: string): string {
  const rest = line.length - CHANGE_LINE_CHARACTERS_MAX;
  if (rest <= 0) return reveal(line);
  return `${reveal(line.slice(0, CHANGE_LINE_CHARACTERS_MAX))} … (${rest} more characters)`;
}

function linesOfArgs(tool: string, args: unknown): readonly string[] {
  if (!isObject(args)) return [];
  const { content, edits } = args;
  if (tool === "Write" && typeof content === "string") return marked("+", content);
  if (tool === "Edit") return linesOfEdit(args);
  if (tool === "MultiEdit" && Array.isArray(edits)) return edits.flatMap(linesOfEdit);
  return [];
}

function linesOfEdit(edit: unknown): readonly string[] {
  if (!isObject(edit)) return [];
  const { old_string: old, new_string: fresh } = edit;
  if (typeof old !== "string" || typeof fresh !== "string") return [];
  const where = edit["replace_all"] === true ? "everywhere" : "once";
  return [`@@ ${where} @@`, ...marked("-", old), ...marked("+", fresh)];
}

function marked(mark: string, text: string): readonly string[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`);
}

import { isObject } from "../../../base/json.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";

/**
 * Returns what a call would change, for the person who is asked: the engine's diff, else what the call itself holds, with
 * nothing hidden by control characters or length (PERM-06, TUI-07). Empty for calls that change no file's text.
 */
export function changeText(
  request: Pick<PayloadOf<"PermissionRequested">, "tool" | "args" | "diff">,
): readonly string[] {
  const lines =
    request.diff === undefined ? linesOfArgs(request.tool, request.args) : request.diff.split("\n");
  return lines.map((line) => `| ${reveal(line)}`);
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

import { isObject } from "../../base/json.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Paths of each list that are shown. */
const PATHS_SHOWN_MAX = 50;

/** Effect of setting a file back, and the change that it implies. */
const CHANGED = [
  ["change", "changed"],
  ["remove", "made"],
  ["create", "removed"],
  ["mode", "has another mode"],
  ["contested", "changed, by you or another program too"],
] as const;

/** Lists the files that changed since a point in a session, for people: from the preview of a RewindSession of files. */
export function changedFilesText(preview: unknown): string {
  const files = isObject(preview) ? preview["files"] : undefined;
  if (!isObject(files)) return "What was changed is not known: no files are kept for this session.";
  const lines = CHANGED.flatMap(([key, what]) => linesOf(files[key], (path) => `  ${path}  ${what}`));
  const unkept = files["notRestorable"];
  const others = Array.isArray(unkept)
    ? linesOf(
        unkept.filter(isObject).map(({ path }) => path),
        (path) => `  ${path}  perhaps changed: it was not kept`,
      )
    : [];
  const all = [...lines, ...others];
  return all.length === 0 ? "No file was changed." : all.join("\n");
}

function linesOf(paths: unknown, line: (path: string) => string): readonly string[] {
  if (!Array.isArray(paths)) return [];
  const rest = paths.length - PATHS_SHOWN_MAX;
  const shown = paths.slice(0, PATHS_SHOWN_MAX).map((path) => line(neutraliseLine(String(path))));
  return rest <= 0 ? shown : [...shown, `  … and ${rest} more`];
}

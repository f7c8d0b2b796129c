import type { ResultOfCommand } from "../../../protocol/commands/results.ts";
import { neutraliseLine } from "../../terminal/terminal-text.ts";

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

/** Lists the files that changed since a point in a session: from the preview of a RewindSession of files. */
export function changedFilesText({ files }: Pick<ResultOfCommand<"RewindSession">, "files">): string {
  if (files === undefined) return "What was changed is not known: no files are kept for this session.";
  const lines = CHANGED.flatMap(([key, what]) => linesOf(files[key], (path) => `  ${path}  ${what}`));
  const unkept = files.notRestorable.map(({ path }) => path);
  const others = linesOf(unkept, (path) => `  ${path}  perhaps changed: it was not kept`);
  const all = [...lines, ...others];
  return all.length === 0 ? "No file was changed." : all.join("\n");
}

function linesOf(paths: readonly string[], line: (path: string) => string): readonly string[] {
  const rest = paths.length - PATHS_SHOWN_MAX;
  const shown = paths.slice(0, PATHS_SHOWN_MAX).map((path) => line(neutraliseLine(path)));
  return rest <= 0 ? shown : [...shown, `  … and ${rest} more`];
}

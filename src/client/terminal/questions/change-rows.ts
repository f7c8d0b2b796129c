import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Hunk } from "../../../protocol/events/hunk.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { proposedChanges } from "../../../view/texts/change-preview.ts";
import type { DrawnRow, Role } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";

/** Draws lines of a unified diff. The one place where the drawing of changes is chosen. */
export type DrawChange = (lines: readonly string[], columns: number) => readonly DrawnRow[];

/** Draws each line whole, wrapped, with its sign in front and nothing in it hidden (PERM-06). */
export const drawChange: DrawChange = (lines, columns) =>
  lines.flatMap((line) => {
    const role = roleOf(line);
    return wrapSpans([span(reveal(line), role === undefined ? {} : { role })], { columns, byWords: false });
  });

/** Returns the change that a call would make as lines of a diff: the engine's, else the call's own arguments. */
export function changeLinesOf({
  args,
  diff,
  preview,
}: Pick<PayloadOf<"PermissionRequested">, "args" | "diff" | "preview">): readonly string[] {
  if (diff !== undefined) return diff.split("\n");
  return proposedChanges(preview, args).flatMap(({ before, after, everywhere }) =>
    before === undefined
      ? marked("+", after)
      : [`@@ ${everywhere ? "everywhere" : "once"} @@`, ...marked("-", before), ...marked("+", after)],
  );
}

/** Returns the head of a hunk and its lines. */
export function hunkLines({ old_start, old_lines, new_start, new_lines, lines }: Hunk): readonly string[] {
  return [`@@ -${old_start},${old_lines} +${new_start},${new_lines} @@`, ...lines];
}

function marked(mark: string, text: string): readonly string[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`);
}

function roleOf(line: string): Role | undefined {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "dim" : undefined;
}

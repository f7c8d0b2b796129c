import type { PayloadOf } from "../../../protocol/events/events.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import type { ProposedChange } from "../../../view/texts/changes/change-preview.ts";
import { proposedChanges } from "../../../view/texts/changes/change-preview.ts";

/**
 * Returns the change that a call would make, as quoted lines: the engine's diff, else the call's own arguments.
 *
 * Control characters and length hide nothing (PERM-06, TUI-07). Empty for calls that change no file's text.
 */
export function changeText(
  request: Pick<PayloadOf<"PermissionRequested">, "args" | "diff" | "preview">,
): readonly string[] {
  const { args, diff, preview } = request;
  const lines = diff === undefined ? proposedChanges(preview, args).flatMap(linesOf) : diff.split("\n");
  return lines.map((line) => `| ${reveal(line)}`);
}

function linesOf({ before, after, everywhere }: ProposedChange): readonly string[] {
  if (before === undefined) return marked("+", after);
  return [`@@ ${everywhere ? "everywhere" : "once"} @@`, ...marked("-", before), ...marked("+", after)];
}

function marked(mark: string, text: string): readonly string[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`);
}

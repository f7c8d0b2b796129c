import type { ShellLine } from "../../../../view/slash/shell-line.ts";
import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";

const MODE = "shell";

/** Returns the row above a draft that is a command for the shell: it says if the model sees the command. */
export function shellLabel({ toModel }: Pick<ShellLine, "toModel">, columns: number): DrawnRow {
  const text = toModel
    ? " · the model sees the command and its output · !! hides them"
    : " · hidden from the model";
  return row([
    span(cutEnd(MODE, columns), { role: "warning", isBold: true }),
    span(cutEnd(text, Math.max(0, columns - MODE.length)), { role: "dim" }),
  ]);
}

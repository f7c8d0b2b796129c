import type { Host } from "./host.ts";

const LESS = "less -R";
const VERSION_BYTES_MAX = 65_536;

/** Returns the command of the person's editor: `$VISUAL`, `$EDITOR`, else vi. */
export function editorOf({ environment }: Pick<Host, "environment">): string {
  const { VISUAL = "", EDITOR = "" } = environment;
  return VISUAL.trim() || EDITOR.trim() || "vi";
}

/** Returns the command of the person's pager: `$PAGER`, else less where it is installed, else more. */
export async function pagerOf(host: Pick<Host, "environment" | "output">): Promise<string> {
  const { PAGER = "" } = host.environment;
  if (PAGER.trim() !== "") return PAGER.trim();
  return (await host.output(["less", "--version"], VERSION_BYTES_MAX)) === undefined ? "more" : LESS;
}

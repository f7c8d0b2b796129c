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
  const { environment } = host;
  const { PAGER = "" } = environment;
  if (PAGER.trim() !== "") return PAGER.trim();
  if ((await host.output(["less", "--version"], VERSION_BYTES_MAX)) === undefined) return "more";
  return hasCharset(environment) ? LESS : `LESSCHARSET=utf-8 ${LESS}`;
}

/** Returns false in a C locale, as in most containers: less would show the bytes of each sign in place of it. */
function hasCharset({ LESSCHARSET, LC_ALL, LC_CTYPE, LANG }: Host["environment"]): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "C";
  return LESSCHARSET !== undefined || (locale !== "C" && locale !== "POSIX");
}

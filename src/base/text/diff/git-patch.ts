import { pathBytes } from "../../files/path-text.ts";
import type { TextHunk } from "./hunks.ts";

/** One side of a changed file. */
export interface PatchSide {
  /** Below the folder to apply the patch in, as `pathText` writes it. */
  readonly path: string;
  /** Mode in git: 100644, 100755, or 120000 for a link, whose target is its text. */
  readonly mode: string;
}

/** The change of one file. A side is absent if there is no file. */
export interface FilePatch {
  readonly old?: PatchSide;
  readonly new?: PatchSide;
  readonly hunks: readonly TextHunk[];
  /** Share of equal lines in percent, of a file that was renamed. */
  readonly similar?: number;
}

/**
 * Renders a patch of one file as `git apply` and `patch` read it. Patches of several files can be joined.
 *
 * The change of a file into a link or back needs two patches: see `isOtherType`.
 */
export function gitPatch({ old, new: now, hunks, similar }: FilePatch): string {
  const [from, to] = [old ?? now, now ?? old];
  if (from === undefined || to === undefined) return "";
  const lines = [`diff --git ${quoted(`a/${from.path}`)} ${quoted(`b/${to.path}`)}`];
  if (old === undefined) lines.push(`new file mode ${to.mode}`);
  else if (now === undefined) lines.push(`deleted file mode ${old.mode}`);
  else {
    if (old.mode !== now.mode) lines.push(`old mode ${old.mode}`, `new mode ${now.mode}`);
    if (old.path !== now.path) {
      lines.push(`similarity index ${similar ?? 100}%`);
      lines.push(`rename from ${quoted(old.path)}`, `rename to ${quoted(now.path)}`);
    }
  }
  if (hunks.length > 0) {
    lines.push(`--- ${old === undefined ? "/dev/null" : named(`a/${old.path}`)}`);
    lines.push(`+++ ${now === undefined ? "/dev/null" : named(`b/${now.path}`)}`);
  }
  for (const { old_start, old_lines, new_start, new_lines, lines: shown } of hunks) {
    lines.push(`@@ -${old_start},${old_lines} +${new_start},${new_lines} @@`, ...shown);
  }
  return `${lines.join("\n")}\n`;
}

/** Returns true if one side is a link and the other is none. */
export function isOtherType({ old, new: now }: Pick<FilePatch, "old" | "new">): boolean {
  if (old === undefined || now === undefined) return false;
  return old.mode.slice(0, 3) !== now.mode.slice(0, 3);
}

/** Ends a name with a blank in it by a tab, as git does: `patch` takes what stands behind a blank for a time. */
function named(path: string): string {
  const name = quoted(path);
  return name.includes(" ") && !name.startsWith('"') ? `${name}\t` : name;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** Quotes a name as git does with its default settings: control characters, and bytes that are not ASCII. */
function quoted(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path) && !/["\\]/.test(path)) return path;
  const bytes = pathBytes(path);
  let text = "";
  for (const byte of typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes) {
    const character = String.fromCharCode(byte);
    if (byte >= 0x20 && byte <= 0x7e) text += ESCAPES[character] ?? character;
    else text += ESCAPES[character] ?? `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `"${text}"`;
}

import { decode } from "../../../base/text/text.ts";
import { showHidden } from "../../../safety/hidden.ts";
import type { ChangeClass, FileChange, TrustKind } from "../../../session/guard/trust.ts";
import { markdownParts } from "./markdown-parts.ts";

/** Classes of changes by their possible effect, the least first ([A] hard rule 13, TOFU-03). */
export const CHANGE_CLASSES: readonly ChangeClass[] = [
  "metadata-only",
  "prose",
  "code-adjacent",
  "executable",
];

/** Returns the highest class among the changes of one item. */
export function classOfChanges(kind: TrustKind, changes: readonly FileChange[]): ChangeClass {
  const ranks = changes.map((change) => CHANGE_CLASSES.indexOf(classOfChange(kind, change)));
  return CHANGE_CLASSES[Math.max(0, ...ranks)] ?? "executable";
}

/**
 * Returns the class of a change, by fixed rules; in doubt the higher one.
 *
 * Executable: anything that is run, by itself or by its name in a declaration; the executable bit; anything that is
 * not text; anything that cannot be compared because its previous text is missing. Code-adjacent: configuration, and
 * in Markdown anything that can be run or followed: code, links, tags, commands, frontmatter, and invisible
 * characters. Prose: the words around it, and the blanks at the ends of lines. Metadata-only: LF or CR LF, a byte
 * order mark, empty lines, and a version, date or licence in the frontmatter of a format that has these.
 */
export function classOfChange(kind: TrustKind, { path, before, after }: FileChange): ChangeClass {
  const [was, is] = [before?.bytes, after?.bytes];
  if (before?.executable === true || after?.executable === true) return "executable";
  if (kind === "hook" || kind === "mcp" || kind === "plugin" || isProgram(path)) return "executable";
  if ((before !== undefined && was === undefined) || isBinary(was) || isBinary(is)) return "executable";
  if (startsProgram(was) || startsProgram(is)) return "executable";
  if (was === undefined || is === undefined || !isMarkdown(kind, path)) return "code-adjacent";
  return classOfMarkdown(decode(was), decode(is), { frontmatter: kind !== "context-file" });
}

function classOfMarkdown(
  before: string,
  after: string,
  options: { readonly frontmatter: boolean },
): ChangeClass {
  if (hiddenIn(after) !== hiddenIn(before)) return "code-adjacent";
  const [was, is] = [markdownParts(before, options), markdownParts(after, options)];
  if (!sameLines(was.code, is.code)) return "code-adjacent";
  return sameLines(was.prose, is.prose) ? "metadata-only" : "prose";
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}

/**
 * Returns the invisible characters of a text, in order: hidden characters, and controls except LF, CR LF and tabs.
 */
function hiddenIn(text: string): string {
  return [
    ...[...showHidden(text).matchAll(/\[hidden: [^\]]*\]/g)].map(([run]) => run),
    ...[...text.matchAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]|\r(?!\n)/g)].map(([run]) => run),
  ].join("");
}

const MARKDOWN_KINDS: readonly TrustKind[] = ["context-file", "agent", "prompt-template"];

function isMarkdown(kind: TrustKind, path: string): boolean {
  return MARKDOWN_KINDS.includes(kind) || (kind === "skill" && /\.(?:md|mdc|markdown|txt)$/i.test(path));
}

const PROGRAM =
  /(?:^|\/)(?:scripts|bin|hooks)\/|\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|lua|php|js|mjs|cjs|ts|mts|cts|jsx|tsx|exe|dll|so|dylib|wasm|jar|class|awk|applescript)$|(?:^|\/)(?:Makefile|Justfile|Dockerfile|Rakefile|package\.json)$/i;

function isProgram(path: string): boolean {
  return PROGRAM.test(path);
}

function startsProgram(bytes: Uint8Array | undefined): boolean {
  return bytes !== undefined && bytes[0] === 0x23 && bytes[1] === 0x21; // #!
}

function isBinary(bytes: Uint8Array | undefined): boolean {
  return bytes?.includes(0) === true || (bytes !== undefined && decode(bytes).includes("\ufffd"));
}

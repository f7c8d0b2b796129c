/** A Markdown text as two lists: parts that can be run or followed, and the words around them. */
export interface MarkdownParts {
  readonly code: readonly string[];
  readonly prose: readonly string[];
}

// A fence may be in a quotation or a list.
const FENCE = /^([\s>*+\-\d.)]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const INDENTED = /^(?: {4}|\t)\s*(?![*+-]\s|\d+[.)]\s)\S/;
const TAG = /<[a-z/!?]|-->/i;
const LINKED =
  /\]\(|\]:|\]\[|:\/\/|\bwww\.|(?:^|\s)@[\w./~-]|\b[\w-]+\.(?:com|net|org|io|dev|sh|app|co|ai)\b/i;
const SHELL =
  /[|;$]\s?[\w({]|&&|\$\(|(?:^|\s)--?[a-z][\w-]*|(?:^|\s)[A-Z][A-Z0-9_]+=|[>]{1,2}\s*[\w/~.]|\\\s*$/;
const PATHS = /(?:^|[\s("'])(?:~|\.{1,2})?\/[\w.*]|\b[\w-]+\/[\w-]+|\b[\w-]{2,}\.[a-z]\w{0,4}\b|\w\(\)?/;
const COMMANDS =
  /\b(?:sudo|su|doas|curl|wget|bash|sh|zsh|fish|pwsh|powershell|python3?|pip3?|pipx|uvx?|deno|bunx?|npm|npx|pnpm|yarn|corepack|cargo|rustup|gem|bundle|brew|apt|apt-get|dnf|yum|apk|docker|podman|kubectl|helm|terraform|aws|gcloud|az|gh|git|ssh|scp|rsync|nc|ncat|socat|telnet|ftp|chmod|chown|rm|mv|cp|dd|mkfs|mount|kill|pkill|eval|exec|crontab|systemctl|launchctl|osascript|base64|openssl|gpg|xargs|tee|awk|sed|perl|ruby|php|java|javac|gcc|cmake|ninja|bazel|gradle|mvn)\b|\bgo (?:run|install|get|build|test|generate|tool|mod)\b|\bmake\b(?! (?:sure|it|them|the|a|an|your|this|that|these|those|use|changes?|no|any)\b)/;

/**
 * Splits a Markdown text. A line that may contain something to run or to follow counts as code as a whole. So does a
 * sentence that names a file or a command; the only effect is that a person is asked.
 *
 * @param frontmatter true if the format gives its keys a meaning (a skill does). Otherwise all of it is code.
 */
export function markdownParts(
  text: string,
  { frontmatter }: { readonly frontmatter: boolean },
): MarkdownParts {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const parts: { code: string[]; prose: string[] } = { code: [], prose: [] };
  const isEnd = (line: string) => line.trimEnd() === "---";
  const end = isEnd(lines[0] ?? "") ? lines.findIndex((line, at) => at > 0 && isEnd(line)) : -1;
  if (end > 0) {
    parts.code.push(...[lines[0] ?? "", lines[end] ?? ""].filter((line) => line !== "---"));
    readFrontmatter(lines.slice(1, end), frontmatter, parts);
  }
  let fence: Fence | undefined;
  let comment = false;
  for (const line of lines.slice(end + 1)) {
    const [, before = "", mark = "", info = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined || comment || mark !== "" || isCodeLine(line)) addCode(parts, line);
    else addProse(parts.prose, line);
    if (fence === undefined) {
      if (mark !== "") fence = { mark, depth: before.length };
      comment = line.lastIndexOf("<!--") > line.lastIndexOf("-->") || (comment && !line.includes("-->"));
    } else if (closes(fence, { before, mark, info })) fence = undefined;
  }
  while (parts.prose.at(-1) === "") parts.prose.pop();
  return parts;
}

interface Fence {
  readonly mark: string;
  readonly depth: number;
}

/** Returns true if a line closes a fence. In doubt it stays open: what follows then counts as code. */
function closes(
  { mark, depth }: Fence,
  line: { readonly before: string; readonly mark: string; readonly info: string },
): boolean {
  const indented = /^[\s>]*$/.test(line.before) && line.before.length <= depth + 3;
  return indented && line.mark.startsWith(mark) && line.info.trim() === "";
}

function isCodeLine(line: string): boolean {
  return (
    line.includes("`") ||
    [INDENTED, TAG, LINKED, SHELL, PATHS, COMMANDS].some((pattern) => pattern.test(line))
  );
}

/** Stands for a line of code among the words: a sentence that moves to another command changes its meaning. */
const CODE_HERE = "\0";

function addCode(parts: { readonly code: string[]; readonly prose: string[] }, line: string): void {
  parts.code.push(line);
  parts.prose.push(CODE_HERE);
}

/**
 * Adds a line of prose. Several empty lines count as one. A blank at the end of a line stays: two of them break the
 * line, and text hides in them.
 */
function addProse(prose: string[], line: string): void {
  if (line !== "" || (prose.length > 0 && prose.at(-1) !== "")) prose.push(line);
}

const PROSE_KEYS = /^(?:name|title|description):/;
// So narrow that no sentence matches it.
const METADATA = /^(?:version|date|updated|created|license|licence):\s*["']?[\w.+-]{1,32}["']?$/;

function readFrontmatter(
  lines: readonly string[],
  hasMeaning: boolean,
  parts: { readonly code: string[]; readonly prose: string[] },
): void {
  let inProse = false;
  for (const line of lines) {
    if (/^\S/.test(line)) inProse = hasMeaning && PROSE_KEYS.test(line);
    if (hasMeaning && METADATA.test(line)) continue;
    if (inProse && !isCodeLine(line.replace(PROSE_KEYS, ""))) parts.prose.push(line);
    else parts.code.push(line);
  }
}

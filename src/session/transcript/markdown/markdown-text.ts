import { reveal } from "../../../view/terminal/terminal-text.ts";

/** Makes a text safe to read: line ends are newlines, and invisible characters are shown. */
export function showInvisible(text: string): string {
  return reveal(text.replaceAll("\r\n", "\n"));
}

/** Renders a block of code that nothing in the text can end: its fence is longer than any run of backticks in it. */
export function codeBlock(text: string, language: string): string {
  const shown = showInvisible(text);
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  const body = shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`;
  return `${fence}${language}\n${body}${fence}`;
}

/** Renders a word or a line of untrusted text within a line of ours. */
export function codeSpan(text: string): string {
  const shown = showInvisible(text).replaceAll(/\s+/g, " ").trim();
  if (shown === "") return "(empty)";
  const ticks = "`".repeat(longestRun(shown) + 1);
  const space = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${ticks}${space}${shown}${space}${ticks}`;
}

/** Escapes untrusted text for our own HTML, on one line. */
export function escapeHtml(text: string): string {
  return showInvisible(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * Renders untrusted Markdown as a quotation: it looks as its author meant it to, can end nothing of ours, and has no
 * effect outside of itself. HTML is shown as text, and so are pictures, which would be fetched from an address of the
 * author's choice.
 */
export function renderQuotation(text: string): string {
  const lines = defused(showInvisible(text).split("\n").map(withoutTabs));
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

/** Replaces tabs: the width of one at the start of a line depends on what is put before it. */
function withoutTabs(line: string): string {
  return line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "    "));
}

const FENCE = /^(`{3,}(?!.*`)|~{3,})/;
// One of these is a fence or not, depending on the lists and quotations around it.
const DOUBTFUL_FENCE = /^[ >*+\-\d.)]+(?:`{3,}|~{3,})/;

/**
 * Returns the lines with HTML and pictures disabled, except in what is certainly code, where they have no effect.
 * Behind a line that may start a block of code nothing is certain.
 */
function defused(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let fence: string | undefined;
  let isSure = true;
  let isBalanced = true;
  for (const line of lines) {
    if (fence !== undefined) {
      shown.push(line);
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    isSure &&= !DOUBTFUL_FENCE.test(line);
    fence = isSure ? FENCE.exec(line)?.[1] : undefined;
    if (fence !== undefined || line.trim() === "") {
      shown.push(line);
      isBalanced = true; // a paragraph ends here
      continue;
    }
    const read = defusedLine(line, isBalanced && isSure);
    shown.push(read.text);
    isBalanced = read.isBalanced;
  }
  return fence === undefined ? shown : [...shown, fence];
}

function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length;
}

/**
 * Spans of code stay as they are if every line of the paragraph so far has its own backticks in pairs: then the line is
 * read the same wherever a reader starts the paragraph.
 */
function defusedLine(
  line: string,
  wasBalanced: boolean,
): { readonly text: string; readonly isBalanced: boolean } {
  const parts = spansOf(line);
  const isBalanced = wasBalanced && parts.every(({ kind }) => kind !== "open");
  const text = parts
    .map((part) => (part.kind === "code" && isBalanced ? part.text : inert(part.text)))
    .join("");
  return { text: text.replace(/^(\s*)\[(?=[^\]]*\]:)/, "$1\\["), isBalanced }; // it would make links elsewhere
}

function inert(text: string): string {
  return text.replaceAll(/<(?=[A-Za-z/!?])/g, "&lt;").replaceAll("![", "!\\[");
}

interface Span {
  /** "open" begins with backticks that nothing on the line closes. */
  readonly kind: "text" | "code" | "open";
  readonly text: string;
}

function spansOf(line: string): readonly Span[] {
  const spans: Span[] = [];
  const telling = /[\\`]/g;
  let from = 0;
  for (let found = telling.exec(line); found !== null; found = telling.exec(line)) {
    const at = found.index;
    if (found[0] === "\\") {
      telling.lastIndex = at + 2;
      continue;
    }
    const length = runAt(line, at);
    const end = endOfSpan(line, at + length, length);
    spans.push({ kind: "text", text: line.slice(from, at) });
    spans.push({ kind: end === undefined ? "open" : "code", text: line.slice(at, end ?? at + length) });
    from = end ?? at + length;
    telling.lastIndex = from;
  }
  return [...spans, { kind: "text", text: line.slice(from) }];
}

function runAt(line: string, at: number): number {
  const run = /`+/y;
  run.lastIndex = at;
  return run.exec(line)?.[0].length ?? 0;
}

/** Returns the position after the next run of exactly that many backticks. */
function endOfSpan(line: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let found = runs.exec(line); found !== null; found = runs.exec(line)) {
    if (found[0].length === length) return found.index + length;
  }
  return undefined;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

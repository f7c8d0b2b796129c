import { shortened } from "../../../base/text/text.ts";
import { fence } from "../../../safety/fence.ts";
import { visible } from "../../../safety/hidden.ts";

/** What the marks around a foreign text take. */
const MARKS_CHARACTERS = (fence("tool-description", "x") ?? "").length - 1;

/**
 * What a server says of a tool, in one line between the marks of foreign text, in at most `charactersMax` with these.
 * Undefined where it says nothing.
 */
export function foreignText(text: string, charactersMax: number): string | undefined {
  const line = visible(text.toWellFormed().replaceAll(/\s+/g, " ").trim());
  // What is made inert may take more room than it did, so what is too long is cut again.
  for (let room = charactersMax - MARKS_CHARACTERS; room > 0; room = Math.floor(room / 2)) {
    const fenced = fence("tool-description", shortened(line, room));
    if (fenced === undefined) return undefined;
    if (fenced.length <= charactersMax) return fenced;
  }
  return undefined;
}

/** The words between the marks, for a person. */
export function unmarked(text: string): string {
  return text.replace(/^<untrusted-tool-description>\n/, "").replace(/\n<\/untrusted-tool-description>$/, "");
}

/** Whether a text is shown as it is: nothing in it is hidden, and nothing could be taken for a mark of ours. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && visible(text) === text && !/untrusted-/i.test(text);
}

/** What others say as a sentence loses the mark at its end: ours goes on behind it. */
export function halfSentence(text: string): string {
  return text.trimEnd().replace(/[.?!]$/, "");
}

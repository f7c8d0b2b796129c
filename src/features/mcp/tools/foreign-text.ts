import { shortened } from "../../../base/text/text.ts";
import { fence } from "../../../safety/fence.ts";
import { visibleLine } from "../../../safety/hidden.ts";

/** Length of the marks around untrusted text. */
const MARKS_CHARACTERS = (fence("tool-description", "x") ?? "").length - 1;

/**
 * Renders a server's text about a tool as one line between the marks of untrusted text, at most `charactersMax` long
 * with the marks. Returns undefined for an empty text.
 */
export function foreignText(text: string, charactersMax: number): string | undefined {
  const line = visibleLine(text.toWellFormed().replaceAll(/\s+/g, " ").trim());
  // Making text inert may lengthen it, so a text that is too long is cut again.
  for (let room = charactersMax - MARKS_CHARACTERS; room > 0; room = Math.floor(room / 2)) {
    const fenced = fence("tool-description", shortened(line, room));
    if (fenced === undefined) return undefined;
    if (fenced.length <= charactersMax) return fenced;
  }
  return undefined;
}

/** Returns the text between the marks, for a person. */
export function stripMarks(text: string): string {
  return text.replace(/^<untrusted-tool-description>\n/, "").replace(/\n<\/untrusted-tool-description>$/, "");
}

/**
 * Returns true if a text is displayed as it is: it hides nothing and contains nothing that looks like one of our marks.
 */
export function isShownUnchanged(text: string): boolean {
  return text.isWellFormed() && visibleLine(text) === text && !/untrusted-/i.test(text);
}

/** Removes the final punctuation of a sentence from elsewhere, so that our sentence can continue after it. */
export function trimPunctuation(text: string): string {
  return text.trimEnd().replace(/[.?!]$/, "");
}

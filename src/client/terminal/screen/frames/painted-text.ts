import { clustersOf, clusterWidth, displayWidth, isSimple } from "../../../../view/terminal/display-width.ts";

/** Control sequences that a painted row can have: SGR, the two ends of a link, and the marks of a prompt. */
const SEQUENCE = /\u001b(?:\[[0-9;]*m|\](?:8|133);[^\u0007\u001b]*(?:\u001b\\|\u0007))/g;
/** One of them between a character and what belongs to it. */
const SPLIT =
  /\u001b(?:\[[0-9;]*m|\](?:8|133);[^\u0007\u001b]*(?:\u001b\\|\u0007))(?:\p{M}|\p{Emoji_Modifier}|[\u200c\uff9e\uff9f]|\u200d)/u;
/** The same, with the texts between them. */
const TOKENS = /\u001b(?:\[[0-9;]*m|\](?:8|133);[^\u0007\u001b]*(?:\u001b\\|\u0007))|[^\u001b]+|\u001b/g;
/** A letter, digit or sign with nothing but marks over or under it: terminals agree about its width. */
const AGREED =
  /^(?!\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\u2630-\u2637\u268a-\u268f\u3248-\u324f\u4dc0-\u4dff\u{1d300}-\u{1d376}])[\p{L}\p{N}\p{P}\p{S}\p{Zs}]\p{Mn}*$/u;

/** Returns true if a style begins between a character and the marks over or under it. */
export function splitsCharacter(painted: string): boolean {
  return SPLIT.test(painted);
}

/** Returns the text of a painted row without its control sequences. */
export function textOfPainted(painted: string): string {
  return painted.includes("\u001b") ? painted.replaceAll(SEQUENCE, "") : painted;
}

/** Returns the columns that a painted row takes, each part between two control sequences for itself. */
export function paintedWidth(painted: string): number {
  if (!painted.includes("\u001b")) return displayWidth(painted);
  let width = 0;
  for (const [token] of painted.matchAll(TOKENS))
    if (!token.startsWith("\u001b")) width += displayWidth(token);
  return width;
}

/**
 * Returns a painted row, or the end of one, so that each character stands in its column on every terminal: terminals
 * draw joined emoji, flags and joined letters in more columns or fewer than are counted here. The cells of such a
 * character are written blank first, and the cursor is placed again behind it, so that nothing of the old row and
 * nothing of the character stays beside it.
 *
 * The terminal must not wrap at its last column.
 * @param column the column in which it begins, from 0.
 */
export function addressed(painted: string, column = 0): string {
  if (isSimple(textOfPainted(painted))) return painted;
  let shown = "";
  let at = column;
  for (const [token] of painted.matchAll(TOKENS)) {
    if (token.startsWith("\u001b") || isSimple(token)) {
      shown += token;
      if (!token.startsWith("\u001b")) at += displayWidth(token);
      continue;
    }
    for (const { segment } of clustersOf(token)) {
      const width = clusterWidth(segment);
      if (AGREED.test(segment)) shown += segment;
      else {
        const blank = width === 0 ? "" : `${" ".repeat(width)}${columnSequence(at)}`;
        shown += `${blank}${segment}${columnSequence(at + width)}`;
      }
      at += width;
    }
  }
  return shown;
}

/** Returns the sequence that puts the cursor into a column of its row, from 0. */
function columnSequence(column: number): string {
  return `\u001b[${column + 1}G`;
}

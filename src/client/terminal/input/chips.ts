/** A pasted text over these becomes a chip. */
export const CHIP_LINES_MAX = 10;
export const CHIP_CHARACTERS_MAX = 2_000;
/** Chips of one draft; later pastes are inserted as they are. */
export const CHIPS_MAX = 200;

/**
 * The first of the characters that stand for chips in a draft: the end of the last private plane, which no font
 * uses. The chip with number n has the character n - 1 behind it.
 */
const FIRST_POINT = 0x10ff00;
const CHIP = /[\u{10ff00}-\u{10ffc7}]/gu;
const ONLY_CHIP = /^[\u{10ff00}-\u{10ffc7}]$/u;

/** Returns true for the character that stands for a chip. */
export function isChip(character: string): boolean {
  return ONLY_CHIP.test(character);
}

/** Returns true if a text has a character that stands for a chip. */
export function hasChip(text: string): boolean {
  return text.search(CHIP) !== -1;
}

/** Returns the character of a chip by its index, from 0. */
export function chipCharacter(index: number): string {
  return String.fromCodePoint(FIRST_POINT + index);
}

function indexOf(character: string): number {
  return (character.codePointAt(0) ?? 0) - FIRST_POINT;
}

/** Returns a text with plain line breaks, and without characters that would pass for chips. */
export function plainText(text: string): string {
  const lines = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  return lines.includes("\udbff") ? lines.replaceAll(CHIP, "\ufffd") : lines;
}

/** Returns true if a pasted text is so long that it becomes a chip. */
export function isLong(text: string): boolean {
  return text.length > CHIP_CHARACTERS_MAX || linesOf(text, CHIP_LINES_MAX + 1) > CHIP_LINES_MAX;
}

/** Returns the lines of a text; counts no further than to `max`. A line break at the end begins no line. */
function linesOf(text: string, max = Number.POSITIVE_INFINITY): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines < max; at = text.indexOf("\n", at + 1))
    if (at < text.length - 1) lines += 1;
  return lines;
}

/** A pasted text in a draft, shown by its label. */
export interface Chip {
  readonly text: string;
  /** The words that stand for it, as in `[pasted #1: 230 lines]`. */
  readonly label: string;
}

/** Returns the chip with the next number for a pasted text. */
export function chipOf(text: string, chips: readonly Chip[]): Chip {
  return { text, label: `[pasted #${chips.length + 1}: ${sizeOf(text)}]` };
}

/** Returns the chip that a character stands for; undefined if the draft has no such chip. */
export function chipAt(chips: readonly Chip[], character: string): Chip | undefined {
  return chips[indexOf(character)];
}

function sizeOf(text: string): string {
  const lines = linesOf(text);
  return lines > 1 ? `${lines} lines` : `${text.length} characters`;
}

/** Returns the text of a draft with its chips as they were pasted. */
export function expanded(text: string, chips: readonly Chip[]): string {
  if (chips.length === 0 || !text.includes("\udbff")) return text;
  return text.replaceAll(CHIP, (character) => chipAt(chips, character)?.text ?? character);
}

import { ATTACHMENTS_PER_INPUT_MAX } from "../../../../protocol/commands/run-limits.ts";
import type { DraftImage } from "../../images/draft-image.ts";
import { imageLabel, imageLabels } from "../../images/draft-image.ts";

/** A pasted text over these becomes a chip. */
export const CHIP_LINES_MAX = 10;
export const CHIP_CHARACTERS_MAX = 2_000;
/** Chips of one draft; later pastes are inserted as they are. The rest is kept for images. */
export const CHIPS_MAX = 200;
const PASTED_MAX = CHIPS_MAX - 2 * ATTACHMENTS_PER_INPUT_MAX;

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

/** A pasted text or an image in a draft, shown by its label. */
export interface Chip {
  /** Its text in the prompt; of an image its label. */
  readonly text: string;
  /** The words that stand for it, as in `[pasted #1: 230 lines]`. */
  readonly label: string;
  readonly image?: DraftImage;
}

/** A text with the chips that its characters stand for. */
export interface ChippedText {
  readonly text: string;
  readonly chips: readonly Chip[];
}

/** Returns the chip with the next number for a pasted text. */
export function chipOf(text: string, chips: readonly Chip[]): Chip {
  const number = chips.filter(({ image }) => image === undefined).length + 1;
  return { text, label: `[pasted #${number}: ${sizeOf(text)}]` };
}

/** Returns the chip with the next number for an image. */
export function imageChip(image: DraftImage, chips: readonly Chip[]): Chip {
  const number = chips.filter((chip) => chip.image !== undefined).length + 1;
  const label = imageLabel(image, number);
  return { text: label, label, image };
}

/** Returns false if a draft with these chips takes no further one of this kind. */
export function hasRoom(kind: "pasted" | "image", chips: readonly Chip[]): boolean {
  return chips.length < (kind === "pasted" ? PASTED_MAX : CHIPS_MAX);
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
  return expandedBy({ text, chips }, (chip) => chip.text);
}

/** Returns the text of a draft with another text for each chip. */
export function expandedBy({ text, chips }: ChippedText, textOf: (chip: Chip) => string): string {
  if (chips.length === 0 || !text.includes("\udbff")) return text;
  return text.replaceAll(CHIP, (character) => {
    const chip = chipAt(chips, character);
    return chip === undefined ? character : textOf(chip);
  });
}

/** Returns the images of a draft, each once, in the order of their chips in the text. */
export function imagesOf({ text, chips }: ChippedText): readonly DraftImage[] {
  const found = [...text.matchAll(CHIP)].map(([character]) => chipAt(chips, character)?.image);
  return [...new Set(found.filter((image) => image !== undefined))];
}

/** Returns the same text as it can stand in a draft that has chips already, and the chips of both. */
export function joinedChips({ text, chips }: ChippedText, present: readonly Chip[]): ChippedText {
  const all = [...present];
  const known = new Map<Chip, string>();
  const joined = text.replaceAll(CHIP, (character) => {
    const chip = chipAt(chips, character);
    if (chip === undefined) return character;
    const before = known.get(chip);
    if (before !== undefined) return before;
    if (!hasRoom(chip.image === undefined ? "pasted" : "image", all)) return chip.text;
    const next = chipCharacter(all.length);
    all.push(chip.image === undefined ? chipOf(chip.text, all) : imageChip(chip.image, all));
    known.set(chip, next);
    return next;
  });
  return { text: joined, chips: all };
}

/**
 * Returns a sent or kept text with a chip for the label of each image. The first label stands for the first image, and
 * so on; a number that comes again stands for the same one. Images without a label follow at the end.
 */
export function withImageChips(text: string, images: readonly DraftImage[]): ChippedText {
  const chips: Chip[] = [];
  const numbers = new Map<number, string>();
  let shown = "";
  let at = 0;
  const next = (image: DraftImage) => {
    chips.push(imageChip(image, chips));
    return chipCharacter(chips.length - 1);
  };
  const plain = plainText(text);
  for (const { from, to, number } of imageLabels(plain)) {
    const image = images[numbers.size];
    const character = numbers.get(number) ?? (image === undefined ? undefined : next(image));
    if (character === undefined) continue;
    numbers.set(number, character);
    shown += plain.slice(at, from) + character;
    at = to;
  }
  shown += plain.slice(at);
  const rest = images.slice(numbers.size).map(next);
  return { text: rest.length === 0 ? shown : [shown, ...rest].filter(Boolean).join(" "), chips };
}

/** Returns a text that was edited outside, with the chips of its draft where their texts still stand. */
export function folded(text: string, { text: before, chips }: ChippedText): string {
  let shown = plainText(text);
  for (const [index, chip] of chips.entries()) {
    const character = chipCharacter(index);
    if (before.includes(character)) shown = shown.replaceAll(chip.text, () => character);
  }
  return shown;
}

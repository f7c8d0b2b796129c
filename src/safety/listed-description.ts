import { head, shortened } from "../base/text/text.ts";
import { visibleLine } from "./hidden.ts";

/** Limit of a description in a list ([D] b). */
export const LISTED_CHARACTERS_MAX = 250;

/**
 * Returns a description as one line of at most `LISTED_CHARACTERS_MAX` characters, with hidden characters made visible.
 */
export function listedDescription(description: string): string {
  return shortened(visibleLine(head(description, 4 * LISTED_CHARACTERS_MAX)), LISTED_CHARACTERS_MAX - 1);
}

/** Characters of the text that one session adds to its system text. */
export const APPENDED_CHARACTERS_MAX = 20_000;

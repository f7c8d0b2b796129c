/** Limit for the words that a person adds to an answer. */
export const ANSWER_WORDS_CHARACTERS_MAX = 8_192;
/** Limit for the hunks of one question, and so for those that an answer accepts. */
export const ANSWER_HUNKS_MAX = 500;
export const HUNK_ID_CHARACTERS_MAX = 64;

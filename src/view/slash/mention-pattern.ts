/** The at sign starts a word: not an e-mail address, not a decorator after a bracket. Two are no mention. */
const START = String.raw`(?<![\p{L}\p{N}_@./\\-])@(?!@)`;
const BARE = "[^\\s\"'`<>|,;:()[\\]{}]";
const LINES = String.raw`(?::(\d{1,7})(?:-(\d{1,7}))?)?`;

/**
 * Mentions of files in an input (CTX-03). Groups: the path in quotes, the path without them, and the first and the last
 * line behind a colon.
 */
export const MENTION = new RegExp(`${START}(?:"([^"\\n]+)"|(${BARE}+))${LINES}`, "gu");
/** A mention that ends where the text ends, its path still without an end. Groups as of `MENTION`, without lines. */
export const MENTION_BEGUN = new RegExp(`${START}(?:"([^"\\n]*)|(${BARE}*))$`, "u");
/** Characters that end a sentence, and not a path. */
export const SENTENCE_END = /(?<![.!?…])[.!?…]+$/u;

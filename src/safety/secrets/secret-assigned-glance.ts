import type { SearchPosition } from "./scan.ts";

/** Last two letters of names of secrets. */
const ENDINGS = new Set(
  [
    "rd",
    "wd",
    "rt",
    "ss",
    "se",
    "de",
    "et",
    "en",
    "ey",
    "al",
    "on",
    "wt",
    "as",
    "at",
    "in",
    "id",
    "om",
    "ue",
    "ls",
    "ds",
    "th",
    "ts",
    "ig",
    // Endings of words after the name of a secret: prod, dev, live, test, staging, qa, old, new, string, raw, plain,
    // hex, env.
    ...["od", "ev", "ve", "st", "ng", "qa", "ld", "ew", "aw", "ex", "nv", "lt", "ox", "us", "xt", "ge", "tr"],
  ].map(pair),
);

function pair(letters: string): number {
  return letters.charCodeAt(0) * 256 + letters.charCodeAt(1);
}

/**
 * Quick check that a separator may follow a secret's name. Near the floor it is always true: `glanceAt` decides there.
 */
export function mayFollowName(text: string, at: number, floor: number): boolean {
  return at - floor < GLANCE_CHARACTERS || isGlanced(text, at) || mayGoOnEncoded(text, at);
}

/** The same check with the text before the floor; `undecided` if more text may begin base64. */
export function glanceAt(place: SearchPosition): "may" | "no" | "undecided" {
  const { text, at, complete } = place;
  const near = place.behind(GLANCE_CHARACTERS).padStart(GLANCE_CHARACTERS);
  if (isGlanced(near + text.charAt(at), near.length) || isEncoded(text, at)) return "may";
  return mayGoOnEncoded(text, at) && !complete ? "undecided" : "no";
}

/** Checks the last letters of the name before a separator: most names are no secrets'. */
function isGlanced(text: string, at: number): boolean {
  let end = at - 1;
  const least = at - QUICK_CHARACTERS;
  while (end > least && !isNameCode(text.charCodeAt(end))) end--;
  if (end <= least) return false;
  const code = text.charCodeAt(end);
  if (code >= 48 && code <= 57) return true;
  // Lower case: the letters differ from their capitals in one bit.
  if (ENDINGS.has(((text.charCodeAt(end - 1) | 32) * 256) | (code | 32))) return true;
  return text.charCodeAt(at) !== COLON && hasColonBehind(text, at);
}

/** Checks the nearest characters only: `lastIndexOf` would read the whole text for each separator. */
function hasColonBehind(text: string, at: number): boolean {
  const least = Math.max(0, at - TYPE_CHARACTERS_MAX + 1);
  for (let near = at - 1; near >= least; near--) if (text.charCodeAt(near) === COLON) return true;
  return false;
}

/** Maximum of quotes and blanks between a name and its separator. */
const QUICK_CHARACTERS = 24;
/** Maximum length of a type between a name and `=`. */
export const TYPE_CHARACTERS_MAX = 28;
/** Maximum of characters before the separator that the quick check reads. */
const GLANCE_CHARACTERS = 32;
const COLON = 58;

export function isNameCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  );
}

/** Returns true if a line of YAML may continue with base64, or with a block of lines. */
function mayGoOnEncoded(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== COLON) return false;
  return isEncoded(text, at) || text.length - at <= ENCODED_CHARACTERS_MAX;
}

function isEncoded(text: string, at: number): boolean {
  ENCODED.lastIndex = at;
  return ENCODED.test(text);
}

const ENCODED = /:[ \t]{1,8}(?:[>|]-?[ \t]{0,8}\r?\n[ \t]|["']?[A-Za-z0-9+/]{10})/y;
const ENCODED_CHARACTERS_MAX = 24;

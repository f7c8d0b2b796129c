import type { Family } from "./secret-family.ts";
import { DASHED, DOTTED, MARKER_START, NO, UNDECIDED } from "./secret-family.ts";
import { SHAPE_FAMILIES } from "./secret-family-shapes.ts";
import { TOKEN_FAMILIES } from "./secret-family-tokens.ts";

const MARK_CHARACTERS_MAX = 48;
const BODY_CHARACTERS_MAX = 512;
/** Shortest value of letters of both cases and digits. */
const MIXED_CHARACTERS_MIN = 24;
/** Shortest value of small letters and digits, or of capitals and digits. */
const LOWER_CHARACTERS_MIN = 36;
const HEX_CHARACTERS_MIN = 32;

/** Shortest run of hexadecimal digits after a mark that does not suggest a secret. */
const UNTOLD_HEX_CHARACTERS_MIN = 36;
/** Lengths of the usual digests: md5, sha-1, sha-224, sha-256, sha-384, sha-512. */
const DIGEST_CHARACTERS: ReadonlySet<number> = new Set([32, 40, 56, 64, 96, 128]);
/** Shortest part that must look random by itself, in a body of several. */
const PART_CHARACTERS_MIN = 8;
const DOTTED_PART_CHARACTERS_MIN = 20;

/** A mark of an issuer: one to three short groups after a blank, a quote or a separator of an assignment. */
const MARK =
  /(?:^|[\s"'`=:,;([{<>|])((?:[A-Za-z][A-Za-z0-9]{0,11}|\d|\d(?=\d{0,4}[A-Za-z])[A-Za-z0-9]{5,11})(?:[-_.+][A-Za-z0-9]{1,10}){0,2})$/;
/** First of several parts with dots between: an id in base64, which stays. */
const FIRST_PART = /(?:^|[\s"'`=:,;([{<>|/])([A-Za-z0-9_-]{18,40})$/;
/** Words of values that are no secrets: ids, digests, versions, builds. */
const NAMING =
  /(?:^|[-_.])(?:sha\d*|md5|blake\w*|crc\w*|id|uuid|guid|msg|toolu|call|chatcmpl|cmpl|run|req|resp|res|evt|event|file|obj|user|usr|org|proj|cus|sub|in|pi|pm|ch|price|prod|acct|sess|session|thread|asst|step|batch|item|rs|ws|trace|span|commit|rev|build|cache|chunk|layer|image|img|tag|hash|digest|etag|integrity|key|index|main|vendor|app|page|node|linux|darwin|win\d*|v\d+|pub|public|pk|log|tok|task|client|cli|tmp|src|css|pkg|txn|tx|blk|vol|svc)$/i;
/** Words that mean a secret, even if a digest looks the same. */
const TELLING =
  /(?:^|[-_.])(?:sk|pat|pw|secret|token|api|apikey|access|auth|oauth|live|cred|bearer|priv|private)$/i;
/** A group of alternating letters and digits, unlike any word or version: `s4t2ud`, `p8e`. */
const CODED = /(?:^|[-_.+])(?=[A-Za-z0-9]*\d[A-Za-z])[A-Za-z][A-Za-z0-9]{2,}(?:$|[-_.+])/;

/**
 * Matches a short mark and a long random text: `nfp_…`, `tvly-…`, `hawk.….…`, as issuers write keys; and the parts
 * after the first of `ID.PART.PART`. The mark stays, the rest is redacted.
 */
export function randomTokenFamily(): Family {
  return {
    kind: "token",
    prefixes: ["_", "-", "."],
    anywhere: true,
    likely: isFollowedByBody,
    match(place, prefix) {
      const { text, at, complete } = place;
      const start = at + prefix.length;
      const isDotted = prefix === ".";
      const end = (isDotted ? DOTTED : DASHED)(text, start, BODY_CHARACTERS_MAX);
      if (end === text.length && !complete && end < start + BODY_CHARACTERS_MAX) return UNDECIDED;
      if (text[end] === MARKER_START) return NO;
      const body = text.slice(start, end).replace(/[-_.]+$/, "");
      const behind = place.behind(MARK_CHARACTERS_MAX);
      const mark = MARK.exec(behind)?.[1];
      const isKnown = isDotted
        ? isDottedToken(body, mark, behind)
        : mark !== undefined && isDrawn(body, mark);
      if (!isKnown || (mark !== undefined && endsInIssuers(mark + prefix))) return NO;
      if (!complete && isOpenEnding(text.slice(end, end + NO_TOKEN_CHARACTERS_MAX))) return UNDECIDED;
      if (isNoTokenBefore(text.slice(start + body.length, end + NO_TOKEN_CHARACTERS_MAX))) return NO;
      return { kind: "secret", from: start, to: start + body.length };
    },
  };
}

/** Characters after a body that show a file name or a text that was cut off. */
const NO_TOKEN_CHARACTERS_MAX = 32;
const FILE_ENDING = /^\.[a-z]{2,5}\b/;
const CUT_OFF = /^(?:\.\.\.|…)/;

/** Returns true if a body is a file name or was cut off, and so no token. */
function isNoTokenBefore(rest: string): boolean {
  if (CUT_OFF.test(rest)) return true;
  return FILE_ENDING.test(rest) && !marksLikeEndings().some((mark) => rest.startsWith(mark, 1));
}

/** Returns true if more text may turn the rest into a file ending, or a file ending into an issuer's mark. */
function isOpenEnding(rest: string): boolean {
  if (rest.length >= NO_TOKEN_CHARACTERS_MAX) return false;
  if (/^(?:\.[a-z.]*)?$/.test(rest)) return true;
  return rest.startsWith(".") && marksLikeEndings().some((mark) => mark.startsWith(rest.slice(1)));
}

/** Returns issuers' marks that a file ending could begin: `sk-`, `hvs.`, `oauth:`. */
function marksLikeEndings(): readonly string[] {
  endingMarks ??= [...TOKEN_FAMILIES, ...SHAPE_FAMILIES].flatMap(({ prefixes }) =>
    prefixes.filter((prefix) => FILE_ENDING.test(`.${prefix}`) && /[^a-z]/.test(prefix)),
  );
  return endingMarks;
}

let endingMarks: readonly string[] | undefined;

/** A known mark after other letters is part of a word: `xghp_`. */
function endsInIssuers(mark: string): boolean {
  issuers ??= TOKEN_FAMILIES.flatMap(({ prefixes }) => prefixes.filter(({ length }) => length > 3));
  return issuers.some(
    (issuer) =>
      mark.length > issuer.length &&
      /[A-Za-z0-9]$/.test(mark.slice(0, -issuer.length)) &&
      mark.endsWith(issuer),
  );
}

let issuers: readonly string[] | undefined;

/** Quick check that a body may follow: its characters, with a digit. Most separators are followed by a word. */
function isFollowedByBody(text: string, at: number): boolean {
  const most = at + MIXED_CHARACTERS_MIN;
  const dots = text.charCodeAt(at) === DOT;
  let hasDigit = false;
  for (let near = at + 1; near <= most; near++) {
    if (near >= text.length) return true;
    const code = text.charCodeAt(near);
    if (code >= 48 && code <= 57) hasDigit = true;
    else if (
      !isLetterCode(code) &&
      (near === at + 1 || !(code === DASH || code === LINE || (dots && code === DOT)))
    )
      return false;
  }
  return hasDigit;
}

const [DASH, DOT, LINE] = [45, 46, 95];

function isLetterCode(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Returns true for random text: letters, digits and the dashes of base64url after a mark. */
function isDrawn(body: string, mark: string): boolean {
  const telling = TELLING.test(mark);
  if (NAMING.test(mark) && !telling) return false;
  if (telling && UUID.test(body)) return true;
  const [run = ""] = /^[A-Za-z0-9]+/.exec(body) ?? [];
  if (/^[0-9a-f]+$/i.test(run)) return isHexKey(run, mark, telling);
  const { digits, lower, upper } = kindsOf(run);
  if (run.length >= MIXED_CHARACTERS_MIN && isMixed(run)) return true;
  if (digits >= 3 && (lower < 3 || upper < 3) && !isOrdered(run))
    return run.length >= LOWER_CHARACTERS_MIN && changes(run) * 5 >= run.length && lower + upper >= digits;
  return body.length >= MIXED_CHARACTERS_MIN && isMixedText(body);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Accepts hexadecimal digits after a mark that means a secret or is no word, or more than any digest has. */
function isHexKey(run: string, mark: string, telling: boolean): boolean {
  if (run.length < HEX_CHARACTERS_MIN || !/[a-f]/i.test(run) || !/\d/.test(run) || isOrdered(run))
    return false;
  if (telling || CODED.test(mark)) return true;
  return run.length >= UNTOLD_HEX_CHARACTERS_MIN && !DIGEST_CHARACTERS.has(run.length);
}

/** Accepts parts with dots between, one of them long and random, after a mark or a random id. */
function isDottedToken(body: string, mark: string | undefined, behind: string): boolean {
  const first = mark === undefined ? FIRST_PART.exec(behind)?.[1] : undefined;
  if (mark === undefined && (first === undefined || !isMixedText(first))) return false;
  if (mark !== undefined && NAMING.test(mark) && !TELLING.test(mark)) return false;
  return body.split(".").some((part) => part.length >= DOTTED_PART_CHARACTERS_MIN && isMixedText(part));
}

/** Accepts random base64url: both cases and digits throughout, in at least one part. */
function isMixedText(text: string): boolean {
  if (!isMixed(text.replaceAll(/[-_]/g, ""))) return false;
  return text.split(/[-_]/).some((part) => {
    const kinds = kindsOf(part);
    return (
      part.length >= PART_CHARACTERS_MIN &&
      kinds.digits > 0 &&
      kinds.lower > 0 &&
      kinds.upper > 0 &&
      changes(part) * 4 >= part.length
    );
  });
}

/** Accepts alternating cases and digits; with few digits, more changes than camel-case names have. */
function isMixed(text: string): boolean {
  const { digits, lower, upper } = kindsOf(text);
  if (digits === 0 || lower < 3 || upper < 3 || isOrdered(text)) return false;
  return changes(text) * (digits < 3 ? 2 : 4) >= text.length;
}

function kindsOf(text: string): { readonly digits: number; readonly lower: number; readonly upper: number } {
  const number = (kind: RegExp) => text.match(kind)?.length ?? 0;
  return { digits: number(/\d/g), lower: number(/[a-z]/g), upper: number(/[A-Z]/g) };
}

/** Counts the changes between character kinds: many in random text, few in words and numbers. */
function changes(body: string): number {
  return body.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)/g)?.length ?? 0;
}

function isOrdered(body: string): boolean {
  return /abcdef|123456|(.)\1{5}/i.test(body);
}

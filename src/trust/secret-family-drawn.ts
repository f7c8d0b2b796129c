import type { Place } from "./scan.ts";
import type { Family } from "./secret-family.ts";
import { MARKER_START, NO, UNDECIDED } from "./secret-family.ts";
import { TOKEN_FAMILIES } from "./secret-family-tokens.ts";

const MARK_CHARACTERS_MAX = 32;
const BODY_CHARACTERS_MAX = 512;
/** Shortest value of letters of both cases and digits. */
const MIXED_CHARACTERS_MIN = 24;
/** Shortest value of small letters and digits, or of capitals and digits. */
const LOWER_CHARACTERS_MIN = 36;
const HEX_CHARACTERS_MIN = 32;

/** A mark of an issuer: one to three short groups behind a blank, a quote or a separator of an assignment. */
const MARK = /(?:^|[\s"'`=:,;([{<>|])((?:[A-Za-z][A-Za-z0-9]{0,11}|\d)(?:[-_.+][A-Za-z0-9]{1,10}){0,2})$/;
/** Words for values that name something and open nothing: ids, digests, versions, builds. */
const NAMING =
  /(?:^|[-_.])(?:sha\d*|md5|blake\w*|crc\w*|id|uuid|guid|msg|toolu|call|chatcmpl|cmpl|run|req|resp|res|evt|event|file|obj|user|usr|org|proj|cus|sub|in|pi|pm|ch|price|prod|acct|sess|session|thread|asst|step|batch|item|rs|ws|trace|span|commit|rev|build|cache|chunk|layer|image|img|tag|hash|digest|etag|integrity|key|index|main|vendor|app|page|node|linux|darwin|win\d*|v\d+|pub|public|pk|log|tok|task|client|cli)$/i;
/** Words that call something secret, even where a digest would look the same. */
const TELLING =
  /(?:^|[-_.])(?:sk|pat|pw|secret|token|api|apikey|access|auth|oauth|live|cred|bearer|priv|private)$/i;

/**
 * A short mark and a long text that a machine has drawn: `nfp_…`, `tvly-…`, `hawk.….…`, as issuers write keys. The mark
 * stays, the rest goes.
 */
export function drawnToken(): Family {
  return {
    kind: "token",
    prefixes: ["_", "-"],
    anywhere: true,
    likely: isFollowedByRun,
    match(place, prefix) {
      const { text, at, complete } = place;
      const start = at + prefix.length;
      const end = runEnd(text, start);
      if (end === text.length && !complete && end < start + BODY_CHARACTERS_MAX) return UNDECIDED;
      if (text[end] === MARKER_START) return NO;
      const body = text.slice(start, end);
      const mark = markOf(place);
      if (mark === undefined || !isDrawn(body, mark) || endsInIssuers(mark + prefix)) return NO;
      if (NO_TOKEN_BEFORE.test(text.slice(end, end + 8))) return NO;
      return { kind: "secret", from: start, to: end };
    },
  };
}

/** The name of a file, and what its writer has cut off. */
const NO_TOKEN_BEFORE = /^(?:\.[a-z]{2,5}\b|\.\.\.|…)/;

/** A known mark behind other letters is part of a word: `xghp_`. */
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

/** A glance: letters and digits at a few places behind the separator. Most separators are followed by a word. */
function isFollowedByRun(text: string, at: number): boolean {
  if (at + MIXED_CHARACTERS_MIN >= text.length)
    return isRunCode(text.charCodeAt(at + 1)) || at + 1 === text.length;
  for (const step of GLANCES) if (!isRunCode(text.charCodeAt(at + step))) return false;
  return true;
}

const GLANCES: readonly number[] = [12, 20, 6, 24, 16, 1, 9];

function runEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + BODY_CHARACTERS_MAX);
  let at = from;
  while (at < most && isRunCode(text.charCodeAt(at))) at++;
  return at;
}

function isRunCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function markOf(place: Place): string | undefined {
  return MARK.exec(place.behind(MARK_CHARACTERS_MAX))?.[1];
}

function isDrawn(body: string, mark: string): boolean {
  const telling = TELLING.test(mark);
  if (NAMING.test(mark) && !telling) return false;
  if (/^[0-9a-f]+$/i.test(body))
    return telling && body.length >= HEX_CHARACTERS_MIN && /[a-f]/i.test(body) && /\d/.test(body);
  const [digits, lower, upper] = [/\d/g, /[a-z]/g, /[A-Z]/g].map((kind) => body.match(kind)?.length ?? 0) as [
    number,
    number,
    number,
  ];
  if (digits < 3 || digits + lower + upper !== body.length || isOrdered(body)) return false;
  if (lower >= 3 && upper >= 3)
    return body.length >= MIXED_CHARACTERS_MIN && changes(body) * 4 >= body.length;
  return body.length >= LOWER_CHARACTERS_MIN && changes(body) * 5 >= body.length && lower + upper >= digits;
}

/** Counts the changes of the kind of character: many in random text, few in words and numbers. */
function changes(body: string): number {
  return body.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)/g)?.length ?? 0;
}

function isOrdered(body: string): boolean {
  return /abcdef|123456|(.)\1{5}/i.test(body);
}

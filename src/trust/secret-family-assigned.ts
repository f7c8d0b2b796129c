import type { Place } from "./scan.ts";
import { BEHIND_CHARACTERS_MAX } from "./scan.ts";
import type { Family, Match } from "./secret-family.ts";
import { NO, UNDECIDED } from "./secret-family.ts";
import { addressPassword, isTokenUser } from "./secret-family-address.ts";
import type { NameClass } from "./secret-value.ts";
import { classOfName, isStandIn, looksDrawn, mayBePassword } from "./secret-value.ts";

/** A value is judged by so many of its first characters. */
const LOOK_CHARACTERS = 64;
/** It is read to its end, up to so many characters. */
const VALUE_CHARACTERS_MAX = 8_192;
const NAME_CHARACTERS_MAX = 64;

/** Names and their values, and the other places where a value is a secret because of what stands before it. */
export const ASSIGNED_FAMILIES: readonly Family[] = [assigned(), addressPassword(), loginOption()];

/**
 * `password = "…"`, `API_KEY=…`, `"clientSecret": "…"`, `Authorization: Basic …`: the name and the quotes stay, the value
 * goes.
 */
function assigned(): Family {
  return {
    kind: "secret",
    prefixes: ["=", ":"],
    anywhere: true,
    likely: mayFollowName,
    match(place) {
      const { text, at, complete } = place;
      const name = nameBehind(place);
      if (name === undefined) return NO;
      const near = place.behind(GLANCE_CHARACTERS).padStart(GLANCE_CHARACTERS);
      if (!isGlanced(near + text.charAt(at), near.length) && !isEncoded(text, at))
        return mayGoOnEncoded(text, at) && !complete ? UNDECIDED : NO;
      const gap = name.class === "kubernetes" ? BLOCK_GAP : name.class === "header" ? HEADER_GAP : GAP;
      const value = valueAfter(text, at + 1, { gap, complete });
      if (value === undefined) return UNDECIDED;
      if (text.startsWith("...", value.to) || text.startsWith("…", value.to)) return NO; // cut off by its writer
      const isLast = /^(?:["'`,\\\s]|$)/.test(text.slice(value.to, value.to + 1));
      return judge(value, name, isLast) ? wholeValue(text, value, complete) : NO;
    },
  };
}

interface Value {
  readonly from: number;
  readonly to: number;
  /** Of a long value its first characters. */
  readonly body: string;
  readonly quote: string | undefined;
  /** The word between the name and the value, with its blank; "" where there is none. */
  readonly scheme: string;
}

interface Name {
  readonly class: NameClass | "header" | "kubernetes" | "query";
}

/** @param isLast the value ends its line or its quotes: what is written about a header goes on. */
function judge({ body, quote, scheme }: Value, name: Name, isLast: boolean): boolean {
  const quoted = quote !== undefined;
  switch (name.class) {
    case "password":
      return mayBePassword(body, quoted);
    case "header":
      if (isStandIn(body) || !/^[^(){}]*[A-Za-z][^(){}]*$/.test(body)) return false;
      return (body.length >= 10 && /\d/.test(body)) || (isLast && SCHEMES.test(scheme) && body.length >= 6);
    case "kubernetes":
      return (
        body.length >= 12 &&
        (body.length % 4 === 0 || body.length === LOOK_CHARACTERS) &&
        /^[A-Za-z0-9+/]+={0,2}$/.test(body)
      );
    case "query":
      return body.length >= QUERY_CHARACTERS_MIN && isDrawnValue(decoded(body), "key", quoted);
    case "login":
      return /^[^\s:]{4,}:[^\s:]{4,}$/.test(body) && !isStandIn(body);
    default:
      if (name.class === "secret" && isScrambled(body)) return true;
      return isDrawnValue(decoded(body), name.class, quoted);
  }
}

function isDrawnValue(body: string, name: NameClass, quoted: boolean): boolean {
  return looksDrawn(body, name) && (quoted || !/[*?%!&|]/.test(body));
}

/** Base64 with its signs percent-encoded, as it stands in the query of an address. */
function decoded(body: string): string {
  return body.replaceAll(/%(?:2[bf]|3d)/gi, (code) => SIGNS.get(code.toLowerCase()) ?? code);
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["%2b", "+"],
  ["%2f", "/"],
  ["%3d", "="],
]);

/** Letters, digits and signs of all kinds in quotes, as frameworks draw keys: no code has so many. */
function isScrambled(body: string): boolean {
  if (body.length < 32 || /[^\x21-\x7e]|\$\{|\{\{|[<>"'`\\]|(.)\1{3}/.test(body)) return false;
  return [/[a-zA-Z]/g, /\d/g, /[^a-zA-Z0-9]/g].every((kind) => (body.match(kind)?.length ?? 0) >= 4);
}

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
    // Of what follows the name of a secret: prod, dev, live, test, staging, qa, old, new, string, raw, plain, hex, env.
    ...["od", "ev", "ve", "st", "ng", "qa", "ld", "ew", "aw", "ex", "nv", "lt", "ox", "us", "xt", "ge", "tr"],
  ].map(pair),
);

function pair(letters: string): number {
  return letters.charCodeAt(0) * 256 + letters.charCodeAt(1);
}

/** Tells by a glance that a separator cannot count; near the floor, `match` looks itself. */
function mayFollowName(text: string, at: number, floor: number): boolean {
  return at - floor < GLANCE_CHARACTERS || isGlanced(text, at) || mayGoOnEncoded(text, at);
}

/** Tells by the last letters of the name before a separator that it may name a secret: most do not. */
function isGlanced(text: string, at: number): boolean {
  let end = at - 1;
  const least = at - QUICK_CHARACTERS;
  while (end > least && !isNameCode(text.charCodeAt(end))) end--;
  if (end <= least) return false;
  const code = text.charCodeAt(end);
  if (code >= 48 && code <= 57) return true;
  // Lower case: the letters differ from their capitals in one bit.
  if (ENDINGS.has(((text.charCodeAt(end - 1) | 32) * 256) | (code | 32))) return true;
  return text.charCodeAt(at) !== COLON && text.lastIndexOf(":", at) > at - TYPE_CHARACTERS_MAX;
}

// A name, its quotes and blanks end within so many characters of the separator.
const QUICK_CHARACTERS = 24;
const TYPE_CHARACTERS_MAX = 28;
/** Most characters before the separator that a glance looks at. */
const GLANCE_CHARACTERS = 32;
const COLON = 58;

function isNameCode(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  );
}

/** Tells that a line of YAML may go on with base64, or with a block of lines. */
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

/** What a type may stand between: `password: str = "…"`. */
const TYPED = /([A-Za-z][A-Za-z0-9_.-]{0,63})["'`]?[ \t]{0,4}:[ \t]{0,4}[A-Za-z_&][\w.<>|[\]&' ]{0,24}$/;
const NAMED_BEFORE =
  /(?:name|key|id)["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z][\w.-]{0,63})["']?[\s,;]{0,24}["']?[\w-]{0,16}value["']?[ \t]{0,8}$/i;
/** The values of a Secret, where its kind or its version stands before them. */
const KUBERNETES_DATA =
  /(?:apiVersion:\s{0,4}["']?v1["']?(?=\s)|kind:\s{0,4}["']?secret["']?(?=\s))[\s\S]*\sdata:[ \t]*\r?\n[ \t]/i;

/** Names of what gives access in the query of an address; elsewhere they mean other things. */
const QUERY = /[?&](?:code|sig|signature)$/i;
const QUERY_CHARACTERS_MIN = 40;

function nameBehind(place: Place): Name | undefined {
  const { text, at } = place;
  const near = place.behind(NAME_CHARACTERS_MAX + 24);
  const name = lastName(near);
  const found = name === "" ? undefined : classes.get(name);
  if (found !== undefined && found.class !== "key") return found;
  if (text[at] === "=" && QUERY.test(near)) return { class: "query" };
  if (found !== undefined) return found;
  if (text[at] === "=" && near.lastIndexOf(":") > near.length - TYPE_CHARACTERS_MAX) {
    const typed = TYPED.exec(near)?.[1];
    if (typed !== undefined) return classes.get(typed);
  }
  const far = place.behind(BEHIND_CHARACTERS_MAX);
  if (!/value$/i.test(name)) {
    return far.includes("data:") && KUBERNETES_DATA.test(far) ? { class: "kubernetes" } : undefined;
  }
  const other = NAMED_BEFORE.exec(far)?.[1];
  return other === undefined ? undefined : classes.get(other);
}

/** The name at the end of a text, without the quotes and blanks behind it. */
function lastName(near: string): string {
  let end = near.length;
  end = skipBack(near, end, { most: 2, over: SEPARATORS });
  end = skipBack(near, end, { most: 16, over: BLANKS });
  end = skipBack(near, end, { most: 2, over: QUOTES });
  const least = Math.max(0, end - NAME_CHARACTERS_MAX);
  let start = end;
  let letter = end; // where the name begins that has the first letter
  while (start > least) {
    const code = near.charCodeAt(start - 1);
    if (!isNameCode(code) && code !== DOT && code !== DASH) break;
    start--;
    if ((code | 32) >= 97 && (code | 32) <= 122) letter = start;
  }
  return near.slice(letter, end);
}

function skipBack(
  text: string,
  from: number,
  { most, over }: { readonly most: number; readonly over: ReadonlySet<number> },
): number {
  let end = from;
  while (end > 0 && from - end < most && over.has(text.charCodeAt(end - 1))) end--;
  return end;
}

const SEPARATORS = codesOf("?:");
const BLANKS = codesOf(" \t");
const QUOTES = codesOf("\"'`]\\");
const [DOT, DASH] = [46, 45];

function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

const NAMES_MAX = 2_000;

/** What names say, kept for those that were seen: a text has few names, each of them often. */
class Classes {
  readonly #known = new Map<string, Name | undefined>();

  get(name: string): Name | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    if (this.#known.size === NAMES_MAX) this.#known.clear();
    const found = /^(?:proxy-)?authorization$/i.test(name) ? "header" : classOfName(name);
    const told: Name | undefined = found === undefined ? undefined : { class: found };
    this.#known.set(name, told);
    return told;
  }
}

const classes = new Classes();

// What may stand between a separator and its value: the rest of `:=`, `=>`, `==`; blanks; the scheme of a header.
const GAP =
  /^[:=>]{0,2}[ \t]{0,32}(?:new\s)?(\\?["'`]|&quot;)?(?:(?:Basic|Bearer|Token|ApiKey|Digest|basic|bearer|token)[ \t]{1,2}(?=[^\s"'`]))?/;
/** Gap between the name of a header made for keys and its value, whatever scheme it names. */
const HEADER_GAP =
  /^[:=>]{0,2}[ \t]{0,32}(?:new\s)?(\\?["'`]|&quot;)?([A-Za-z][A-Za-z0-9_-]{1,24}[ \t]{1,2}(?=[^\s"'`]))?/;
const SCHEMES = /^(?:Basic|Bearer|Token|ApiKey|Api-Key|Digest)\s/i;
const BLOCK_GAP = /^[ \t]{0,8}(?:[>|]-?[ \t]{0,8}\r?\n[ \t]{1,32})?(["']?)/;
const GAP_CHARACTERS_MAX = 64;

/** The beginning of the value; undefined where the text must go on first. */
function valueAfter(
  text: string,
  at: number,
  { gap: pattern, complete }: { readonly gap: RegExp; readonly complete: boolean },
): Value | undefined {
  const ahead = text.slice(at, at + GAP_CHARACTERS_MAX);
  const [gap = "", mark, scheme = ""] = pattern.exec(ahead) ?? [];
  if (gap.length + 12 >= ahead.length && !complete && ahead.length < GAP_CHARACTERS_MAX) {
    if (pattern === BLOCK_GAP || !/[\r\n]/.test(ahead)) return undefined;
  }
  const quote = mark === "" ? undefined : mark;
  const from = at + gap.length;
  const near = valueEnd(text, from, { quote, charactersMax: LOOK_CHARACTERS });
  if (near === text.length && near < from + LOOK_CHARACTERS && !complete) return undefined;
  // What is a value now is a scheme, once something follows its blanks.
  if (!complete && text.length - near <= 2 && text.slice(near).trim() === "") return undefined;
  const tail = near < from + LOOK_CHARACTERS && quote === undefined ? /[.:)\]}]+$/ : /(?!)/;
  const body = text.slice(from, near).replace(tail, "");
  return { from, to: from + body.length, body, quote, scheme };
}

/** The end of a value that was judged by its first characters. */
function wholeValue(text: string, { from, to, quote, body }: Value, complete: boolean): Match {
  if (body.length < LOOK_CHARACTERS) return { kind: "secret", from, to };
  const end = valueEnd(text, from, { quote, charactersMax: VALUE_CHARACTERS_MAX });
  if (end === text.length && end < from + VALUE_CHARACTERS_MAX && !complete) return UNDECIDED;
  return { kind: "secret", from, to: end };
}

/** Where a value ends: at its quote, at the end of the line, or where a value without quotes can go on no further. */
function valueEnd(
  text: string,
  from: number,
  { quote, charactersMax }: { readonly quote: string | undefined; readonly charactersMax: number },
): number {
  const most = Math.min(text.length, from + charactersMax);
  const quoteCode = quote?.charCodeAt(0);
  for (let at = from; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
    if (quote === undefined) {
      if (isBareEnd(text, at, code)) return at;
    } else if (code === quoteCode && text.startsWith(quote, at)) return at;
    if (code === 92 && quote?.length === 1) at++;
  }
  return most;
}

const BARE_ENDS = new Set(Array.from(" \t\"'`,;<>|\\", (character) => character.charCodeAt(0)));
const AND = 38;

function isBareEnd(text: string, at: number, code: number): boolean {
  if (code !== AND) return BARE_ENDS.has(code);
  return /^&\w{1,32}=/.test(text.slice(at, at + 34));
}

const LOGIN =
  /^(?:[ =]{1,2})(?:"([^"\s:]{1,128}):([^"\s]{0,256})"|'([^'\s:]{1,128}):([^'\s]{0,256})'|"?([^\s:"'/]{1,128})"?:["']?([^\s"'/\\]{6,256})["']?)(?=[\s;|&)\\"'`]|$)/;
const LOGIN_CHARACTERS_MAX = 600;

/** Signs that names of accounts do not have, and marks in the middle of tokens do. */
const OTHER_TOKEN = /[~|!].{16}/;

/** `curl -u user:password`, `--user "user:password"`: the password goes, or the user where it stands alone. */
function loginOption(): Family {
  return {
    kind: "password",
    prefixes: ["--user", "-u"],
    match({ text, at, before, complete }, prefix) {
      if (before !== "" && !/\s/.test(before)) return NO;
      const start = at + prefix.length;
      const near = text.slice(start, start + LOGIN_CHARACTERS_MAX);
      const lineEnd = near.search(/[\r\n]/);
      if (lineEnd < 0 && near.length < LOGIN_CHARACTERS_MAX && !complete) {
        // Decided once the argument is followed by something.
        if (!/^[ =]{1,2}(?:"[^"]*"|'[^']*'|[^\s"']+(?:"[^"]*"|'[^']*')?)\s/.test(near)) {
          return /^(?:[ =]|$)/.test(near) ? UNDECIDED : NO;
        }
      }
      const found = LOGIN.exec(near);
      if (found === null) return NO;
      const user = found[1] ?? found[3] ?? found[5] ?? "";
      const password = found[2] ?? found[4] ?? found[6] ?? "";
      const secret = password === "" ? user : password;
      if (password !== "" && OTHER_TOKEN.test(user)) return NO;
      if (isStandIn(secret) || !isChosen(secret)) return NO;
      if (isStandIn(user) && !isStrong(user, secret)) return NO;
      const from = start + found[0].indexOf(secret, password === "" ? 0 : found[0].indexOf(":"));
      // A token in the place of the user would be passed over with it.
      const first = user !== "" && isTokenUser(user) ? start + found[0].indexOf(user) : from;
      return { kind: "secret", from: first, to: from + secret.length };
    },
  };
}

/** Behind a name that manuals use, only what looks drawn is a password. */
function isStrong(user: string, secret: string): boolean {
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(user) || secret.length < 12) return false;
  return looksDrawn(secret, "secret") || /\d[A-Za-z]/.test(secret);
}

/** A password that somebody chose: numbers alone are ids, words alone are places. */
function isChosen(text: string): boolean {
  if (text.length < 6 || !/[A-Za-z]/.test(text)) return false;
  return /\d/.test(text) || (text.length >= 12 && /[a-z][A-Z]/.test(text));
}

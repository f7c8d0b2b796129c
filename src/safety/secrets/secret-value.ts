import { isFilled, isPlaceholder } from "./families/secret-family.ts";

/** Class of a value, by its name. */
export type NameClass =
  /** A password: chosen by a person, so it need not look random. */
  | "password"
  /** A token or similar: generated. */
  | "secret"
  /** A key of some kind; most are no secrets. */
  | "key"
  /** `user:password` in one value. */
  | "login";

const PASSWORD = /^(?:password|passwd|passwort|passphrase|pass|pwd|passcode)$/;
const SECRET =
  /^(?:secret|token|apikey|apitoken|accesskey|accesstoken|authkey|authtoken|secretkey|privatekey|clientsecret|signingkey|encryptionkey|masterkey|authorization|credentials?|creds|secrets|sas|jwt|pat)$/;
const SECRET_KEY_OF =
  /^(?:api|access|secret|private|auth|signing|encryption|master|account|shared|service|license|app|application|client|subscription|webhook|consumer|deploy|hmac|aes|session)$/;
const HARMLESS_KEY_OF =
  /^(?:public|primary|foreign|partition|sort|cache|bucket|schema|object|row|group|routing|idempotency|registry|storage|map|hash|index|translation|message|event|file|query|react|dict|json|yaml|sort|unique|natural|composite|lookup|hot|arrow|return|escape|tab|shift|ctrl|alt|meta|kms|host|known|image|item|entity|record|column|field|dedupe|dedup|commit|hotkey|layer|metric|label|tag|feature|flag|menu|route|page|component|site|recaptcha)$/;
const HARMLESS_TOKEN_OF =
  /^(?:public|csrf|xsrf|next|page|continuation|cancellation|cancel|pagination|syntax|lexer|stop|start|end|eos|bos|pad|unk|mask|sep|design|color|colour|syncs?|change|resume|delta|authenticity|verification|sync)$/;

/** Words after the name of a secret that specify which one, where, or its form. */
const QUALIFIER =
  /^(?:prod|production|live|dev|development|stage|staging|test|testing|qa|sandbox|base|current|old|new|previous|next|default|main|value|val|raw|plain|plaintext|b64|base64|hex|str|string|env|v\d+)$/;
const QUALIFIERS_MAX = 2;

/**
 * Classifies a name such as `AWS_SECRET_ACCESS_KEY`, `db.password2`, `SECRET_KEY_BASE` or `clientSecret`; undefined
 * for any other.
 */
export function classOfName(name: string): NameClass | undefined {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_.\-\s]+/)
    .filter((word) => word !== "");
  for (let most = QUALIFIERS_MAX; most >= 0; most--) {
    const found = classOfWords(words);
    if (found !== undefined || words.length < 2 || !QUALIFIER.test(words.at(-1) ?? "")) return found;
    words.pop();
  }
  return undefined;
}

function classOfWords(all: readonly string[]): NameClass | undefined {
  const words = [...all];
  let last = (words.at(-1) ?? "").replace(/\d+$/, "");
  if (last === "" && words.length > 1) {
    words.pop();
    last = (words.at(-1) ?? "").replace(/\d+$/, "");
  }
  const before = words.at(-2) ?? "";
  if (PASSWORD.test(last) || /(?:password|passwd)$/.test(last)) return "password";
  if (last === "token" || last === "secret") return HARMLESS_TOKEN_OF.test(before) ? undefined : "secret";
  if (SECRET.test(last) || /(?:token|secret|apikey)$/.test(last)) return "secret";
  if (/^(?:accesskey|accessid|login)$/.test(last) || (last === "id" && before === "access")) {
    return /sumo|sonar/.test(words.join("")) ? "secret" : undefined;
  }
  if (last === "auth" || last === "sig") return "key";
  if (last === "com" && words.includes("contribsys")) return "login";
  if (last === "key" || /[a-z]key$/.test(last)) {
    const of = last === "key" ? before : last.slice(0, -3);
    if (SECRET_KEY_OF.test(of)) return "secret";
    return HARMLESS_KEY_OF.test(of) || of === "mon" || of === "tur" ? undefined : "key";
  }
  return undefined;
}

/** Returns true if a whole value beside a name is a secret. */
export function isSecretValue(name: string, value: string): boolean {
  const found = value.length > NAMED_CHARACTERS_MAX ? undefined : classOfName(name);
  if (found === undefined) return false;
  return found === "password" ? mayBePassword(value, true) : found !== "login" && looksRandom(value, found);
}

const NAMED_CHARACTERS_MAX = 4_096;

const STAND_IN =
  /x{5}|\*{3}|\.\.\.|…|<|>|\$\{|\$\(|\{\{|\}\}|%[sdv@](?![a-z0-9])|example|placeholder|redacted|changeme|change[-_]me|replace|insert|dummy|your[-_]?|my[-_]?(?:secret|token|password|key)|(?:^|[-_])(?:foo|bar|baz)(?:$|[-_])|«|»|#{4}/i;
const NAMELIKE =
  /^(?:(?:my|the|some|new|old|test|fake|user|db|admin|super|api|access|client|auth|app|wrong|invalid|valid|correct|bad|good|confirm|current|not|a|no|any|very|top|shared|bearer|refresh|id|session|reset|default|secure|strong)[-_ ]?)*(?:password|passwd|passphrase|pass|pwd|secret|token|key|string|null|none|true|false|undefined|required|optional|hidden|text|credentials?|value|user|username|postgres|mysql|guest|admin|root|test)\d{0,4}!?$/i;

/** Returns true if a text stands for a secret in documentation, or is the name of one. */
export function isPlaceholderValue(value: string): boolean {
  return value.startsWith("$") || STAND_IN.test(value) || NAMELIKE.test(value) || isPlaceholderOf(value);
}

function isPlaceholderOf(value: string): boolean {
  return value.length >= 12 && isFilled(value);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CODE = /^[A-Za-z_$@][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/;
const PLACE = /^(?:\.{0,2}|~|[A-Za-z]:)[/\\]|:\/\/|\.[a-z]{2,4}$|^[\w.-]+\/[\w./-]*\.\w{1,5}$/;

/** Returns true if a value may be a password, judged by itself. */
export function mayBePassword(value: string, quoted: boolean): boolean {
  if (value.length < 6 || /[^\x21-\x7e]/.test(value)) return false;
  const digit = /\d/.test(value);
  const letter = /[A-Za-z]/.test(value);
  if (!letter || !(digit || quoted)) return false; // before the expensive checks
  if (isPlaceholderValue(value) || PLACE.test(value)) return false;
  if (CODE.test(value) && (quoted || isWords(value))) return false;
  if (!quoted) return !isWords(value) && !/[()[\]{}]/.test(value);
  if (digit && letter) return true;
  return letter && (value.length >= 8 || /[!@#$%^&*?+=~]/.test(value)) && !isLabel(value);
}

/**
 * Returns true for one word with or without a capital, as forms show it. `rootpasswd` is none, since no dictionary
 * has it.
 */
function isLabel(value: string): boolean {
  return /^[A-Z]?[a-z]+$/.test(value) && !/.(?:passwd|pwd)/.test(value)
    ? true
    : /^[a-z]+(?:[-_.][a-z]+)+$/i.test(value);
}

/** Returns true if a value looks randomly generated. */
export function looksRandom(value: string, name: NameClass): boolean {
  // The cheapest first: a text may consist of such names and values.
  if (value.length < 8 || !isVaried(value, name)) return false;
  if (/[^\x21-\x7e]|[()[\]{}\\;,"'`<>]/.test(value)) return false;
  if (isPlaceholderValue(value) || CODE.test(value)) return false;
  // The alphabet beside `key` is usually the table of an encoding.
  if (name === "key" && isPlaceholder(value)) return false;
  if (/\//.test(value) && PLACE.test(value) && !isBase64(value)) return false;
  if (UUID.test(value)) return true;
  return !/^[0-9.,:+eE-]+$/.test(value) && !isWords(value);
}

/**
 * Returns true for base64 with a slash in it, as one value in three has: at least one part is longer than a word,
 * and mixed.
 */
function isBase64(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(value)) return false;
  return value.split(/[+/=]/).some((part) => {
    if (part.length < 12 || !/\d/.test(part) || !/[a-z]/.test(part) || !/[A-Z]/.test(part)) return false;
    const changes = part.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)/g)?.length ?? 0;
    return changes * 3 >= part.length;
  });
}

/** Returns true if letters of both cases and digits are as frequent as in random text. */
function isVaried(value: string, name: NameClass): boolean {
  let digits = 0;
  let lower = false;
  let upper = false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (isDigit(code)) digits++;
    else if (isLower(code)) lower = true;
    else if (isUpper(code)) upper = true;
  }
  if (!lower && !upper) return false;
  if (UUID.test(value)) return true;
  if (name === "key")
    return value.length >= 20 && (digits >= 3 || (digits >= 1 && lower && upper && isMixed(value)));
  if (value.length >= 20) return digits >= 1 || (lower && upper && isMixed(value));
  if (value.length >= 12) return digits >= 2 || (digits >= 1 && lower && upper);
  return digits >= 2 && lower && upper;
}

/** Returns true if all parts are words, short numbers or versions: `prod-service-v2`, `DOC_Vector_5_32`. */
function isWords(value: string): boolean {
  let from = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const parted = PART_ENDS.has(code);
    // A capital after a small letter begins a part.
    if (!parted && !(isUpper(code) && at > from && isLower(value.charCodeAt(at - 1)))) continue;
    if (!isPart(value, from, at)) return false;
    from = parted ? at + 1 : at;
  }
  return isPart(value, from, value.length);
}

const PART_ENDS = new Set(Array.from("-_.:/@+=~", (character) => character.charCodeAt(0)));
const WORD_DIGITS_MAX = 3;
const NUMBER_DIGITS_MAX = 10;
const V = 118;

/**
 * Returns true for a word in small letters, with a capital or in capitals, and up to three digits; or a number, with
 * or without a `v`.
 */
function isPart(text: string, from: number, to: number): boolean {
  let at = from;
  while (at < to && isUpper(text.charCodeAt(at))) at++;
  if (at <= from + 1) while (at < to && isLower(text.charCodeAt(at))) at++;
  const letters = at - from;
  while (at < to && isDigit(text.charCodeAt(at))) at++;
  if (at < to) return false;
  const digits = to - from - letters;
  if (letters === 0 || (letters === 1 && text.charCodeAt(from) === V)) return digits <= NUMBER_DIGITS_MAX;
  return digits <= WORD_DIGITS_MAX;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Returns true for capitals inside words, more often than camel-case names have them. */
function isMixed(value: string): boolean {
  const changes = value.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  return changes * 3 >= value.length - 2;
}

import { isWordCharacter } from "../scan.ts";
import { isPlaceholderValue, looksRandom } from "../secret-value.ts";
import type { Family } from "./secret-family.ts";
import { NO, UNDECIDED } from "./secret-family.ts";
import { SHAPE_FAMILIES } from "./secret-family-shapes.ts";
import { TOKEN_FAMILIES } from "./secret-family-tokens.ts";

const USER_INFO_CHARACTERS_MAX = 400;
const PASSWORD_CHARACTERS_MAX = 256;
/** Shortest password without a digit for an account with a generic name, such as `user` or `admin`. */
const CHOSEN_CHARACTERS_MIN = 12;
const TOKEN_CHARACTERS_MIN = 16;
/** Maximum of `@` tried in one address, from the last one back. */
const AT_SIGNS_MAX = 8;
/** Schemes of servers that a program logs in to. Users of such addresses do not encode slashes in passwords. */
const SERVER =
  /(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|mssql|sqlserver|clickhouse|nats|cockroachdb)(?:\+\w{1,16})?$/i;
const EXAMPLE_HOST = /^(?:[\w-]+\.)*(?:example|invalid|test)(?:\.(?:com|org|net))?(?![\w.-])/i;

/**
 * Redacts the password in `scheme://user:password@host`, up to the last `@` before the host. Redacts the token in
 * `scheme://token@host`, and in `scheme://token:x-oauth-basic@host`.
 */
export function addressPasswordFamily(): Family {
  return {
    kind: "password",
    prefixes: ["://"],
    anywhere: true,
    match(place, prefix) {
      const { text, at, complete } = place;
      const start = at + prefix.length;
      const most = Math.min(text.length, start + USER_INFO_CHARACTERS_MAX);
      const ends = SERVER.test(place.behind(32)) ? SERVER_ENDS : NAME_ENDS;
      const stop = nameEnd(text, { from: start, most, ends });
      if (stop === most && most < start + USER_INFO_CHARACTERS_MAX && !complete) return UNDECIDED;
      const found = secretOfAuthority(text.slice(start, stop));
      return found === undefined ? NO : { kind: "secret", from: start + found.from, to: start + found.to };
    },
  };
}

/** Returns the secret before the last `@` that has one before it: text before a later `@` may be no password. */
function secretOfAuthority(near: string): TextRange | undefined {
  let end = near.length;
  for (let count = 0; count < AT_SIGNS_MAX; count++) {
    const at = near.lastIndexOf("@", end - 1);
    if (at < 0 || end === 0) return undefined;
    if (at < near.length - 1) {
      const found = secretOfUser(near.slice(0, at), near.slice(at + 1));
      if (found !== undefined) return found;
    }
    end = at;
  }
  return undefined;
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the secret in the part before a host. */
function secretOfUser(info: string, host: string): TextRange | undefined {
  const colon = info.indexOf(":");
  const user = colon < 0 ? info : info.slice(0, colon);
  const password = colon < 0 ? "" : info.slice(colon + 1);
  if (password === "" || password === "x-oauth-basic")
    return isToken(user) ? { from: 0, to: user.length } : undefined;
  // A port, with the text after it.
  if (/^\d{1,5}[/?#]/.test(password) || password === user) return undefined;
  if (user.includes("@") || user.includes("/")) return undefined;
  if (password.length > PASSWORD_CHARACTERS_MAX || !isGiven(password, { user, host })) return undefined;
  return { from: isTokenUser(user) ? 0 : colon + 1, to: info.length };
}

/** Returns true for a token in the user position: with an issuer's mark, or random. */
export function isTokenUser(user: string): boolean {
  issuers ??= [...TOKEN_FAMILIES, ...SHAPE_FAMILIES].flatMap(({ prefixes }) =>
    prefixes.filter(({ length }) => length >= ISSUER_CHARACTERS_MIN),
  );
  if (user.length < TOKEN_USER_CHARACTERS_MIN) return false;
  return looksRandom(user, "key") || issuers.some((mark) => bears(user, mark));
}

function bears(user: string, mark: string): boolean {
  const at = user.indexOf(mark);
  return at === 0 || (at > 0 && !isWordCharacter(user[at - 1] ?? ""));
}

const TOKEN_USER_CHARACTERS_MIN = 20;
const ISSUER_CHARACTERS_MIN = 3;
let issuers: readonly string[] | undefined;

function isToken(user: string): boolean {
  return user.length >= TOKEN_CHARACTERS_MIN && !user.includes(".") && looksRandom(user, "secret");
}

/** Returns true for a real password, not an example: with a user name from documentation it must look random. */
function isGiven(
  password: string,
  { user, host }: { readonly user: string; readonly host: string },
): boolean {
  if (isPlaceholderValue(password) || isFilledIn(password) || isFilledIn(user)) return false;
  const isMixed = /\d/.test(password) && /[A-Za-z]/.test(password);
  if (password.length < (isMixed ? 5 : 6)) return false;
  if (user === "" || !isPlaceholderValue(user)) return true;
  if (EXAMPLE_HOST.test(host) || !NAMELIKE_USER.test(user)) return false;
  return isMixed || password.length >= CHOSEN_CHARACTERS_MIN;
}

/** Plausible account names; any other user makes the whole address an example. */
const NAMELIKE_USER = /^[A-Za-z][\w.-]{0,63}$/;

/** Returns true for a template: `{password}`, `%PASSWORD%`, `[password]`. */
function isFilledIn(text: string): boolean {
  return /\{[^{}]*\}|^%.*%$|^\[.*\]$|%\(\w*\)s|^\(.*\)$/.test(text) || /^[A-Z]+(?:_[A-Z]+)*$/.test(text);
}

const NAME_ENDS = new Set(Array.from(" \t\r\n/\"'`<>\\", (character) => character.charCodeAt(0)));
const SERVER_ENDS = new Set(Array.from(" \t\r\n\"'`<>\\", (character) => character.charCodeAt(0)));

/** Returns the end of the part of an address that may contain a user and a host. */
function nameEnd(
  text: string,
  { from, most, ends }: { readonly from: number; readonly most: number; readonly ends: ReadonlySet<number> },
): number {
  let at = from;
  while (at < most && !ends.has(text.charCodeAt(at))) at++;
  return at;
}

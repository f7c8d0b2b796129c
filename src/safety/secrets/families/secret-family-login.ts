import { isPlaceholderValue, looksRandom } from "../secret-value.ts";
import type { Family } from "./secret-family.ts";
import { NO, UNDECIDED } from "./secret-family.ts";
import { isTokenUser } from "./secret-family-address.ts";

const LOGIN =
  /^(?:[ =]{1,2})(?:"([^"\s:]{1,128}):([^"\s]{0,256})"|'([^'\s:]{1,128}):([^'\s]{0,256})'|"?([^\s:"'/]{1,128})"?:["']?([^\s"'/\\]{6,256})["']?)(?=[\s;|&)\\"'`]|$)/;
const LOGIN_CHARACTERS_MAX = 600;

/** Signs inside tokens that account names do not have. */
const OTHER_TOKEN = /[~|!].{16}/;

/**
 * Redacts the password in `curl -u user:password` and `--user "user:password"`, or the user if it has no password.
 */
export function loginOptionFamily(): Family {
  return {
    kind: "password",
    prefixes: ["--user", "-u"],
    match({ text, at, before, complete }, prefix) {
      if (before !== "" && !/\s/.test(before)) return NO;
      const start = at + prefix.length;
      const near = text.slice(start, start + LOGIN_CHARACTERS_MAX);
      const lineEnd = near.search(/[\r\n]/);
      if (lineEnd < 0 && near.length < LOGIN_CHARACTERS_MAX && !complete) {
        // Decided when text follows the argument.
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
      if (isPlaceholderValue(secret) || !isChosen(secret)) return NO;
      if (isPlaceholderValue(user) && !isStrong(user, secret)) return NO;
      const from = start + found[0].indexOf(secret, password === "" ? 0 : found[0].indexOf(":"));
      // A token given as the user is redacted too.
      const first = user !== "" && isTokenUser(user) ? start + found[0].indexOf(user) : from;
      return { kind: "secret", from: first, to: from + secret.length };
    },
  };
}

/** Accepts a password for a user name from manuals only if it looks random. */
function isStrong(user: string, secret: string): boolean {
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(user) || secret.length < 12) return false;
  return looksRandom(secret, "secret") || /\d[A-Za-z]/.test(secret);
}

/** Accepts a password that a person chose: numbers alone are ids, words alone are paths. */
function isChosen(text: string): boolean {
  if (text.length < 6 || !/[A-Za-z]/.test(text)) return false;
  return /\d/.test(text) || (text.length >= 12 && /[a-z][A-Z]/.test(text));
}

import { glanceAt, mayFollowName } from "../secret-assigned-glance.ts";
import type { AssignedName } from "../secret-assigned-name.ts";
import { nameBefore } from "../secret-assigned-name.ts";
import type { AssignedValue } from "../secret-assigned-value.ts";
import {
  BLOCK_GAP,
  GAP,
  HEADER_GAP,
  VALUE_HEAD_CHARACTERS,
  valueAfter,
  wholeValue,
} from "../secret-assigned-value.ts";
import type { NameClass } from "../secret-value.ts";
import { isPlaceholderValue, looksRandom, mayBePassword } from "../secret-value.ts";
import type { Family } from "./secret-family.ts";
import { NO, UNDECIDED } from "./secret-family.ts";
import { addressPasswordFamily } from "./secret-family-address.ts";
import { loginOptionFamily } from "./secret-family-login.ts";

/** Families of values that are secret because of the text before them: a name, a scheme, an option. */
export const ASSIGNED_FAMILIES: readonly Family[] = [
  assigned(),
  addressPasswordFamily(),
  loginOptionFamily(),
];

/**
 * Redacts the value in `password = "…"`, `API_KEY=…`, `"clientSecret": "…"` and `Authorization: Basic …`. Leaves the
 * name and the quotes.
 */
function assigned(): Family {
  return {
    kind: "secret",
    prefixes: ["=", ":"],
    anywhere: true,
    likely: mayFollowName,
    match(place) {
      const { text, at, complete } = place;
      const name = nameBefore(place);
      if (name === undefined) return NO;
      const glance = glanceAt(place);
      if (glance !== "may") return glance === "undecided" ? UNDECIDED : NO;
      const gap = name.class === "kubernetes" ? BLOCK_GAP : name.class === "header" ? HEADER_GAP : GAP;
      const value = valueAfter(text, at + 1, { gap, complete });
      if (value === undefined) return UNDECIDED;
      if (text.startsWith("...", value.to) || text.startsWith("…", value.to)) return NO; // cut off by its writer
      const isLast = /^(?:["'`,\\\s]|$)/.test(text.slice(value.to, value.to + 1));
      return judge(value, name, isLast) ? wholeValue(text, value, complete) : NO;
    },
  };
}

const SCHEMES = /^(?:Basic|Bearer|Token|ApiKey|Api-Key|Digest)\s/i;
const QUERY_CHARACTERS_MIN = 40;

/**
 * Returns true if a value is a secret, by the class of its name.
 * @param isLast the value ends its line or its quotes: a sentence about a header continues.
 */
function judge({ body, quote, scheme }: AssignedValue, name: AssignedName, isLast: boolean): boolean {
  const quoted = quote !== undefined;
  switch (name.class) {
    case "password":
      return mayBePassword(body, quoted);
    case "header":
      if (isPlaceholderValue(body) || !/^[^(){}]*[A-Za-z][^(){}]*$/.test(body)) return false;
      return (body.length >= 10 && /\d/.test(body)) || (isLast && SCHEMES.test(scheme) && body.length >= 6);
    case "kubernetes":
      return (
        body.length >= 12 &&
        (body.length % 4 === 0 || body.length === VALUE_HEAD_CHARACTERS) &&
        /^[A-Za-z0-9+/]+={0,2}$/.test(body)
      );
    case "query":
      return body.length >= QUERY_CHARACTERS_MIN && isDrawnValue(decoded(body), "key", quoted);
    case "login":
      return /^[^\s:]{4,}:[^\s:]{4,}$/.test(body) && !isPlaceholderValue(body);
    default:
      if (name.class === "secret" && isScrambled(body)) return true;
      return isDrawnValue(decoded(body), name.class, quoted);
  }
}

function isDrawnValue(body: string, name: NameClass, quoted: boolean): boolean {
  return looksRandom(body, name) && (quoted || !/[*?%!&|]/.test(body));
}

/** Decodes the percent-encoded signs of base64, as in the query of an address. */
function decoded(body: string): string {
  return body.replaceAll(/%(?:2[bf]|3d)/gi, (code) => SIGNS.get(code.toLowerCase()) ?? code);
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["%2b", "+"],
  ["%2f", "/"],
  ["%3d", "="],
]);

/** Accepts letters, digits and signs of all kinds, as frameworks generate keys: no code has so many. */
function isScrambled(body: string): boolean {
  if (body.length < 32 || /[^\x21-\x7e]|\$\{|\{\{|[<>"'`\\]|(.)\1{3}/.test(body)) return false;
  return [/[a-zA-Z]/g, /\d/g, /[^a-zA-Z0-9]/g].every((kind) => (body.match(kind)?.length ?? 0) >= 4);
}

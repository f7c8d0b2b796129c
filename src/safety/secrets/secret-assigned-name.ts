import type { SearchPosition } from "./scan.ts";
import { BEHIND_CHARACTERS_MAX } from "./scan.ts";
import { isNameCode, TYPE_CHARACTERS_MAX } from "./secret-assigned-glance.ts";
import type { NameClass } from "./secret-value.ts";
import { classOfName } from "./secret-value.ts";

const NAME_CHARACTERS_MAX = 64;

/** Class that a name, or its context, gives a value. */
export interface AssignedName {
  readonly class: NameClass | "header" | "kubernetes" | "query";
}

/** A name with its type after it: `password: str = "…"`. */
const TYPED = /([A-Za-z][A-Za-z0-9_.-]{0,63})["'`]?[ \t]{0,4}:[ \t]{0,4}[A-Za-z_&][\w.<>|[\]&' ]{0,24}$/;
const NAMED_BEFORE =
  /(?:name|key|id)["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z][\w.-]{0,63})["']?[\s,;]{0,24}["']?[\w-]{0,16}value["']?[ \t]{0,8}$/i;
/** The data of a Kubernetes Secret, after its kind or its version. */
const KUBERNETES_DATA =
  /(?:apiVersion:\s{0,4}["']?v1["']?(?=\s)|kind:\s{0,4}["']?secret["']?(?=\s))[\s\S]*\sdata:[ \t]*\r?\n[ \t]/i;

/** Names of keys in the query of an address; elsewhere they mean other things. */
const QUERY = /[?&](?:code|sig|signature)$/i;

/** Reads the name before a separator and returns the class of its value; undefined if it has none. */
export function nameBefore(place: SearchPosition): AssignedName | undefined {
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

/** Returns the name at the end of a text, without quotes and blanks after it. */
function lastName(near: string): string {
  let end = near.length;
  end = skipBack(near, end, { most: 2, over: SEPARATORS });
  end = skipBack(near, end, { most: 16, over: BLANKS });
  end = skipBack(near, end, { most: 2, over: QUOTES });
  const least = Math.max(0, end - NAME_CHARACTERS_MAX);
  let start = end;
  let letter = end; // start of the name with the first letter
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

/** A cache of the classes of names: a text repeats few names often. */
class Classes {
  readonly #known = new Map<string, AssignedName | undefined>();

  get(name: string): AssignedName | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    if (this.#known.size === NAMES_MAX) this.#known.clear();
    const found = /^(?:proxy-)?authorization$/i.test(name) ? "header" : classOfName(name);
    const named: AssignedName | undefined = found === undefined ? undefined : { class: found };
    this.#known.set(name, named);
    return named;
  }
}

const classes = new Classes();

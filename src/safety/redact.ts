import type { Secret } from "../base/brand.ts";
import { FAMILIES } from "./secrets/families/secret-families.ts";
import type { LivePrints } from "./secrets/known-prints.ts";
import type { SecretPrint } from "./secrets/known-secret.ts";
import { knownSearch, valueSearch } from "./secrets/known-secret.ts";
import type { PreparedSearch, SecretSearch } from "./secrets/scan.ts";
import { isWordCharacter, prepareSearch, scanText } from "./secrets/scan.ts";
import { isSecretValue } from "./secrets/secret-value.ts";

/**
 * Replaces secrets by `«redacted:KIND»`: first the values of known keys, then everything with the mark of a family
 * ([A] § Storage policy, SES-05 in a first form).
 *
 * Redaction is idempotent. It finds known forms only; it is no boundary.
 */
export interface Redactor {
  text(text: string): string;
  /** Redacts every string of a JSON value, keys too. A value without secrets is returned unchanged. */
  json(value: unknown): unknown;
  /** Redacts text that arrives in pieces, cut anywhere: the result equals `text` of the whole. */
  stream(): RedactingStream;
  /** The fingerprints in use. A text that was found clean is clean only as long as this is the same array. */
  readonly prints: readonly SecretPrint[];
}

export interface RedactingStream {
  /** Returns the decided part. A suffix that may begin a secret is held, at most some 40,000 characters. */
  push(chunk: string): string;
  /** Returns the rest. The stream can then be used for the next text. */
  end(): string;
}

/**
 * Creates a redactor.
 * @param known the fingerprints of keys that this process does not have. Live ones hold from the next text on, and from
 * the next piece of a stream.
 * @param values secrets that it has: those of the user's environment.
 */
export function redactor(
  known: readonly SecretPrint[] | LivePrints,
  values: readonly Secret[] = [],
): Redactor {
  const prints: LivePrints = "all" in known ? known : { all: known };
  shared ??= prepareSearch(familySearch());
  const fixed = [...(values.length === 0 ? [] : [prepareSearch(valueSearch(values))]), shared];
  let prepared = preparedFor(prints.all);
  const plainKeys = new Set<string>();

  function ofKeys(): PreparedSearch | undefined {
    if (prepared.prints === prints.all) return prepared.search;
    prepared = preparedFor(prints.all);
    plainKeys.clear();
    return prepared.search;
  }

  function text(text: string): string {
    const first = ofKeys();
    const rest = first === undefined ? text : scanText(first, text, "", true).out;
    return fixed.reduce((rest, by) => scanText(by, rest, "", true).out, rest);
  }

  /** Events repeat a few keys: those without a secret are not scanned again. */
  function key(key: string): string {
    ofKeys(); // forgets the plain keys if there is a new secret
    if (plainKeys.has(key)) return key;
    const redacted = text(key);
    if (redacted === key && key.length <= KEY_CHARACTERS_MAX && plainKeys.size < KEYS_MAX) plainKeys.add(key);
    return redacted;
  }

  return {
    text,
    get prints() {
      return prints.all;
    },
    json: (value) => redactJson(value, { text, key }),
    stream() {
      const stages = [stage(ofKeys), ...fixed.map((by) => stage(() => by))];
      return {
        push: (chunk) => stages.reduce((rest, { push }) => push(rest), chunk),
        end: () => stages.reduce((rest, { push, end }) => push(rest) + end(), ""),
      };
    },
  };
}

/** Limits of the keys that are remembered. */
const KEYS_MAX = 512;
const KEY_CHARACTERS_MAX = 64;

interface JsonRedaction {
  readonly text: (text: string) => string;
  readonly key: (key: string) => string;
}

/** The family tables are the same for every redactor, and built by the first. */
let shared: PreparedSearch | undefined;

/** The search for known keys as it was prepared, and the fingerprints that it is for. */
interface PreparedPrints {
  readonly prints: readonly SecretPrint[];
  readonly search: PreparedSearch | undefined;
}

function preparedFor(prints: readonly SecretPrint[]): PreparedPrints {
  return { prints, search: prints.length === 0 ? undefined : prepareSearch(knownSearch(prints)) };
}

/** Redacts by one search, which may be another one for each piece; undefined: the text passes. */
function stage(current: () => PreparedSearch | undefined): RedactingStream {
  let pending = "";
  let behind = "";
  return {
    push(chunk) {
      if (chunk === "") return "";
      const by = current();
      if (by === undefined) return chunk; // nothing is pending: fingerprints only become more
      const result = scanText(by, pending + chunk, behind, false);
      pending = result.tail;
      behind = result.behind;
      return result.out;
    },
    end() {
      const by = current();
      const out = by === undefined ? pending : scanText(by, pending, behind, true).out;
      pending = "";
      behind = "";
      return out;
    },
  };
}

interface Mark {
  readonly family: (typeof FAMILIES)[number];
  readonly prefix: string;
}

/** A value is named after a mark of at least this many characters. */
const HEAD_CHARACTERS = 3;

function familySearch(): SecretSearch {
  const marks = FAMILIES.flatMap((family) => family.prefixes.map((prefix) => ({ family, prefix })));
  const byPrefix = Map.groupBy(marks, ({ prefix }) => prefix);
  // Each on demand: for all of them it would add a millisecond to every start of cinch.
  let byHead: ReadonlyMap<string, readonly Mark[]> | undefined;
  function marksByHead(): ReadonlyMap<string, readonly Mark[]> {
    byHead ??= Map.groupBy(
      marks.filter(({ prefix }) => prefix.length >= HEAD_CHARACTERS),
      ({ prefix }) => prefix.slice(0, HEAD_CHARACTERS),
    );
    return byHead;
  }
  const met = new Map<string, readonly Mark[]>();
  function marksAt(start: string): readonly Mark[] {
    const known = met.get(start);
    if (known !== undefined) return known;
    const all: Mark[] = [];
    // The longest prefix first: a text too short for `sk-ant-` may still be another `sk-`.
    for (let length = start.length; length > 0; length--)
      all.push(...(byPrefix.get(start.slice(0, length)) ?? []));
    met.set(start, all);
    return all;
  }
  const anywhere = new Set(marks.flatMap(({ family, prefix }) => (family.anywhere ? [prefix] : [])));
  return {
    starts: [...byPrefix].map(([text, [mark]]) => ({
      text,
      bounded: !anywhere.has(text),
      ...(mark?.family.likely === undefined ? {} : { likely: mark.family.likely }),
    })),
    decide(place) {
      const bounded = isWordCharacter(place.before);
      for (const { family, prefix } of marksAt(place.start)) {
        if (bounded && family.anywhere !== true) continue;
        if (family.likely?.(place.text, place.at, place.floor) === false) continue;
        const match = family.match(place, prefix);
        if (match.kind === "secret") return { ...match, name: kindAt(match.from) ?? family.kind };
        if (match.kind === "undecided") return match;
      }
      return { kind: "no" };

      /** Returns the kind of a value's own mark, if it has one. */
      function kindAt(from: number): string | undefined {
        if (from === place.at) return undefined;
        const blank = place.text[from - 1] === " " || place.text[from - 1] === "\t";
        if (blank && /bearer[ \t]+$/i.test(place.text.slice(Math.max(0, from - 12), from))) return "bearer";
        const head = place.text.slice(from, from + HEAD_CHARACTERS);
        return marksByHead()
          .get(head)
          ?.find(({ prefix }) => place.text.startsWith(prefix, from))?.family.kind;
      }
    },
  };
}

function redactJson(value: unknown, by: JsonRedaction): unknown {
  if (typeof value === "string") return by.text(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => redactJson(item, by));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  let isSame = true;
  const redacted: (readonly [string, unknown])[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const entry = [by.key(key), redactEntry(key, inner, by)] as const;
    isSame &&= entry[0] === key && entry[1] === inner;
    redacted.push(entry);
  }
  return isSame ? value : Object.fromEntries(unique(redacted));
}

/** Redacts a value beside the name of a secret, as in a text. */
function redactEntry(key: string, value: unknown, by: JsonRedaction): unknown {
  if (typeof value === "number" || typeof value === "boolean") return value;
  const redacted = redactJson(value, by);
  if (redacted !== value || typeof value !== "string") return redacted;
  return isSecretValue(key, value) ? "«redacted:secret»" : value;
}

/** Renames keys that became equal, so that none is lost. */
function unique(entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  const seen = new Map<string, number>();
  return entries.map(([key, value]) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return [count === 1 ? key : `${key}#${count}`, value];
  });
}

import type { Secret } from "../../base/brand.ts";
import type { SearchPosition, SecretSearch, SecretVerdict } from "./scan.ts";

/**
 * Fingerprint that finds a secret without its value: its first characters, its length, and a salted hash of the whole.
 *
 * It reveals nothing useful about a random key; therefore short secrets have none.
 */
export interface SecretPrint {
  /** Name in the marker: «redacted:KIND». */
  readonly kind: string;
  readonly start: string;
  readonly characters: number;
  /** Both in hex. */
  readonly salt: string;
  readonly sha256: string;
}

/** A shorter value could be guessed from its fingerprint, and redacting it would also hit ordinary words. */
export const KNOWN_CHARACTERS_MIN = 16;
const START_CHARACTERS = 3;

/** Returns the fingerprints of secrets in every form they may occur in. The salt is new for each set. */
export function fingerprintSecrets(secrets: readonly Secret[], salt: Uint8Array): readonly SecretPrint[] {
  const salted = Buffer.from(salt).toString("hex");
  return secrets.flatMap((secret) => {
    const kind = kindOf(secret);
    return spellings(secret.reveal()).map((text) => ({
      kind,
      start: text.slice(0, START_CHARACTERS),
      characters: text.length,
      salt: salted,
      sha256: hashOf(salted, text),
    }));
  });
}

/** Returns the forms of one key in a text: plain, in JSON, in a URL, in base64, line by line. */
function spellings(value: string): readonly string[] {
  // The last group differs if a newline was encoded with it.
  const base64 = Buffer.from(value, "utf8").toString("base64").slice(0, -4);
  const all = [...value.split(/\s+/), ...escaped(value), base64];
  return [...new Set(all)].filter((text) => text.length >= KNOWN_CHARACTERS_MIN && !/\s/.test(text));
}

function escaped(value: string): readonly string[] {
  return [JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

/** Finds texts with one of these fingerprints. */
export function knownSearch(prints: readonly SecretPrint[]): SecretSearch {
  const longestFirst = [...prints].sort((a, b) => b.characters - a.characters);
  return {
    starts: [...new Set(prints.map(({ start }) => start))].map((text) => ({ text, bounded: false })),
    decide: (place) => decide(longestFirst, place),
  };
}

function decide(prints: readonly SecretPrint[], { text, at, complete }: SearchPosition): SecretVerdict {
  let open = false;
  for (const { kind, start, characters, salt, sha256 } of prints) {
    if (!text.startsWith(start, at)) continue;
    const candidate = text.slice(at, at + characters);
    if (/\s/.test(candidate)) continue; // no fingerprinted text has blanks
    if (candidate.length < characters) open = true;
    else if (hashOf(salt, candidate) === sha256) {
      // A longer match may still come, and takes precedence.
      return open && !complete
        ? { kind: "undecided" }
        : { kind: "secret", name: kind, from: at, to: at + characters };
    }
  }
  return { kind: open && !complete ? "undecided" : "no" };
}

/** Finds secrets with known values: those of the user's environment. They may be shorter than fingerprinted keys. */
export function valueSearch(secrets: readonly Secret[]): SecretSearch {
  const known = secrets.flatMap((secret) =>
    valueSpellings(secret.reveal()).map((spelled) => ({ kind: kindOf(secret), spelled })),
  );
  known.sort((a, b) => b.spelled.length - a.spelled.length);
  const starts = new Set(known.map(({ spelled }) => spelled.slice(0, START_CHARACTERS)));
  return {
    starts: [...starts].map((text) => ({ text, bounded: false })),
    decide({ text, at, complete }) {
      let open = false;
      for (const { kind, spelled } of known) {
        if (text.startsWith(spelled, at)) {
          if (open && !complete) return { kind: "undecided" }; // a longer one may still come
          return { kind: "secret", name: kind, from: at, to: at + spelled.length };
        }
        if (text.length - at < spelled.length && spelled.startsWith(text.slice(at))) open = true;
      }
      return { kind: open && !complete ? "undecided" : "no" };
    },
  };
}

const VALUE_CHARACTERS_MIN = 8;

/**
 * Returns its forms: plain, escaped, in base64 at each of the three offsets that preceding text can cause, and its
 * long words.
 */
function valueSpellings(value: string): readonly string[] {
  const long = value.split(/\s+/).filter((word) => word.length >= KNOWN_CHARACTERS_MIN);
  const encoded = [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, "utf8")]);
    return bytes.toString("base64").slice(offset === 0 ? 0 : offset + 1, -4);
  });
  const all = [value, ...long, ...escaped(value), ...encoded];
  return [...new Set(all)].filter((text) => text.length >= VALUE_CHARACTERS_MIN);
}

function kindOf({ kind }: Secret): string {
  return kind.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
}

function hashOf(salt: string, text: string): string {
  return new Bun.CryptoHasher("sha256").update(salt).update("\0").update(text).digest("hex");
}

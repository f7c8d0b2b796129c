/**
 * What secrets look like that carry their own mark: a fixed prefix, then characters of a known kind.
 *
 * Matching takes time linear in the text, whatever the text is: a candidate that fails has looked at a bounded number
 * of characters, and one that succeeds is consumed.
 */
export interface Family {
  /** What stands in the marker: «redacted:KIND». */
  readonly kind: string;
  /** A secret begins with one of these, where no letter or digit stands before it. */
  readonly prefixes: readonly string[];
  match(candidate: Candidate): Match;
}

/** A place where a prefix stands. */
export interface Candidate {
  readonly text: string;
  readonly at: number;
  readonly prefix: string;
  /** The character before it; "" at the beginning of the text, "»" behind a marker. */
  readonly before: string;
  /** No more text comes. */
  readonly complete: boolean;
}

/** `undecided`: the text ends before it can be told; asked again with more of it. */
export type Match =
  | { readonly kind: "secret"; readonly from: number; readonly to: number }
  | { readonly kind: "no" }
  | { readonly kind: "undecided" };

export const TOKEN_CHARACTERS_MAX = 8_192;
export const KEY_BLOCK_CHARACTERS_MAX = 32_768;
// A decision is made from so many characters, so that a refused candidate costs no more.
const LOOK_CHARACTERS = 48;

const NO: Match = { kind: "no" };
const UNDECIDED: Match = { kind: "undecided" };

const WORD = run("[A-Za-z0-9_]");
const DASHED = run("[A-Za-z0-9_-]");
const DOTTED = run("[A-Za-z0-9_.-]");
const HEADER_VALUE = run("[A-Za-z0-9._~+/-]");

/** Covers the gitleaks rules that `redact.test.ts` lists. */
export const FAMILIES: readonly Family[] = [
  exactly("aws-access-key", ["AKIA", "ASIA", "ABIA", "ACCA"], WORD, 16, (body) => /^[A-Z2-7]+$/.test(body)),
  token("github-token", ["ghp_", "gho_", "ghu_", "ghr_", "github_pat_"], WORD, 36),
  token("github-token", ["ghs_"], DOTTED, 36),
  token("anthropic-key", ["sk-ant-"], DASHED, 32),
  token("openrouter-key", ["sk-or-"], DASHED, 20, hasDigit),
  token("openai-key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], DASHED, 20, hasDigit),
  token("api-key", ["sk-"], DASHED, 20, (body) => /^[A-Za-z0-9]{20}/.test(body) && hasDigit(body)),
  token(
    "stripe-key",
    ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
    WORD,
    10,
    hasDigit,
  ),
  exactly("google-key", ["AIza"], DASHED, 35, () => true),
  token(
    "gitlab-token",
    [
      "glpat-",
      "gldt-",
      "glft-",
      "glsoat-",
      "glrt-",
      "glptt-",
      "glagent-",
      "gloas-",
      "glimt-",
      "glcbt-",
      "glffct-",
    ],
    DOTTED,
    20,
  ),
  token("npm-token", ["npm_"], WORD, 36),
  exactly("huggingface-token", ["hf_", "api_org_"], WORD, 34, () => true),
  token("digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], WORD, 64),
  token("shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_"], WORD, 32),
  token("sendgrid-key", ["SG."], run("[A-Za-z0-9_.=-]"), 66),
  slack(),
  jsonWebToken(),
  bearer(),
  keyBlock(),
];

type Run = (text: string, from: number, charactersMax: number) => number;

/** Where a run of these characters ends that begins at `from`. */
function run(characters: string): Run {
  const patterns = new Map<number, RegExp>();
  return (text, from, charactersMax) => {
    const pattern = patterns.get(charactersMax) ?? new RegExp(`${characters}{0,${charactersMax}}`, "y");
    patterns.set(charactersMax, pattern);
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : from;
  };
}

/** A prefix and at least `bodyMin` characters; the first of them must look like chance, not like a placeholder. */
function token(
  kind: string,
  prefixes: readonly string[],
  characters: Run,
  bodyMin: number,
  accept: (body: string) => boolean = () => true,
): Family {
  const look = Math.max(bodyMin, LOOK_CHARACTERS);
  return {
    kind,
    prefixes,
    match({ text, at, prefix, complete }) {
      const start = at + prefix.length;
      const seen = characters(text, start, look);
      if (seen === text.length && !complete && seen < start + look) return UNDECIDED;
      if (seen - start < bodyMin) return NO;
      const body = text.slice(start, seen);
      if (isPlaceholder(body) || !accept(body)) return NO;
      return endOfToken(text, at, start, characters, complete);
    },
  };
}

function endOfToken(text: string, at: number, start: number, characters: Run, complete: boolean): Match {
  const end = characters(text, start, TOKEN_CHARACTERS_MAX);
  if (end === text.length && !complete && end < start + TOKEN_CHARACTERS_MAX) return UNDECIDED;
  return { kind: "secret", from: at, to: start + text.slice(start, end).replace(/[.-]+$/, "").length };
}

/** A prefix and exactly `length` characters, then one of another kind. */
function exactly(
  kind: string,
  prefixes: readonly string[],
  characters: Run,
  length: number,
  accept: (body: string) => boolean,
): Family {
  return {
    kind,
    prefixes,
    match({ text, at, prefix, complete }) {
      const start = at + prefix.length;
      const end = characters(text, start, length + 1);
      if (end === text.length && !complete && end <= start + length) return UNDECIDED;
      const body = text.slice(start, end);
      if (body.length !== length || isPlaceholder(body) || !accept(body)) return NO;
      return { kind: "secret", from: at, to: end };
    },
  };
}

const SLACK_CHARACTERS_MAX = 512;

/** Groups joined by dashes, one of them a long number; or one very long group (configuration tokens). */
function slack(): Family {
  const groups = run("[A-Za-z0-9-]");
  return {
    kind: "slack-token",
    prefixes: [
      "xoxa-",
      "xoxb-",
      "xoxe-",
      "xoxe.xoxb-",
      "xoxe.xoxp-",
      "xoxo-",
      "xoxp-",
      "xoxr-",
      "xoxs-",
      "xapp-",
    ],
    match({ text, at, prefix, before, complete }) {
      if (continues(before)) return NO;
      const start = at + prefix.length;
      const end = groups(text, start, SLACK_CHARACTERS_MAX);
      if (end === text.length && !complete && end < start + SLACK_CHARACTERS_MAX) return UNDECIDED;
      const body = text.slice(start, end);
      const parts = body.split("-");
      const numbered =
        parts.length > 1 && parts.some((part) => /^\d{8,}$/.test(part)) && (parts.at(-1) ?? "").length >= 8;
      const long = body.length >= 100 && hasDigit(body);
      return (numbered || long) && !isPlaceholder(body) ? { kind: "secret", from: at, to: end } : NO;
    },
  };
}

/** Two to five base64url parts, of which the first begins a JSON object. */
function jsonWebToken(): Family {
  return {
    kind: "jwt",
    prefixes: ["eyJ"],
    match({ text, at, before, complete }) {
      if (continues(before)) return NO;
      let end = at;
      for (let part = 0; part < 5; part++) {
        if (part > 0 && text[end] !== ".") break;
        const start = part === 0 ? at : end + 1;
        const stop = DASHED(text, start, TOKEN_CHARACTERS_MAX);
        if (stop === text.length && !complete && stop < start + TOKEN_CHARACTERS_MAX) return UNDECIDED;
        if (part < 2 && stop - start < 10) return NO;
        if (part >= 2 && stop === start && text[stop] !== ".") break; // the full stop of a sentence
        end = stop;
        if (part === 0 && text[end] !== ".") return NO;
      }
      return { kind: "secret", from: at, to: end };
    },
  };
}

/** `Bearer` and a token: the word stays, the token goes. */
function bearer(): Family {
  return {
    kind: "bearer",
    prefixes: ["Bearer", "bearer", "BEARER"],
    match({ text, at, prefix, complete }) {
      const gap = /^[ \t]*/.exec(text.slice(at + prefix.length, at + prefix.length + 4))?.[0].length ?? 0;
      const start = at + prefix.length + gap;
      if (start === text.length && !complete && gap < 4) return UNDECIDED;
      if (gap === 0) return NO;
      const seen = HEADER_VALUE(text, start, LOOK_CHARACTERS);
      if (seen === text.length && !complete && seen < start + LOOK_CHARACTERS) return UNDECIDED;
      const body = text.slice(start, seen);
      const chance =
        /\d.*\d.*\d/s.test(body) || (/\d/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body));
      if (body.length < 16 || !chance || isPlaceholder(body)) return NO;
      return endOfToken(text, start, start, HEADER_VALUE, complete);
    },
  };
}

const KEY_HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_HEADER_CHARACTERS_MAX = 80;
const KEY_FOOTER = /-----END [A-Z0-9 ]{0,60}-----/y;
const KEY_FOOTER_CHARACTERS_MAX = 80;
const KEY_BODY_MIN = 16;
// The beginning of a block that was cut off: lines of base64, after the headers that encrypted keys have.
const KEY_LINES =
  /(?:(?:\s|\\[nrt])*[A-Za-z-]{1,20}: [^\r\n\\]{0,200}){0,4}(?:(?:\s|\\[nrt])*[A-Za-z0-9+/=]{16,})+/y;

/** The whole block of a private key, or what there is of one that was cut off. */
function keyBlock(): Family {
  return {
    kind: "private-key",
    prefixes: ["-----BEGIN"],
    match({ text, at, complete }) {
      KEY_HEADER.lastIndex = at;
      const header = KEY_HEADER.exec(text)?.[0];
      if (header === undefined) {
        const short = text.length - at < KEY_HEADER_CHARACTERS_MAX;
        const may = short && /^-----BEGIN ?[A-Z0-9 ]*-{0,5}$/.test(text.slice(at));
        return may && !complete ? UNDECIDED : NO;
      }
      const start = at + header.length;
      const found = text.slice(start, start + KEY_BLOCK_CHARACTERS_MAX).indexOf("-----");
      const whole = complete || text.length - start >= KEY_BLOCK_CHARACTERS_MAX + KEY_FOOTER_CHARACTERS_MAX;
      if (found < 0) return whole ? cutOff(text, at, start) : UNDECIDED;
      const bodyEnd = start + found;
      if (
        !complete &&
        text.length - bodyEnd < KEY_FOOTER_CHARACTERS_MAX &&
        !/^-----END[^-]*-----/.test(text.slice(bodyEnd))
      ) {
        return UNDECIDED;
      }
      KEY_FOOTER.lastIndex = bodyEnd;
      const footer = KEY_FOOTER.exec(text)?.[0];
      if (footer === undefined) return cutOff(text, at, start);
      const [body = ""] = text.slice(start, bodyEnd).split("«");
      if (body.replaceAll(/[^A-Za-z0-9+/=]/g, "").length < KEY_BODY_MIN) return NO;
      return { kind: "secret", from: at, to: bodyEnd + footer.length };
    },
  };
}

function cutOff(text: string, at: number, start: number): Match {
  KEY_LINES.lastIndex = 0;
  const lines = KEY_LINES.exec(text.slice(start, start + KEY_BLOCK_CHARACTERS_MAX))?.[0];
  return lines === undefined ? NO : { kind: "secret", from: at, to: start + lines.length };
}

/** Parts of one long run are not candidates of their own where looking at each would cost quadratic time. */
function continues(before: string): boolean {
  return /[A-Za-z0-9_-]/.test(before);
}

function hasDigit(body: string): boolean {
  return /\d/.test(body);
}

const DISTINCT_MIN = 6;

/** `xxxx…`, `aaaa…`, the alphabet: what documentation writes where a secret would stand. */
function isPlaceholder(body: string): boolean {
  const seen = [0, 0, 0, 0];
  let distinct = 0;
  for (let at = 0; at < body.length && distinct < DISTINCT_MIN; at++) {
    const code = body.charCodeAt(at) & 127;
    const word = seen[code >> 5] ?? 0;
    const bit = 1 << (code & 31);
    if ((word & bit) === 0) distinct++;
    seen[code >> 5] = word | bit;
  }
  return distinct < DISTINCT_MIN || /abcdefghijklmnopqrstuvwxyz/i.test(body);
}

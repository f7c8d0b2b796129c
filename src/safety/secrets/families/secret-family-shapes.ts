import { isWordCharacter } from "../scan.ts";
import type { Family, SecretMatch } from "./secret-family.ts";
import {
  characterRun,
  DASHED,
  DECISION_CHARACTERS,
  endOfToken,
  hasDigit,
  isPlaceholder,
  MARKER_START,
  NO,
  SECRET_CHARACTERS_MAX,
  UNDECIDED,
} from "./secret-family.ts";

export const KEY_BLOCK_CHARACTERS_MAX = 32_768;

/** Secrets with a structure: groups, parts, lines. */
export const SHAPE_FAMILIES: readonly Family[] = [
  slack(),
  jsonWebToken(),
  bearer(),
  keyBlock(),
  path("slack-webhook", [
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
  ]),
  path("discord-webhook", ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"]),
  path("teams-webhook", ["webhook.office.com/webhookb2/"]),
  behindName("azure-secret", "Q~", [
    4,
    /(?:^|[^A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\d$/,
    /^[A-Za-z0-9_~.-]{31,34}$/,
  ]),
  behindName("terraform-token", ".atlasv1.", [
    15,
    /(?:^|[^A-Za-z0-9])[A-Za-z0-9]{14}$/,
    /^[A-Za-z0-9_=-]{60,70}$/,
  ]),
  behindName("salesforce-token", "!", [
    16,
    /(?:^|[^A-Za-z0-9])00D[A-Za-z0-9]{12}$/,
    /^[A-Za-z0-9_.-]{90,120}$/,
  ]),
  behindName("telegram-token", ":AA", [11, /(?:^|\D)\d{8,10}$/, /^[A-Za-z0-9_-]{32,33}$/]),
  behindName("facebook-token", "|", [17, /(?:^|\D)\d{15,16}$/, /^[A-Za-z0-9_-]{27,40}$/]),
  flyMacaroon(),
  hexWithPlace("mailchimp-key", [32, /^-us\d{1,2}(?![\w-])/, 6]),
];

const SLACK_CHARACTERS_MAX = 512;

/** Groups joined by dashes, one of them a long number; or one very long group (configuration tokens). */
function slack(): Family {
  const groups = characterRun("[A-Za-z0-9-]");
  return {
    kind: "slack-token",
    prefixes: [
      ...["xoxa-", "xoxb-", "xoxe-", "xoxe.xoxb-", "xoxe.xoxp-"],
      ...["xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
    ],
    match({ text, at, before, complete }, prefix) {
      if (continues(before)) return NO;
      const start = at + prefix.length;
      const end = groups(text, start, SLACK_CHARACTERS_MAX);
      if (end === text.length && !complete && end < start + SLACK_CHARACTERS_MAX) return UNDECIDED;
      const body = text.slice(start, end);
      const parts = body.split("-");
      const numbered =
        parts.length > 1 && parts.some((part) => /^\d{8,}$/.test(part)) && (parts.at(-1) ?? "").length >= 8;
      const long = body.length >= 100 && hasDigit(body);
      // The text after the token in the same run does not matter.
      return (numbered || long) && !isPlaceholder(body.slice(0, DECISION_CHARACTERS))
        ? { kind: "secret", from: at, to: end }
        : NO;
    },
  };
}

/** Matches two to five base64url parts, of which the first begins a JSON object. */
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
        const stop = DASHED(text, start, SECRET_CHARACTERS_MAX);
        if (stop === text.length && !complete && stop < start + SECRET_CHARACTERS_MAX) return UNDECIDED;
        if (part < 2 && stop - start < 10) return NO;
        if (part >= 2 && stop === start && text[stop] !== ".") break; // the full stop of a sentence
        end = stop;
        if (part === 0 && text[end] !== ".") return NO;
      }
      return { kind: "secret", from: at, to: end };
    },
  };
}

const HEADER_VALUE = characterRun("[A-Za-z0-9._~+/=-]");

/** Matches `Bearer` and a token: the word stays, the token is redacted. */
function bearer(): Family {
  return {
    kind: "bearer",
    prefixes: ["Bearer", "bearer", "BEARER"],
    match({ text, at, complete }, prefix) {
      const gap = /^[ \t]*/.exec(text.slice(at + prefix.length, at + prefix.length + 4))?.[0].length ?? 0;
      const start = at + prefix.length + gap;
      if (start === text.length && !complete && gap < 4) return UNDECIDED;
      if (gap === 0) return NO;
      const seen = HEADER_VALUE(text, start, DECISION_CHARACTERS);
      if (seen === text.length && !complete && seen < start + DECISION_CHARACTERS) return UNDECIDED;
      if (text[seen] === MARKER_START) return NO;
      const body = text.slice(start, seen);
      const chance =
        /\d.*\d.*\d/s.test(body) || (/\d/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body));
      if (body.length < 16 || !chance || isPlaceholder(body)) return NO;
      return endOfToken(text, start, { start, characters: HEADER_VALUE, complete });
    },
  };
}

const KEY_HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_HEADER_CHARACTERS_MAX = 80;
const KEY_FOOTER = /-----END [A-Z0-9 ]{0,60}-----/y;
const KEY_FOOTER_CHARACTERS_MAX = 80;
const KEY_BODY_MIN = 16;
/** Matches the whole block of a private key, or the beginning of one that was cut off. */
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
      if (found < 0) return whole ? cutOff(text, at, { start, complete }) : UNDECIDED;
      const bodyEnd = start + found;
      if (
        !complete &&
        text.length - bodyEnd < KEY_FOOTER_CHARACTERS_MAX &&
        !/^-----END[^-]*-----/.test(text.slice(bodyEnd, bodyEnd + KEY_FOOTER_CHARACTERS_MAX))
      ) {
        return UNDECIDED;
      }
      KEY_FOOTER.lastIndex = bodyEnd;
      const footer = KEY_FOOTER.exec(text)?.[0];
      if (footer === undefined) return cutOff(text, at, { start, complete });
      const body = text.slice(start, bodyEnd);
      // A marker in it means that an earlier pass saw no block: it must begin as one that was cut off.
      if (body.includes(MARKER_START) && cutOff(text, at, { start, complete: true }).kind === "no") return NO;
      if (body.replace(/«.*/s, "").replaceAll(/[^A-Za-z0-9+/=]/g, "").length < KEY_BODY_MIN) return NO;
      return { kind: "secret", from: at, to: bodyEnd + footer.length };
    },
  };
}

const BETWEEN_LINES = /(?:\s|\\[nrt])*/y;
const KEY_LINE_HEADER = /[A-Za-z-]{1,20}: [^\r\n\\«]{0,200}/y;
const KEY_LINE_HEADERS_MAX = 4;
const KEY_LINE_CHARACTERS_MIN = 16;
const KEY_LINE = characterRun("[A-Za-z0-9+/=]");

/**
 * Matches the beginning of a block that was cut off: lines of base64, after the headers of encrypted keys.
 *
 * Read step by step: a single pattern would try every division of a line among the headers, for hours.
 */
function cutOff(
  text: string,
  at: number,
  { start, complete }: { readonly start: number; readonly complete: boolean },
): SecretMatch {
  // Text up to the end may continue in the next piece.
  const mayGoOn = !complete && text.length - start < KEY_BLOCK_CHARACTERS_MAX + KEY_FOOTER_CHARACTERS_MAX;
  let end = start;
  for (let count = 0; count < KEY_LINE_HEADERS_MAX; count++) {
    const header = endOf(KEY_LINE_HEADER, text, endOf(BETWEEN_LINES, text, end) ?? end);
    if (header === text.length && mayGoOn) return UNDECIDED;
    if (header === undefined) break;
    // A marker has moved the text after it.
    if (text[header] === MARKER_START) return NO;
    end = header;
  }
  let isKey = end > start && base64Before(text, end) >= KEY_LINE_CHARACTERS_MIN; // all on one line
  while (end < start + KEY_BLOCK_CHARACTERS_MAX) {
    const from = endOf(BETWEEN_LINES, text, end) ?? end;
    const to = KEY_LINE(text, from, SECRET_CHARACTERS_MAX);
    if (to === text.length && mayGoOn) return UNDECIDED;
    if (to - from < KEY_LINE_CHARACTERS_MIN) break;
    isKey = true;
    end = to;
  }
  return isKey ? { kind: "secret", from: at, to: end } : NO;
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Counts the base64 characters right before, up to the relevant maximum. */
function base64Before(text: string, end: number): number {
  return /[A-Za-z0-9+/=]*$/.exec(text.slice(end - KEY_LINE_CHARACTERS_MIN, end))?.[0].length ?? 0;
}

const PATH = characterRun("[A-Za-z0-9_/+=@.-]");
const PATH_MIN = 20;

/** Matches an address that is a credential as a whole: its host stays, its path is redacted. */
function path(kind: string, prefixes: readonly string[]): Family {
  return {
    kind,
    prefixes,
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const seen = PATH(text, start, DECISION_CHARACTERS);
      if (seen === text.length && !complete && seen < start + DECISION_CHARACTERS) return UNDECIDED;
      const body = text.slice(start, seen);
      if (seen - start < PATH_MIN || isPlaceholder(body) || /X{6}|x{6}|\.\.\./.test(body)) return NO;
      return endOfToken(text, start, { start, characters: PATH, complete });
    },
  };
}

const BEHIND_BODY = characterRun("[A-Za-z0-9_~.=-]");

/** Matches a mark inside a token: the name before it stays, the rest is redacted. */
function behindName(
  kind: string,
  mark: string,
  [nameMax, name, shape]: readonly [number, RegExp, RegExp],
): Family {
  return {
    kind,
    prefixes: [mark],
    anywhere: true,
    // A name that ends in a digit or letter precedes it.
    likely: (text, at, floor) => at === floor || isWordCharacter(text[at - 1] ?? ""),
    match(place) {
      const { text, at, complete } = place;
      if (!name.test(place.behind(nameMax + 1))) return NO;
      const start = at + mark.length;
      const seen = BEHIND_BODY(text, start, SECRET_CHARACTERS_MAX);
      if (seen === text.length && !complete && seen < start + SECRET_CHARACTERS_MAX) return UNDECIDED;
      if (text[seen] === MARKER_START) return NO;
      const body = text.slice(start, seen).replace(/[.]+$/, "");
      return shape.test(body) && !isPlaceholder(body)
        ? { kind: "secret", from: at, to: start + body.length }
        : NO;
    },
  };
}

const MACAROON = characterRun("[A-Za-z0-9+/=,_-]");

/** Matches `FlyV1` and one or more tokens: the word stays. */
function flyMacaroon(): Family {
  return {
    kind: "fly-token",
    prefixes: ["FlyV1 "],
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const seen = MACAROON(text, start, DECISION_CHARACTERS);
      if (seen === text.length && !complete && seen < start + DECISION_CHARACTERS) return UNDECIDED;
      if (seen < start + DECISION_CHARACTERS || isPlaceholder(text.slice(start, seen))) return NO;
      return endOfToken(text, start, { start, characters: MACAROON, complete });
    },
  };
}

/** Matches exactly this many hexadecimal digits, followed by a data centre: `…-us12`. */
function hexWithPlace(
  kind: string,
  [digits, place, placeCharacters]: readonly [number, RegExp, number],
): Family {
  const hex = characterRun("[0-9a-f]");
  return {
    kind,
    prefixes: Array.from("0123456789abcdef"),
    // Most words end earlier than the digits could.
    likely: (text, at) => at + digits >= text.length || text.charCodeAt(at + digits) === DASH,
    match({ text, at, complete }) {
      const end = hex(text, at, digits + 1);
      if (end === text.length && !complete && end <= at + digits) return UNDECIDED;
      if (end !== at + digits) return NO;
      const ahead = text.slice(end, end + placeCharacters);
      if (ahead.length < placeCharacters && !complete && /^-?u?s?\d*$/.test(ahead)) return UNDECIDED;
      const [found = ""] = place.exec(ahead) ?? [];
      if (found === "" || !hasDigit(text.slice(at, end)) || isPlaceholder(text.slice(at, end))) return NO;
      return { kind: "secret", from: at, to: end + found.length };
    },
  };
}

const DASH = 45;

/** Returns true inside a long run, whose parts are no candidates: checking each would cost quadratic time. */
function continues(before: string): boolean {
  return /[A-Za-z0-9_-]/.test(before);
}

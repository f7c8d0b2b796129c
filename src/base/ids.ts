import { assert } from "./assert.ts";

/**
 * Public identifiers: a prefix, `_`, and 26 characters of Crockford base32 ([A] § ID formats, BUS-05).
 *
 * 26 characters hold 130 bits and a ULID has 128, so the first character is 0 to 7.
 */
export type SessionId = Id<"sess">;
export type LogId = Id<"log">;
export type CallId = Id<"call">;
export type TokenId = Id<"tok">;
export type ClientId = Id<"cli">;
export type AskId = Id<"ask">;
export type InputId = Id<"inp">;
export type TaskId = Id<"task">;
export type AttachmentId = Id<"att">;

/** Position of an event in its log: 1, 2, 3 … without gaps over all runs of one log; at most 2^53 − 1. */
export type EventSeq = number;

export const ID_PREFIXES = ["sess", "log", "call", "tok", "cli", "ask", "inp", "task", "att"] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

declare const brand: unique symbol;
export type Id<Prefix extends IdPrefix> = string & { readonly [brand]: Prefix };

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ULID_BYTES = 16;
const TIME_BYTES = 6;

/** Returns the anchored pattern of one kind of identifier. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`);
}

const PATTERNS = new Map(ID_PREFIXES.map((prefix) => [prefix, idPattern(prefix)]));

/** Returns true if an untrusted text is an identifier of this kind. */
export function isId<Prefix extends IdPrefix>(prefix: Prefix, text: string): text is Id<Prefix> {
  return PATTERNS.get(prefix)?.test(text) ?? false;
}

/** Creates an identifier from 16 bytes, of which only the lower 128 bits count. */
export function idFromBytes<Prefix extends IdPrefix>(prefix: Prefix, bytes: Uint8Array): Id<Prefix> {
  assert(bytes.length === ULID_BYTES, "an identifier is made of 16 bytes");
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += ALPHABET[Number((value >> shift) & 31n)];
  return `${prefix}_${text}` as Id<Prefix>;
}

/** Source of new identifiers; one per World, so that a seeded run creates the same ones again. */
export interface IdSource {
  next<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
}

/**
 * Creates sortable identifiers: 48 bits of milliseconds, then 80 random bits.
 *
 * Two created in the same millisecond, or after the clock was set back, still sort in order of creation.
 */
export function ulidSource(now: () => number, randomBytes: (count: number) => Uint8Array): IdSource {
  let lastMs = -1;
  let last = new Uint8Array(ULID_BYTES);
  return {
    next(prefix) {
      const ms = Math.floor(now());
      if (ms > lastMs) {
        lastMs = ms;
        last = new Uint8Array(ULID_BYTES);
        writeTime(last, ms);
        last.set(randomBytes(ULID_BYTES - TIME_BYTES), TIME_BYTES);
      } else {
        increment(last);
      }
      return idFromBytes(prefix, last);
    },
  };
}

function writeTime(bytes: Uint8Array, ms: number): void {
  let rest = ms;
  for (let at = TIME_BYTES - 1; at >= 0; at--) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function increment(bytes: Uint8Array): void {
  for (let at = ULID_BYTES - 1; at >= 0; at--) {
    const next = ((bytes[at] ?? 0) + 1) % 256;
    bytes[at] = next;
    if (next !== 0) return;
  }
}

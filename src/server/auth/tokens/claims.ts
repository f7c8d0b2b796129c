import { defined } from "../../../base/defined.ts";
import type { SessionId, TokenId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import { plain } from "../../../base/text/text.ts";
import type { CommandKind } from "../../../protocol/commands/commands.ts";
import type { IdentityClass } from "../../../protocol/connection.ts";
import { COMMAND_KINDS } from "../../../protocol/kinds.ts";
import type { TransportKind } from "../../../session/access/authority.ts";

/** Content of a token (AUTH-01), with the names that stand in it. Times are whole seconds since 1970. */
export interface Claims {
  readonly ver: 1;
  readonly jti: TokenId;
  /** Absent: all sessions. Empty: none. */
  readonly sessions?: readonly SessionId[];
  /** Absent: all commands. Empty: none. */
  readonly commands?: readonly CommandKind[];
  readonly identity_class: IdentityClass;
  readonly nbf: number;
  /** From this second on the token is expired. */
  readonly exp: number;
  readonly can_mint: boolean;
  /** Claims that a reader must know, or refuse the whole token. */
  readonly critical_claims: readonly CriticalClaim[];
  /** The only way in for which it is valid. */
  readonly wire?: TransportKind;
  /** Tokens that it comes from, the nearest last: revoking one of them revokes it. */
  readonly minted_by?: readonly TokenId[];
}

export const CRITICAL_CLAIMS = [
  "sessions",
  "commands",
  "identity_class",
  "exp",
  "nbf",
  "can_mint",
  "wire",
] as const;
export type CriticalClaim = (typeof CRITICAL_CLAIMS)[number];

/** A token travels in a header: its lists are short. */
export const TOKEN_SESSIONS_MAX = 128;
/** Length of a chain of tokens, each minted by the one before. */
export const MINTED_BY_MAX = 8;
const CRITICAL_MAX = 32;
/** The end of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

export const TRANSPORT_KINDS = [
  "unix",
  "loopback",
  "lan",
  "stdio",
] as const satisfies readonly TransportKind[];

/** Claims, or a sentence that names the wrong claim. */
export type ReadResult<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "wrong"; readonly problem: string };

/**
 * Reads claims from parsed JSON. Unknown claims that limit are refused: another version, a critical claim, a command or
 * a way in. Any other unknown claim is ignored.
 */
export function readClaims(value: unknown): ReadResult<Claims> {
  if (!isObject(value)) return wrongClaim("the claims are no JSON object");
  const claim = (name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);
  const ver = claim("ver");
  if (ver !== 1) return wrongClaim(`ver is ${showValue(ver)}, and only 1 is known`);
  const critical = readCritical(claim("critical_claims"));
  if (critical.kind === "wrong") return critical;
  const jti = claim("jti");
  if (typeof jti !== "string" || !isId("tok", jti)) return wrongClaim("jti is not an id of a token");
  const identity = readIdentity(claim("identity_class"));
  if (identity.kind === "wrong") return identity;
  const nbf = claim("nbf");
  const exp = claim("exp");
  if (!isSeconds(nbf)) return wrongClaim("nbf is not a time in whole seconds");
  if (!isSeconds(exp)) return wrongClaim("exp is not a time in whole seconds");
  if (exp <= nbf) return wrongClaim("exp is not after nbf");
  const canMint = claim("can_mint");
  if (typeof canMint !== "boolean") return wrongClaim("can_mint is neither true nor false");
  const limits = readLimits(value);
  if (limits.kind === "wrong") return limits;
  const mintedBy = readList(claim("minted_by"), "minted_by", MINTED_BY_MAX, isTokenId);
  if (mintedBy.kind === "wrong") return mintedBy;
  return {
    kind: "read",
    value: {
      ver: 1,
      jti,
      ...limits.value,
      identity_class: identity.value,
      nbf,
      exp,
      can_mint: canMint,
      critical_claims: critical.value,
      ...defined({ minted_by: mintedBy.value }),
    },
  };
}

/** Limits of a token: the same names in a token and in a request for one. */
export interface TokenLimits {
  readonly sessions?: readonly SessionId[];
  readonly commands?: readonly CommandKind[];
  readonly wire?: TransportKind;
}

export function readLimits(value: { readonly [key: string]: unknown }): ReadResult<TokenLimits> {
  const claim = (name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);
  const sessions = readList(claim("sessions"), "sessions", TOKEN_SESSIONS_MAX, isSessionId);
  if (sessions.kind === "wrong") return sessions;
  const commands = readList(claim("commands"), "commands", COMMAND_KINDS.length, isCommandKind);
  if (commands.kind === "wrong") return commands;
  const wire = claim("wire");
  if (wire !== undefined && !isWire(wire)) return wrongClaim(`wire is none of ${TRANSPORT_KINDS.join(", ")}`);
  return {
    kind: "read",
    value: defined({ sessions: sessions.value, commands: commands.value, wire }),
  };
}

export function readIdentity(value: unknown): ReadResult<IdentityClass> {
  return value === "human" || value === "agent"
    ? { kind: "read", value }
    : wrongClaim('identity_class is neither "human" nor "agent"');
}

function readCritical(value: unknown): ReadResult<readonly CriticalClaim[]> {
  if (!Array.isArray(value) || value.length > CRITICAL_MAX)
    return wrongClaim("critical_claims is not a short list");
  const unknown = value.find((name) => !isCriticalClaim(name));
  if (unknown !== undefined) return wrongClaim(`the critical claim ${showValue(unknown)} is not known here`);
  return { kind: "read", value: value.filter(isCriticalClaim) };
}

/** Reads a list of known entries. An unknown entry may limit what its writer meant. */
function readList<T>(
  value: unknown,
  name: string,
  entriesMax: number,
  isEntry: (entry: unknown) => entry is T,
): ReadResult<readonly T[] | undefined> {
  if (value === undefined) return { kind: "read", value: undefined };
  if (!Array.isArray(value)) return wrongClaim(`${name} is not a list`);
  if (value.length > entriesMax)
    return wrongClaim(`${name} has ${value.length} entries, more than the ${entriesMax} it may have`);
  const entries = value.filter(isEntry);
  const at = value.findIndex((entry) => !isEntry(entry));
  return at < 0
    ? { kind: "read", value: entries }
    : wrongClaim(`${name} has an entry that is not known: ${showValue(value[at])}`);
}

function isSessionId(value: unknown): value is SessionId {
  return typeof value === "string" && isId("sess", value);
}

function isTokenId(value: unknown): value is TokenId {
  return typeof value === "string" && isId("tok", value);
}

function isCommandKind(value: unknown): value is CommandKind {
  return (COMMAND_KINDS as readonly unknown[]).includes(value);
}

function isCriticalClaim(value: unknown): value is CriticalClaim {
  return (CRITICAL_CLAIMS as readonly unknown[]).includes(value);
}

function isWire(value: unknown): value is TransportKind {
  return (TRANSPORT_KINDS as readonly unknown[]).includes(value);
}

function isSeconds(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= SECONDS_MAX;
}

const SHOWN_CHARACTERS_MAX = 40;

/** Renders an untrusted value for an error: short, on one line, and plain. */
export function showValue(value: unknown): string {
  if (value === undefined) return "missing";
  const text = typeof value === "object" ? "a list or an object" : String(JSON.stringify(value));
  return plain(text, SHOWN_CHARACTERS_MAX);
}

export function wrongClaim(problem: string): { readonly kind: "wrong"; readonly problem: string } {
  return { kind: "wrong", problem };
}

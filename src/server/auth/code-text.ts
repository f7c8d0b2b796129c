import type { ClaimsRequest } from "../../session/access/authority.ts";
import { CODE_MS_MAX } from "./token-minting.ts";
import { LIFETIME_MS_DEFAULT } from "./tokens/claims-request.ts";

const HOUR_MS = 3_600_000;
/** Names of sessions and commands that are written out; the rest is counted. */
const NAMED_MAX = 4;

/** Returns the text that asks a person to carry a code: what the token would allow, and what to do if nobody asked. */
export function codeText(code: string, claims: ClaimsRequest): string {
  const { identityClass, sessions, commands, lifetimeMs = LIFETIME_MS_DEFAULT, canMint = false } = claims;
  const may = identityClass === "human" ? "it could answer permission requests" : "it could approve nothing";
  const limits = [
    `class ${identityClass} (${may})`,
    sessions === undefined ? "ALL sessions, those that begin later too" : named("session", sessions),
    commands === undefined ? "every command" : named("command", commands),
    `for ${hours(lifetimeMs)}`,
    ...(canMint ? ["and it could make others"] : []),
  ];
  return `A program asks for a token: ${limits.join(", ")}. If you have asked for it, type this code there within ${CODE_MS_MAX / 1_000} s: ${code}. If not, do nothing.`;
}

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return `no ${what}`;
  const shown = names.slice(0, NAMED_MAX).join(", ");
  const more = names.length - NAMED_MAX;
  return `${names.length === 1 ? what : `${what}s`} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

function hours(ms: number): string {
  return ms < HOUR_MS ? `${Math.ceil(ms / 60_000)} min` : `${Math.round(ms / HOUR_MS)} h`;
}

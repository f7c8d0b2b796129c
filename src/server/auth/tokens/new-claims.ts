import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { TokenId } from "../../../base/ids.ts";
import type { ClaimsRequest, TokenGrant } from "../../../session/access/authority.ts";
import type { Scope } from "../../../session/access/scope.ts";
import { isScopeWithin } from "../../../session/access/scope.ts";
import type { Claims } from "./claims.ts";
import { CRITICAL_CLAIMS, MINTED_BY_MAX } from "./claims.ts";
import { checkedRequest, LIFETIME_MS_DEFAULT } from "./claims-request.ts";

export interface NewTokenFacts {
  readonly jti: TokenId;
  readonly nowMs: number;
}

/**
 * Returns the claims of a new token on the engine's own authority.
 * @throws HarnessError ClaimsInvalid.
 */
export function newClaims(asked: ClaimsRequest, { jti, nowMs }: NewTokenFacts): Claims {
  const { identityClass, sessions, commands, lifetimeMs, canMint, wire } = checkedRequest(asked);
  return {
    ver: 1,
    jti,
    ...defined({ sessions, commands }),
    identity_class: identityClass,
    nbf: Math.floor(nowMs / 1_000),
    exp: Math.floor((nowMs + (lifetimeMs ?? LIFETIME_MS_DEFAULT)) / 1_000),
    can_mint: canMint ?? false,
    ...defined({ wire }),
    critical_claims: CRITICAL_CLAIMS.filter((claim) => claim !== "wire" || wire !== undefined),
  };
}

/**
 * Returns the claims of a token that a holder mints: with no more rights than its own (AUTH-03). Claims that were not
 * asked for are taken over; claims that exceed are refused, never silently reduced.
 * @throws HarnessError MintTooWide, ClaimsInvalid.
 */
export function narrowedClaims(asked: ClaimsRequest, by: TokenGrant, making: NewTokenFacts): Claims {
  if (!by.canMint) throw tooWide("it may make none");
  const mintedBy = [...(by.mintedBy ?? []), by.jti];
  if (mintedBy.length > MINTED_BY_MAX) throw tooWide(`it is the ${MINTED_BY_MAX}th of a row already`);
  if (asked.identityClass === "human" && by.identityClass !== "human")
    throw tooWide("it is of class agent, and human was asked for");
  const scope: Scope = { sessions: asked.sessions ?? "all", commands: asked.commands ?? "all" };
  if (!isScopeWithin({ ...scope, commands: [] }, by.scope))
    throw tooWide(asked.sessions === undefined ? "name the sessions" : "a session is not among its own");
  if (!isScopeWithin({ ...scope, sessions: [] }, by.scope))
    throw tooWide(asked.commands === undefined ? "name the commands" : "a command is not among its own");
  if (by.wire !== undefined && asked.wire !== undefined && asked.wire !== by.wire)
    throw tooWide(`it counts on the wire ${by.wire} only`);
  const leftMs = by.expiresAt - making.nowMs;
  if (asked.lifetimeMs !== undefined && asked.lifetimeMs > leftMs)
    throw tooWide(`it expires in ${Math.max(0, Math.floor(leftMs / 1_000))} s itself`);
  const wire = asked.wire ?? by.wire;
  const lifetimeMs = asked.lifetimeMs ?? Math.min(leftMs, LIFETIME_MS_DEFAULT);
  const claims = newClaims({ ...asked, lifetimeMs, ...defined({ wire }) }, making);
  return { ...claims, minted_by: mintedBy };
}

/** Returns the rights of checked claims, as transports need them. */
export function grantOfClaims(claims: Claims): TokenGrant {
  const { jti, sessions, commands, identity_class, exp, can_mint, wire, minted_by } = claims;
  return {
    jti,
    identityClass: identity_class,
    scope: { sessions: sessions ?? "all", commands: commands ?? "all" },
    expiresAt: exp * 1_000,
    canMint: can_mint,
    ...defined({ wire, mintedBy: minted_by }),
  };
}

function tooWide(problem: string): HarnessError<"MintTooWide"> {
  return new HarnessError("MintTooWide", { problem });
}

import type { SessionId, TokenId } from "../../base/ids.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Scope } from "./scope.ts";

/** How a request came in. `lan` is any address that is not this machine's own loopback. */
export type Wire = "unix" | "loopback" | "lan" | "stdio";

/** A token that was checked: everything that a wire needs to know of it. */
export interface Grant {
  readonly jti: TokenId;
  readonly identityClass: IdentityClass;
  readonly scope: Scope;
  /** Milliseconds since 1970; at that very moment the token is expired. */
  readonly expiresAt: number;
  /** Whether it may mint tokens that allow no more than it does itself. */
  readonly canMint: boolean;
  /** The only wire that it counts on; absent: any that its scope fits. */
  readonly wire?: Wire;
  /** The tokens that it comes from: revoking one of them revokes it. */
  readonly mintedBy?: readonly TokenId[];
}

/** What a new token is to allow. */
export interface ClaimsRequest {
  readonly identityClass: IdentityClass;
  /** Absent: all of them, new ones too: for a holder that has them, or where a person grants it with a code. */
  readonly sessions?: readonly SessionId[];
  /** Absent: all of them. */
  readonly commands?: readonly CommandKind[];
  /** How long it counts; absent: 24 hours. */
  readonly lifetimeMs?: number;
  readonly canMint?: boolean;
  readonly wire?: Wire;
}

/** Tells who may do what by tokens: checks, makes and revokes them (AUTH-01 to AUTH-11). */
export interface Authority extends AsyncDisposable {
  /**
   * Checks a token as it stands in a request, on every request.
   * @throws HarnessError TokenMissing, TokenInvalid, TokenExpired, TokenRevoked, or TokenNotHere where it is good and does
   * not count on this wire.
   */
  verify(text: string | undefined, wire: Wire): Promise<Grant>;
  /**
   * Asks a person to let a token be made: shows a code of six digits where only the person sees it.
   * @param peer who asks, in any text that another peer does not have; whoever confirms must be the same.
   * @throws HarnessError MintRefused where there is no channel to a person, MintBusy, MintTooOften, ClaimsInvalid.
   */
  begin(claims: ClaimsRequest, peer: string): Promise<MintBegun>;
  /**
   * Makes the token that was asked for, if the code is right. A code is right once.
   * @throws HarnessError MintCodeWrong, MintExpired.
   */
  confirm(mintId: string, code: string, peer: string): Promise<string>;
  /**
   * Makes a token without asking: for the engine itself, or for a holder that may and asks for no more than it has.
   * @throws HarnessError MintTooWide, ClaimsInvalid.
   */
  mint(claims: ClaimsRequest, by: Grant | "engine"): string;
  /** From the moment that this resolves the token is refused, also after a restart; live streams end at once. */
  revoke(jti: TokenId, by?: Grant): Promise<void>;
  /** For a stream that lives longer than one check. */
  watch(grant: Grant): GrantWatch;
}

export interface MintBegun {
  readonly mintId: string;
  /** Where the code is shown, by name. */
  readonly channel: string;
}

export interface GrantWatch extends Disposable {
  /** Aborts at once when the token is revoked, and 60 s after it has expired; its reason says which. */
  readonly ended: AbortSignal;
  /** Calls back once, 5 minutes before the token expires, or at once if that is over. `expiresAt`: milliseconds. */
  onExpiring(told: (expiresAt: number) => void): Disposable;
}

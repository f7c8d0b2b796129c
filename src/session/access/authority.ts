import type { SessionId, TokenId } from "../../base/ids.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Scope } from "./scope.ts";

/** Way by which a request came in. `lan` is any address that is not this machine's own loopback. */
export type TransportKind = "unix" | "loopback" | "lan" | "stdio";

/** Facts of a checked token that a transport needs. */
export interface TokenGrant {
  readonly jti: TokenId;
  readonly identityClass: IdentityClass;
  readonly scope: Scope;
  /** Milliseconds since 1970; at that very moment the token is expired. */
  readonly expiresAt: number;
  /** True if it may mint tokens that allow no more than it does itself. */
  readonly canMint: boolean;
  /** The only way in for which it is valid; absent: any that its scope fits. */
  readonly wire?: TransportKind;
  /** Tokens that it comes from: revoking one of them revokes it. */
  readonly mintedBy?: readonly TokenId[];
}

/** Claims of a token that is asked for. */
export interface ClaimsRequest {
  readonly identityClass: IdentityClass;
  /** Absent: all sessions, later ones too, for a holder that has them or if a person grants it with a code. */
  readonly sessions?: readonly SessionId[];
  /** Absent: all commands. */
  readonly commands?: readonly CommandKind[];
  /** Lifetime in milliseconds. Default: 24 hours. */
  readonly lifetimeMs?: number;
  readonly canMint?: boolean;
  readonly wire?: TransportKind;
}

/** Checks, makes and revokes tokens (AUTH-01 to AUTH-11). */
export interface Authority extends AsyncDisposable {
  /**
   * Checks a token as it stands in a request, on every request.
   * @throws HarnessError TokenMissing, TokenInvalid, TokenExpired, TokenRevoked, or TokenNotHere if it is valid but not
   * for this way in.
   */
  verify(text: string | undefined, wire: TransportKind): Promise<TokenGrant>;
  /**
   * Asks a person to let a token be made: shows a code of six digits on a channel that only the person sees.
   * @param peer identifies the caller, by any text that no other peer has; the same peer must confirm.
   * @throws HarnessError MintRefused if there is no channel to a person, MintBusy, MintTooOften, ClaimsInvalid.
   */
  begin(claims: ClaimsRequest, peer: string): Promise<MintBegun>;
  /**
   * Makes the token that was asked for, if the code is right. A code is right once.
   * @throws HarnessError MintCodeWrong, MintExpired.
   */
  confirm(mintId: string, code: string, peer: string): Promise<string>;
  /**
   * Makes a token without asking: for the engine itself, or for a holder that may mint and asks for no more than
   * it has.
   * @throws HarnessError MintTooWide, ClaimsInvalid.
   */
  mint(claims: ClaimsRequest, by: TokenGrant | "engine"): string;
  /** Revokes a token. Once this resolves the token is refused, also after a restart; live streams end at once. */
  revoke(jti: TokenId, by?: TokenGrant): Promise<void>;
  /** Watches a token for a stream that lives longer than one check. */
  watch(grant: TokenGrant): GrantWatch;
}

export interface MintBegun {
  readonly mintId: string;
  /** Name of the channel that shows the code. */
  readonly channel: string;
}

export interface GrantWatch extends Disposable {
  /** Aborts at once when the token is revoked, and 60 s after it expired; the reason says which. */
  readonly ended: AbortSignal;
  /** Calls back once, 5 minutes before the token expires, or at once if that is over. `expiresAt`: milliseconds. */
  onExpiring(onExpiring: (expiresAt: number) => void): Disposable;
}

import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { TokenId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import { sameSecret } from "../../safety/private-file.ts";
import type {
  Authority,
  ClaimsRequest,
  GrantWatch,
  MintBegun,
  TokenGrant,
  TransportKind,
} from "../../session/access/authority.ts";
import type { CodeChannel } from "./code-channel.ts";
import { forwardClock } from "./forward-clock.ts";
import { revokedError, tokensOf, watchGrant } from "./grant-watch.ts";
import { TokenMinting } from "./token-minting.ts";
import type { Claims } from "./tokens/claims.ts";
import { grantOfClaims, narrowedClaims, newClaims } from "./tokens/new-claims.ts";
import { Revocations } from "./tokens/revocations.ts";
import { checkTimes, encodeToken, openToken, tokenTimeText } from "./tokens/token.ts";
import type { TokenFile } from "./tokens/token-file.ts";
import { openTokenKey } from "./tokens/token-key.ts";

export interface AuthorityDependencies {
  readonly world: Pick<World, "clock" | "random" | "ids" | "files" | "lock" | "log">;
  /** Folder of the key and the list of revoked tokens; created if missing. No command may see it. */
  readonly stateDirectory: string;
  /** Returns the ways to show a code to a person, the best first; called at each request. */
  readonly channels: () => readonly CodeChannel[];
  /** Token files that the engine was started with. */
  readonly files?: readonly TokenFile[];
}

/**
 * Opens the authority that checks and makes the tokens of this installation.
 * @throws HarnessError TokenKeyUnusable, RevocationsUnusable.
 */
export async function openAuthority(parts: AuthorityDependencies): Promise<Authority> {
  const { world, stateDirectory } = parts;
  const now = forwardClock(world.clock);
  const key = await openTokenKey(stateDirectory, world.random);
  const revocations = await Revocations.open({ world, stateDirectory, now });
  return new OpenAuthority(parts, { key, revocations, now });
}

interface AuthorityState {
  readonly key: Uint8Array;
  readonly revocations: Revocations;
  readonly now: () => number;
}

class OpenAuthority implements Authority {
  readonly #world: AuthorityDependencies["world"];
  readonly #key: Uint8Array;
  readonly #revocations: Revocations;
  readonly #now: () => number;
  readonly #minting: TokenMinting;
  readonly #watches = new Set<GrantWatch>();
  #provisioned: readonly TokenFile[];
  #closed = false;

  constructor(
    { world, channels, files = [] }: AuthorityDependencies,
    { key, revocations, now }: AuthorityState,
  ) {
    this.#world = world;
    this.#key = key;
    this.#revocations = revocations;
    this.#now = now;
    this.#provisioned = files.filter(({ claims }) => claims !== undefined);
    const { clock, random, log } = world;
    const make = (claims: ClaimsRequest) => this.mint(claims, "engine");
    this.#minting = new TokenMinting({ clock, random, log, channels, make });
  }

  async verify(text: string | undefined, wire: TransportKind): Promise<TokenGrant> {
    this.#refuseIfClosed();
    if (text === undefined || text === "") throw new HarnessError("TokenMissing", {});
    const claims = this.#claimsOf(text);
    checkTimes(claims, this.#now());
    const grant = grantOfClaims(claims);
    const found = await this.#revocations.find(tokensOf(grant));
    if (found !== undefined) throw revokedError(found.jti, found.atMs);
    refuseElsewhere(grant, wire);
    return grant;
  }

  async begin(claims: ClaimsRequest, peer: string): Promise<MintBegun> {
    this.#refuseIfClosed();
    return await this.#minting.begin(claims, peer);
  }

  async confirm(mintId: string, code: string, peer: string): Promise<string> {
    this.#refuseIfClosed();
    return this.#minting.confirm(mintId, code, peer);
  }

  mint(asked: ClaimsRequest, by: TokenGrant | "engine"): string {
    this.#refuseIfClosed();
    const making = { jti: this.#world.ids.next("tok"), nowMs: this.#now() };
    if (by === "engine") return this.#issued(newClaims(asked, making));
    const found = this.#revocations.findKnown(tokensOf(by));
    if (found !== undefined) throw revokedError(found.jti, found.atMs);
    return this.#issued(narrowedClaims(asked, by, making));
  }

  async revoke(jti: TokenId, by?: TokenGrant): Promise<void> {
    await this.#revocations.revoke(jti);
    const fields = { jti, ...(by === undefined ? {} : { by: by.jti }) };
    this.#world.log.for("auth").write("info", "a token was revoked", fields);
  }

  /** Signs a token, and logs its rights: never its text (AUTH-10). */
  #issued(claims: Claims): string {
    const { jti, identity_class, sessions, commands, exp, can_mint, wire, minted_by } = claims;
    this.#world.log.for("auth").write("info", "a token was issued", {
      jti,
      class: identity_class,
      sessions: sessions?.join(",") ?? "all",
      commands: commands?.join(",") ?? "all",
      until: tokenTimeText(exp * 1_000),
      can_mint,
      ...defined({ wire }),
      ...(minted_by === undefined ? {} : { by: minted_by.at(-1) ?? "" }),
    });
    return encodeToken(claims, this.#key);
  }

  watch(grant: TokenGrant): GrantWatch {
    const { clock } = this.#world;
    const watch = watchGrant({ clock, now: this.#now, revocations: this.#revocations }, grant);
    this.#watches.add(watch);
    return {
      ended: watch.ended,
      onExpiring: (onExpiring) => watch.onExpiring(onExpiring),
      [Symbol.dispose]: () => {
        watch[Symbol.dispose]();
        this.#watches.delete(watch);
      },
    };
  }

  /** Overwrites the key (AUTH-10). From then on nothing is signed or checked any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#minting[Symbol.dispose]();
    for (const watch of this.#watches) watch[Symbol.dispose]();
    this.#watches.clear();
    this.#provisioned = [];
    this.#key.fill(0);
  }

  /** Returns the claims of a token file, which are compared as they are, or those in a token of ours. */
  #claimsOf(text: string): Claims {
    let found: Claims | undefined;
    for (const { token, claims } of this.#provisioned) if (sameSecret(text, token)) found = claims;
    return found ?? openToken(text, this.#key);
  }

  #refuseIfClosed(): void {
    // The key is all zeros by now, and would make tokens that anybody can forge.
    if (this.#closed) throw new HarnessError("EngineStopping", {});
  }
}

function refuseElsewhere({ wire: only, scope }: TokenGrant, wire: TransportKind): void {
  if (only !== undefined && only !== wire)
    throw new HarnessError("TokenNotHere", { problem: `it is for ${WIRE_NAMES[only]} only` });
  if (wire === "lan" && scope.sessions === "all")
    throw new HarnessError("TokenNotHere", {
      problem: "over the network only a token counts that names its sessions",
    });
}

const WIRE_NAMES: Readonly<Record<TransportKind, string>> = {
  unix: "the Unix socket",
  loopback: "this machine's own addresses",
  lan: "the network",
  stdio: "a program that starts cinch",
};

import { HarnessError } from "../../base/errors.ts";
import type { TokenId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { GrantWatch, TokenGrant } from "../../session/access/authority.ts";
import type { Revocations } from "./tokens/revocations.ts";
import { tokenTimeText } from "./tokens/token.ts";

/** Streams are warned this long before their token expires, and continue this long after (AUTH-08). */
export const EXPIRING_MS = 5 * 60_000;
export const DRAIN_MS = 60_000;
/** Interval at which the time is read again, since a sleeping machine stops timers and not the clock. */
const LOOK_AGAIN_MS = 5 * 60_000;

export interface GrantWatchDependencies {
  readonly clock: Pick<Clock, "timer">;
  readonly now: () => number;
  readonly revocations: Pick<Revocations, "watch" | "findKnown">;
}

/** Watches one grant for a stream, until it is disposed or has ended. */
export function watchGrant(
  { clock, now, revocations }: GrantWatchDependencies,
  grant: TokenGrant,
): GrantWatch {
  const ended = new AbortController();
  const open = new Set<Disposable>();
  const tokens = tokensOf(grant);

  /** Calls back at a time of the clock. */
  function at(ms: number, callback: () => void): Disposable {
    let timer: Disposable | undefined;
    const handle: Disposable = {
      [Symbol.dispose]() {
        timer?.[Symbol.dispose]();
        open.delete(handle);
      },
    };
    open.add(handle);
    function look(): void {
      const remainingMs = ms - now();
      if (remainingMs > 0) {
        timer = clock.timer(Math.min(Math.ceil(remainingMs), LOOK_AGAIN_MS), look);
        return;
      }
      handle[Symbol.dispose]();
      callback();
    }
    look();
    return handle;
  }
  function dispose(): void {
    for (const each of [...open]) each[Symbol.dispose]();
  }
  function endRevoked(): void {
    const found = revocations.findKnown(tokens);
    dispose();
    ended.abort(revokedError(found?.jti ?? grant.jti, found?.atMs ?? now()));
  }

  const watcher = revocations.watch(tokens, endRevoked);
  const handle: Disposable = {
    [Symbol.dispose]() {
      watcher[Symbol.dispose]();
      open.delete(handle);
    },
  };
  open.add(handle);
  if (revocations.findKnown(tokens) !== undefined) endRevoked();
  else {
    at(grant.expiresAt + DRAIN_MS, () => {
      dispose();
      ended.abort(expired(grant));
    });
  }
  return {
    ended: ended.signal,
    onExpiring: (onExpiring) =>
      ended.signal.aborted
        ? { [Symbol.dispose]: () => undefined }
        : at(grant.expiresAt - EXPIRING_MS, () => onExpiring(grant.expiresAt)),
    [Symbol.dispose]: dispose,
  };
}

/** Returns a token and all that it comes from. */
export function tokensOf({ jti, mintedBy = [] }: Pick<TokenGrant, "jti" | "mintedBy">): readonly TokenId[] {
  return [jti, ...mintedBy];
}

export function revokedError(jti: TokenId, atMs: number): HarnessError<"TokenRevoked"> {
  return new HarnessError("TokenRevoked", { jti, ts: tokenTimeText(atMs) });
}

function expired({ expiresAt, scope, identityClass }: TokenGrant): HarnessError<"TokenExpired"> {
  const id = scope.sessions === "all" ? undefined : scope.sessions[0];
  return new HarnessError("TokenExpired", {
    exp: tokenTimeText(expiresAt),
    id: id ?? "ID",
    class: identityClass,
  });
}

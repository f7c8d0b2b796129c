import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Clock, Random } from "../../base/world.ts";
import { sameSecret } from "../../safety/private-file.ts";
import type { ClaimsRequest, MintBegun } from "../../session/access/authority.ts";
import type { CodeChannel } from "./code-channel.ts";
import { SlidingLimit } from "./sliding-limit.ts";
import { checkedRequest } from "./tokens/claims-request.ts";

/** Time limit of a code, from the moment that it is shown. */
export const CODE_MS_MAX = 60_000;
export const TRIES_MAX = 5;
/** Time limit for a channel to show a code before the next one is tried. */
export const SHOW_CODE_MS_MAX = 10_000;
/** Tokens that may be requested within ten minutes. */
export const REQUESTS_MAX = 6;
export const REQUESTS_WINDOW_MS = 10 * 60_000;
/** Wrong codes that may be given within an hour: trying all of them takes years of asking a person. */
export const WRONG_MAX = 15;
export const WRONG_WINDOW_MS = 60 * 60_000;

const CODES = 1_000_000;
const CODE_DIGITS = 6;
const MINT_ID_BYTES = 16;

export interface TokenMintingDependencies {
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  readonly random: Random;
  readonly log: Log;
  /** Returns the channels in the order in which they are tried; called at each request, since clients come and go. */
  readonly channels: () => readonly CodeChannel[];
  readonly make: (claims: ClaimsRequest) => string;
}

interface Pending {
  readonly mintId: string;
  readonly peer: string;
  readonly claims: ClaimsRequest;
  readonly code: string;
  channel: string;
  triesLeft: number;
  readonly untilMs: () => number;
  readonly end: (why: string) => void;
}

/**
 * Lets a person approve a token by carrying a code of six digits from where it is shown to where it was
 * requested (AUTH-03). One request at a time, for one minute, with five tries, from the peer that requested it;
 * and not too often.
 */
export class TokenMinting implements Disposable {
  readonly #parts: TokenMintingDependencies;
  readonly #requestLimit: SlidingLimit;
  readonly #wrong: SlidingLimit;
  #pending: Pending | undefined;

  constructor(parts: TokenMintingDependencies) {
    this.#parts = parts;
    this.#requestLimit = new SlidingLimit(parts.clock, REQUESTS_MAX, REQUESTS_WINDOW_MS);
    this.#wrong = new SlidingLimit(parts.clock, WRONG_MAX, WRONG_WINDOW_MS);
  }

  async begin(asked: ClaimsRequest, peer: string): Promise<MintBegun> {
    const claims = checkedRequest(asked);
    // A first client knows no session: a person may grant all, in words that say so. Only the owner may grant minting.
    if (claims.sessions === undefined && claims.canMint === true)
      throw new HarnessError("ClaimsInvalid", {
        problem: "a token for all sessions that may make others is made by the owner: cinch token --can-mint",
      });
    this.#refuseIfBusy();
    const channels = this.#parts.channels();
    if (channels.length === 0) throw new HarnessError("MintRefused", {});
    this.#refuseIfTooOften();
    this.#requestLimit.count();
    const ended = new AbortController();
    const pending = this.#newPending(claims, peer, ended);
    this.#pending = pending;
    for (const channel of channels) {
      pending.channel = channel.name;
      if (await this.#isShown(channel, pending, ended.signal))
        return { mintId: pending.mintId, channel: channel.name };
      if (ended.signal.aborted) break;
    }
    pending.end("its code could not be shown");
    throw new HarnessError("MintRefused", {});
  }

  /** Runs without a pause between check and end of the code: of two that confirm at once one succeeds. */
  confirm(mintId: string, code: string, peer: string): string {
    const pending = this.#pending;
    if (pending === undefined || !sameSecret(mintId, pending.mintId) || !sameSecret(peer, pending.peer))
      throw expired("it was confirmed, took longer than 60 s, or was made by somebody else");
    if (this.#wrong.isReached()) {
      pending.end("too many wrong codes");
      throw new HarnessError("MintTooOften", { seconds: seconds(this.#wrong.freeInMs()) });
    }
    if (sameSecret(code, pending.code)) {
      pending.end("confirmed");
      return this.#parts.make(pending.claims);
    }
    this.#wrong.count();
    pending.triesLeft--;
    if (pending.triesLeft === 0) pending.end("wrong codes");
    throw new HarnessError("MintCodeWrong", { left: String(pending.triesLeft), channel: pending.channel });
  }

  [Symbol.dispose](): void {
    this.#pending?.end("the engine stops");
  }

  #refuseIfBusy(): void {
    if (this.#pending === undefined) return;
    throw new HarnessError("MintBusy", { seconds: seconds(this.#pending.untilMs()) });
  }

  #refuseIfTooOften(): void {
    const waitMs = Math.max(this.#requestLimit.freeInMs(), this.#wrong.freeInMs());
    if (waitMs > 0) throw new HarnessError("MintTooOften", { seconds: seconds(waitMs) });
  }

  #newPending(claims: ClaimsRequest, peer: string, ended: AbortController): Pending {
    const { clock, random } = this.#parts;
    const startedMs = clock.monotonic();
    const timer = clock.timer(CODE_MS_MAX, () => pending.end("60 s have passed"));
    const pending: Pending = {
      mintId: `mint_${Buffer.from(random.bytes(MINT_ID_BYTES)).toString("hex")}`,
      peer,
      claims,
      code: newCode(random),
      channel: "",
      triesLeft: TRIES_MAX,
      untilMs: () => startedMs + CODE_MS_MAX - clock.monotonic(),
      end: (why) => {
        timer[Symbol.dispose]();
        if (this.#pending === pending) this.#pending = undefined;
        ended.abort(new Cancelled("authority", why));
      },
    };
    return pending;
  }

  /** Returns true if a channel shows the code; a channel that fails or hangs does not. */
  async #isShown(channel: CodeChannel, { code, claims }: Pending, ended: AbortSignal): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const attempt = new AbortController();
    const signal = AbortSignal.any([ended, attempt.signal]);
    using _timer = this.#parts.clock.timer(SHOW_CODE_MS_MAX, () => late.resolve(false));
    const stop = () => late.resolve(false);
    ended.addEventListener("abort", stop, { once: true });
    try {
      const shown = await Promise.race([channel.show(code, claims, signal), late.promise]);
      if (!shown) attempt.abort(new Cancelled("authority", "another channel is tried"));
      return shown;
    } catch (thrown) {
      this.#parts.log.for("auth").write("warn", "a code could not be shown", {
        channel: channel.name,
        problem: messageOf(thrown),
      });
      return false;
    } finally {
      ended.removeEventListener("abort", stop);
    }
  }
}

/** Returns six digits, each code as likely as any other. */
export function newCode(random: Pick<Random, "bytes">): string {
  const fair = Math.floor(2 ** 32 / CODES) * CODES;
  while (true) {
    const drawn = new DataView(Uint8Array.from(random.bytes(4)).buffer).getUint32(0);
    if (drawn < fair) return String(drawn % CODES).padStart(CODE_DIGITS, "0");
  }
}

function expired(problem: string): HarnessError<"MintExpired"> {
  return new HarnessError("MintExpired", { problem });
}

function seconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1_000)));
}

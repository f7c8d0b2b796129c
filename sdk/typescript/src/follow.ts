import { CinchError, EngineUnreachable, invalidEvent, isPassing } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { backoffMs, sleep } from "./limits.ts";
import type { Envelope } from "./protocol.ts";
import type { OpenStretch } from "./stretch.ts";

/** State of the connection to the engine. */
export type ConnectionState =
  | { readonly kind: "connected" }
  /** The next attempt is made in so many milliseconds. */
  | { readonly kind: "away"; readonly error: CinchError; readonly nextMs: number };

export interface FollowParts {
  readonly since: number;
  /** True: with the arguments of calls while the model writes them. */
  readonly args: boolean;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly open: OpenStretch;
  /** The run that answers for the session now. */
  run(): string;
  client(): string | undefined;
  /** Makes what was refused possible: a new run, a new client. False where nothing does. */
  heal(refusal: CinchError, signal: AbortSignal): Promise<boolean>;
  /** Returns whether the session runs now, in any run, and its last event. */
  look(signal: AbortSignal): Promise<{ readonly live: boolean; readonly events: number }>;
  /** Each event, before it is judged whether it is the last: it may tell of a run that takes over. */
  seen(event: Envelope): void;
  /** The session was seen to end. */
  ended(): void;
  onState?: ((state: ConnectionState) => void) | undefined;
}

/**
 * The events of a session over as many connections as it takes: each goes on after the last event that came, so that
 * nothing is missing and nothing comes twice, whatever breaks (CTL-03, CTL-14). Ends after SessionEnded.
 *
 * @throws CinchError what the engine refuses for good; what the last attempt came to, once it was away too long.
 */
export async function* follow(parts: FollowParts): AsyncGenerator<Envelope, void> {
  const { signal, limits } = parts;
  let last = parts.since;
  let fruitless = 0;
  let heals = 0;
  /** True if the last event was the end of a run. */
  let isOver = false;
  let awayAt: number | undefined;
  while (true) {
    signal.throwIfAborted();
    let failure: CinchError = new EngineUnreachable("The engine has closed the stream of events.");
    try {
      let openedAt: number | undefined;
      const onSign = () => {
        if (openedAt === undefined) parts.onState?.({ kind: "connected" });
        openedAt ??= performance.now();
        // One that answers, and then nothing more comes of it, is as good as away.
        if (performance.now() - openedAt > limits.backoffMsMax) awayAt = undefined;
      };
      const { args } = parts;
      const target = { session: parts.run(), since: last, args, client: parts.client(), signal, onSign };
      for await (const { id, kind, event } of parts.open(target)) {
        if (kind === "TokenExpiring" || event?.aside === true) {
          if (event !== undefined) yield event; // stands in no log, and bears the id of the event before it
          continue;
        }
        const reached = event?.kind === "StreamGap" ? Math.max(id, event.payload.to) : id;
        if (reached <= last) continue;
        if (kind !== "StreamGap" && id !== last + 1)
          throw invalidEvent(`${id} came after ${last}: those between are missing`);
        last = reached;
        [fruitless, heals, awayAt] = [0, 0, undefined];
        if (event === undefined) continue;
        parts.seen(event);
        isOver = kind === "SessionEnded";
        const isEnd = isOver && event.session === parts.run();
        if (isEnd) parts.ended();
        yield event;
        if (isEnd) return;
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof CinchError)) throw thrown;
      failure = thrown;
      if (!isPassing(failure)) {
        if (heals === HEALS_MAX) throw failure;
        const outcome = await healed(parts, failure, { last, isOver });
        if (outcome === "ended") return parts.ended();
        if (outcome === "healed") {
          heals += 1;
          continue;
        }
        if (!isPassing(outcome)) throw outcome;
        failure = outcome;
      }
    }
    signal.throwIfAborted();
    awayAt ??= performance.now();
    if (limits.awayMs > 0 && performance.now() - awayAt > limits.awayMs) throw failure;
    const nextMs = fruitless === 0 ? 0 : backoffMs(fruitless - 1, limits);
    fruitless += 1;
    if (nextMs === 0) continue;
    parts.onState?.({ kind: "away", error: failure, nextMs });
    await sleep(nextMs, signal);
  }
}

/** Makes possible what was refused; else that refusal, or what the engine that went away meanwhile comes to. */
async function healed(
  { heal, look, signal }: FollowParts,
  refusal: CinchError,
  { last, isOver }: { readonly last: number; readonly isOver: boolean },
): Promise<"healed" | "ended" | CinchError> {
  try {
    if (refusal.reason === "UnknownSession") {
      // Somebody else may have gone on with it meanwhile, and ended it: to attach would begin another run.
      const { live, events } = await look(signal);
      if (!live && events > last) return "healed";
      if (!live && isOver) return "ended";
    }
    return (await heal(refusal, signal)) ? "healed" : refusal;
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof CinchError)) throw thrown;
    // To attach twice is to attach once.
    return thrown.reason === "ConnectionLost" ? new EngineUnreachable(thrown.message) : thrown;
  }
}

/** Limit on repairs in a row without an event. */
const HEALS_MAX = 4;

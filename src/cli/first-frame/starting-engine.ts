import type { ReachedEngine } from "../shared-engine/reach-engine.ts";

/** An engine that is on its way. Disposing it disconnects, and ends a start that nobody waits for any more. */
export interface StartingEngine extends AsyncDisposable {
  /** @throws HarnessError the failure of the start; the signal's reason. */
  readonly reached: Promise<ReachedEngine>;
}

/**
 * Begins to reach an engine at once, so that the first frame of a client waits for nothing. A failure is kept for the
 * one who awaits the engine.
 */
export function startingEngine(
  reach: (signal: AbortSignal) => Promise<ReachedEngine>,
  signal: AbortSignal,
): StartingEngine {
  const giveUp = new AbortController();
  const reached = reach(AbortSignal.any([signal, giveUp.signal]));
  let isPending = true;
  const settled = reached.then(
    (engine) => {
      isPending = false;
      return engine;
    },
    () => undefined, // thrown to the one who awaits `reached`
  );
  return {
    reached,
    async [Symbol.asyncDispose]() {
      if (isPending) giveUp.abort(new Error("nobody waits for the engine any more"));
      await (await settled)?.[Symbol.asyncDispose]();
    },
  };
}

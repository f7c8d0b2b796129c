import { BoundedQueue } from "../../base/async/queue.ts";
import type { RemoteState } from "../../client/remote/connect-remote.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";

const NOTICES_MAX = 64;

/** Collects sentences about the state of a client's engine, for the person who uses the client. */
export interface EngineNotices {
  onState(state: RemoteState): void;
  onResumed(): void;
  /** Yields the notices from now on. */
  read(signal: AbortSignal): AsyncIterable<string>;
}

/** Reports once that the engine is away, however often it is tried, and once that it is back. */
export function engineNotices(): EngineNotices {
  const readers = new Set<BoundedQueue<string>>();
  let isAway = false;
  const tell = (text: string) => {
    for (const reader of readers) reader.push(text);
  };
  return {
    onState(state) {
      if (state.kind === "away" && !isAway) {
        tell(`${neutraliseLine(state.error.message)} What you type waits; it is tried for again.`);
      }
      if (state.kind === "connected" && isAway) tell("The engine answers again.");
      isAway = state.kind === "away";
    },
    onResumed: () => tell("It was restarted: the session continues, and what it was doing has ended."),
    async *read(signal) {
      const queue = new BoundedQueue<string>(NOTICES_MAX);
      const end = () => queue.end();
      readers.add(queue);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      try {
        yield* queue;
      } finally {
        readers.delete(queue);
        signal.removeEventListener("abort", end);
      }
    },
  };
}

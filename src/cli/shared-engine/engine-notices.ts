import { BoundedQueue } from "../../base/async/queue.ts";
import type { RemoteState } from "../../client/remote/connect-remote.ts";
import type { EngineNotice } from "../../view/notes/engine-text.ts";
import {
  ENGINE_BACK,
  ENGINE_RESUMED,
  engineAway,
  engineNotRestarted,
  OWN_ENGINE_AWAY,
  UPGRADING,
} from "../../view/notes/engine-text.ts";

const NOTICES_MAX = 64;

/** Collects sentences about the state of a client's engine, for the person who uses the client. */
export interface EngineNotices {
  onState(state: RemoteState): void;
  onResumed(): void;
  onNotRestarted(failure?: unknown): void;
  onUpgrade(): void;
  /** Yields the notices that nobody has read, and those from now on. */
  read(signal: AbortSignal): AsyncIterable<EngineNotice>;
}

/**
 * Reports once that the engine is away, however often it is tried, and once that it is back.
 * @param isOwn true for the engine of this user; false for one at an address.
 */
export function engineNotices({ isOwn }: { readonly isOwn: boolean }): EngineNotices {
  const readers = new Set<BoundedQueue<EngineNotice>>();
  let unread: readonly EngineNotice[] = [];
  let isAway = false;
  /** True once it is said that the engine was not restarted. */
  let isTold = false;
  const tell = (notice: EngineNotice) => {
    for (const reader of readers) reader.push(notice);
    if (readers.size === 0) unread = [...unread, notice].slice(-NOTICES_MAX);
  };
  return {
    onState(state) {
      if (state.kind === "away" && !isAway) tell(isOwn ? OWN_ENGINE_AWAY : engineAway(state.error));
      if (state.kind === "connected" && isAway) tell(ENGINE_BACK);
      isAway = state.kind === "away";
      isTold &&= isAway;
    },
    onResumed: () => tell(ENGINE_RESUMED),
    onNotRestarted(failure) {
      if (isAway && !isTold) tell(engineNotRestarted(failure));
      isTold = true;
    },
    onUpgrade: () => tell(UPGRADING),
    async *read(signal) {
      const queue = new BoundedQueue<EngineNotice>(NOTICES_MAX);
      const end = () => queue.end();
      readers.add(queue);
      for (const notice of unread) queue.push(notice);
      unread = [];
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

/** Times until which each `provider:model` asked not to be called, for all sessions of a process (R10). */
export interface ProviderPauses {
  remainingMs(executor: string, monotonicMs: number): number;
  /** Sets a pause; never shortens one. */
  pause(executor: string, untilMonotonicMs: number): void;
}

export function providerPauses(): ProviderPauses {
  const until = new Map<string, number>();
  return {
    remainingMs: (executor, monotonicMs) => Math.max((until.get(executor) ?? 0) - monotonicMs, 0),
    pause: (executor, untilMs) => void until.set(executor, Math.max(until.get(executor) ?? 0, untilMs)),
  };
}

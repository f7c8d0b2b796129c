/** Times until which each provider asked not to be called, for all sessions of a process (R10). */
export interface ProviderPauses {
  remainingMs(provider: string, monotonicMs: number): number;
  /** Sets a pause; never shortens one. */
  pause(provider: string, untilMonotonicMs: number): void;
}

export function providerPauses(): ProviderPauses {
  const until = new Map<string, number>();
  return {
    remainingMs: (provider, monotonicMs) => Math.max((until.get(provider) ?? 0) - monotonicMs, 0),
    pause: (provider, untilMs) => void until.set(provider, Math.max(until.get(provider) ?? 0, untilMs)),
  };
}

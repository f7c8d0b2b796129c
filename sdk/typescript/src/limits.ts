/** Bounds of waiting and reading. All have defaults; times are milliseconds of real time. */
export interface Limits {
  /** Time limit of an answer to a query, from the request to its last byte. */
  readonly answerMs: number;
  /** The same for a command, which may have to wait for a model or a tool. */
  readonly commandMs: number;
  /** A stream of events that brings nothing for so long, not even its heartbeat, is taken for broken. */
  readonly silenceMs: number;
  /** Time after which the events of an unreachable engine are given up; 0: never. */
  readonly awayMs: number;
  /** The wait before the second attempt in a row; doubled from there on, with some chance in it. */
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  /** Bytes of one answer, and characters of one event. */
  readonly answerBytesMax: number;
}

export const LIMITS: Limits = {
  answerMs: 60_000,
  commandMs: 600_000,
  silenceMs: 45_000,
  awayMs: 300_000,
  backoffMsMin: 100,
  backoffMsMax: 10_000,
  answerBytesMax: 67_108_864,
};

/** A signal that also aborts after so long; `done` ends its timer. */
export function within(ms: number, signal: AbortSignal | undefined): Within {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  return {
    signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    isOver: () => limit.signal.aborted,
    done: () => clearTimeout(timer),
  };
}

export interface Within {
  readonly signal: AbortSignal;
  /** Returns true once the time has passed. */
  isOver(): boolean;
  done(): void;
}

/** Waits; ends early, and throws the signal's reason, where that aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** The wait before the next attempt after so many in a row; never all clients at once. */
export function backoffMs(attempts: number, { backoffMsMin, backoffMsMax }: Limits): number {
  const full = Math.min(backoffMsMin * 2 ** Math.min(attempts, 30), backoffMsMax);
  return Math.round(full * (0.5 + Math.random() / 2));
}

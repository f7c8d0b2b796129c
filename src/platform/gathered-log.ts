import type { Log, LogLevel } from "../base/log.ts";
import type { Clock } from "../base/world.ts";

/** Time after which a waiting line is written: by then the first request of a start has left. */
const WRITE_AFTER_MS = 100;
const LINES_MAX = 64;

/** A log whose lines may wait. */
export interface GatheredLog extends Log {
  /** Writes all that waits. Call it before the process exits. */
  flush(): void;
}

/**
 * Returns a log that writes lines of level info a moment later, in their order and with their own time (PERF-01).
 *
 * To redact and write the first line runs much code for the first time. A warning or an error is written at once,
 * after the lines before it. So is every line of a log that includes debug: its reader may look for a crash. Fields
 * must not change after the call.
 */
export function gatheredLog(log: Log, clock: Pick<Clock, "now" | "timer">): GatheredLog {
  const waiting: (() => void)[] = [];
  let timer: Disposable | undefined;

  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    for (const write of waiting.splice(0)) write();
  }

  function gather(inner: Log, level: LogLevel, write: () => void): void {
    waiting.push(write);
    if (level !== "info" || inner.wants?.("debug") === true || waiting.length === LINES_MAX) flush();
    else timer ??= clock.timer(WRITE_AFTER_MS, flush);
  }

  const wrapped = (inner: Log): Log => ({
    for: (component) => wrapped(inner.for(component)),
    wants: (level) => inner.wants?.(level) ?? true,
    write(level, message, fields, atMs = clock.now()) {
      if (inner.wants?.(level) === false) return;
      gather(inner, level, () => inner.write(level, message, fields, atMs));
    },
  });
  return { ...wrapped(log), flush };
}

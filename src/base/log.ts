/** Levels of the operational log, from the most to the least verbose (LOG-01). */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The operational log, distinct from the log of a session: no conversation content, no secrets.
 *
 * Writing never throws and never waits ([A] § Logging).
 */
export interface Log {
  /** Returns the same log under another component name: `engine`, `provider.openrouter` … */
  for(component: string): Log;
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Returns false if a line of this level would be dropped, so that it need not be prepared. Absent: unknown. */
  wants?(level: LogLevel): boolean;
}

/** Discards everything: for the façade and for tests that ignore the log. */
export const SILENT_LOG: Log = {
  for: () => SILENT_LOG,
  write: () => undefined,
};

/** Levels of the operational log, from the most to the least talkative (LOG-01). */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The harness's own log, distinct from the log of a session: no conversation content, no secrets.
 *
 * Writing never throws and never waits ([A] § Logging).
 */
export interface Log {
  /** The same log under another component name: `engine`, `provider.openrouter` … */
  for(component: string): Log;
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** False where a line of this level would be left out: whoever prepares lines can spare it. Absent: not known. */
  wants?(level: LogLevel): boolean;
}

/** Keeps nothing: for the façade and for tests that do not look at the log. */
export const SILENT: Log = {
  for: () => SILENT,
  write: () => undefined,
};

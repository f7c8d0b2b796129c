import { appendFileSync, chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import type { Log, LogLevel } from "../base/log.ts";
import { LOG_LEVELS } from "../base/log.ts";

export interface LogOptions {
  /** Folder of the daily files; absent: no file. */
  readonly directory?: string;
  readonly toStderr: boolean;
  readonly now: () => number;
  /** The lowest level that is written, by component; the empty name is the default for all. */
  readonly levels: ReadonlyMap<string, LogLevel>;
}

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/**
 * Opens the operational log: one JSON object a line in `harness-YYYYMMDD.log`, and on stderr if requested (LOG-01).
 *
 * Nothing is opened until the first line. A log that cannot be written is reported once on stderr and does not stop
 * the work.
 */
export function openLogFile(options: LogOptions): Log {
  const sink = lineSink(options);
  return logFor("", options, sink);
}

function logFor(component: string, options: LogOptions, sink: (line: string, at: Date) => void): Log {
  const least = LOG_LEVELS.indexOf(levelFor(component, options.levels));
  return {
    for: (name) => logFor(name, options, sink),
    wants: (level) => LOG_LEVELS.indexOf(level) >= least,
    write(level, message, fields) {
      if (LOG_LEVELS.indexOf(level) < least) return;
      const at = new Date(options.now());
      // Fields must not overwrite the line's own keys.
      const line = { ...fields, ts: at.toISOString(), level, component: component || "cinch", msg: message };
      sink(`${JSON.stringify(line)}\n`, at);
    },
  };
}

/** `provider.copilot` uses its own level, else that of `provider`, else the default. */
function levelFor(component: string, levels: ReadonlyMap<string, LogLevel>): LogLevel {
  for (let name = component; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const level = levels.get(name);
    if (level !== undefined) return level;
  }
  return levels.get("") ?? "info";
}

/** Writes to standard error. Without a listener, a failed write ends the process as an uncaught error event. */
function errorStream(): (text: string) => void {
  let isHeard = false;
  return (text) => {
    if (!isHeard) process.stderr.on("error", () => undefined);
    isHeard = true;
    process.stderr.write(text);
  };
}

function lineSink(options: LogOptions): (line: string, at: Date) => void {
  let broken = false;
  const tell = errorStream();
  return (line, at) => {
    if (options.toStderr) tell(line);
    if (options.directory === undefined || broken) return;
    const file = join(options.directory, `harness-${at.toISOString().slice(0, 10).replaceAll("-", "")}.log`);
    try {
      if (!existsSync(file)) {
        mkdirSync(options.directory, { recursive: true, mode: DIRECTORY_MODE });
        appendFileSync(file, "", { mode: FILE_MODE });
        chmodSync(file, FILE_MODE);
      }
      appendFileSync(file, line);
    } catch (thrown) {
      broken = true;
      tell(`cinch: the log ${file} cannot be written (${messageOf(thrown)}); going on without it\n`);
    }
  };
}

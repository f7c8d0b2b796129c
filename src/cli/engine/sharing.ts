import { resolve } from "node:path";
import { harnessSecretsPath } from "../../credentials/store/harness-secrets-path.ts";
import type { Settings } from "../settings.ts";

export interface Sharing {
  readonly settings: Settings;
  /** False: `--no-listen`. */
  readonly listen: boolean;
}

export interface LineSharing extends Sharing {
  /** Dump all provider traffic. */
  readonly raw: boolean;
  /** An engine that was named. */
  readonly connect?: unknown;
}

/**
 * Tells whether a command line works with the engine that this user's clients share; else it has one of its own, in its own
 * process (CTL-11).
 *
 * Only Linux tells for certain who descends from an engine (AUTH-11). What is for one run alone, a recording, the log on
 * standard error or an unsafe key, needs an engine for that run; a project with keys of its own does too, since the
 * engine that runs may have been given others.
 */
export function sharesEngine({ settings, listen }: Sharing): boolean {
  const { record, logToStderr, logLevels, insecureDevKey, cwd = "." } = settings;
  if (!listen || process.platform !== "linux") return false;
  if (record !== undefined || logToStderr || logLevels.size > 0 || insecureDevKey) return false;
  return harnessSecretsPath(resolve(cwd)) === undefined;
}

/** Tells whether the line client shares its engine: at a terminal, unless it dumps traffic, or with a named engine. */
export function lineShares(line: LineSharing): boolean {
  if (line.connect !== undefined) return true;
  return process.stdin.isTTY === true && !line.raw && sharesEngine(line);
}

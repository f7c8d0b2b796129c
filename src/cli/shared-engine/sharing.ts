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
 * Returns true if a command line works with the engine that this user's clients share; else it has its own, in its own
 * process (CTL-11).
 *
 * Only Linux can prove which processes descend from an engine (AUTH-11). Settings of one run alone, such as a
 * recording, the log on standard error or an unsafe key, need an engine for that run; a project with its own keys does
 * too, since the running engine may have others.
 */
export function sharesEngine({ settings, listen }: Sharing): boolean {
  const { record, logToStderr, logLevels, insecureDevKey, cwd = "." } = settings;
  if (!listen || process.platform !== "linux") return false;
  if (record !== undefined || logToStderr || logLevels.size > 0 || insecureDevKey) return false;
  return harnessSecretsPath(resolve(cwd)) === undefined;
}

/**
 * Returns true if the line client shares its engine: at a terminal, unless it dumps traffic, or with a named engine.
 */
export function lineShares(line: LineSharing): boolean {
  if (line.connect !== undefined) return true;
  return process.stdin.isTTY === true && !line.raw && sharesEngine(line);
}

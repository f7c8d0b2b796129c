import type { LogLevel } from "../base/log.ts";
import { LOG_LEVELS } from "../base/log.ts";
import type { EffortWord } from "../protocol/effort.ts";
import { EFFORT_WORDS } from "../protocol/effort.ts";
import type { OrphanFate } from "../session/history/unfinished.ts";
import type { Level } from "../tools/tool-facts.ts";
import { LEVELS } from "../tools/tool-facts.ts";
import type { Flags } from "./args/flag-values.ts";
import { durationOf, Misuse, numberOf, oneOf, textOf } from "./args/flag-values.ts";

/** What a command line says of how to work, whatever it asks for. */
export interface Settings {
  readonly profile?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly level?: Level;
  readonly autoApprove: boolean;
  readonly strictPermissions: boolean;
  readonly planMode: boolean;
  readonly effort?: EffortWord;
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  readonly maxTimeMs?: number;
  readonly withoutProject: boolean;
  readonly allowProjectHooks: boolean;
  readonly lockfile?: string;
  readonly record?: string;
  readonly resume?: { readonly kind: "id"; readonly id: string } | { readonly kind: "last" };
  /** Decision about calls that the resumed session's last run left open. */
  readonly orphans?: OrphanFate;
  readonly insecureDevKey: boolean;
  /** What turns cost is not told after each. */
  readonly quietCost?: true;
  readonly logToStderr: boolean;
  readonly logLevels: ReadonlyMap<string, LogLevel>;
}

/** @throws Misuse where a value is none. */
export function settingsOf(flags: Flags): Settings {
  const level = oneOf(flags, "level", LEVELS);
  const effort = oneOf(flags, "effort", EFFORT_WORDS);
  const maxTurns = numberOf(flags, "max-turns", /^[1-9]\d{0,5}$/, "a whole number from 1 to 999999");
  const maxCostUsd = numberOf(flags, "max-cost", /^(?:\d{1,9})(?:\.\d+)?$/, "US dollars, such as 0.50");
  const maxTimeMs = durationOf(flags, "max-time");
  const resume = resumeOf(flags);
  const orphans = orphansOf(flags);
  const profile = textOf(flags, "profile");
  const model = textOf(flags, "model");
  const cwd = textOf(flags, "cwd");
  const record = textOf(flags, "record");
  const lockfile = textOf(flags, "lockfile");
  return {
    autoApprove: flags.has("auto-approve"),
    strictPermissions: flags.has("strict-permissions"),
    planMode: flags.has("plan"),
    withoutProject: flags.has("without-project"),
    allowProjectHooks: flags.has("allow-project-hooks"),
    insecureDevKey: flags.has("insecure-dev-key"),
    logToStderr: flags.has("log-to-stderr"),
    logLevels: logLevelsOf(flags.get("log-level")),
    ...(flags.has("quiet-cost") ? { quietCost: true } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(model === undefined ? {} : { model }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(level === undefined ? {} : { level }),
    ...(effort === undefined ? {} : { effort }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
    ...(record === undefined ? {} : { record }),
    ...(lockfile === undefined ? {} : { lockfile }),
    ...(resume === undefined ? {} : { resume }),
    ...(orphans === undefined ? {} : { orphans }),
  };
}

const ORPHAN_WORDS = "fail, done, done=NOTE or abort";

function orphansOf(flags: Flags): OrphanFate | undefined {
  const value = textOf(flags, "orphans")?.trim();
  if (value === undefined) return undefined;
  if (value === "fail") return { kind: "failed" };
  if (value === "abort") return { kind: "abort" };
  if (value === "done") return { kind: "succeeded" };
  const note = /^done=(.*\S.*)$/s.exec(value)?.[1];
  if (note === undefined) throw new Misuse(`--orphans takes ${ORPHAN_WORDS}, not "${value}"`);
  return { kind: "succeeded", note };
}

function resumeOf(flags: Flags): Settings["resume"] {
  const id = textOf(flags, "resume");
  if (id !== undefined && flags.has("continue"))
    throw new Misuse("--resume and --continue exclude each other");
  if (id !== undefined) return { kind: "id", id };
  return flags.has("continue") ? { kind: "last" } : undefined;
}

/** `debug` for all, `engine=debug,provider.openai=trace` by component; the empty name stands for all. */
function logLevelsOf(value: string | undefined): ReadonlyMap<string, LogLevel> {
  const levels = new Map<string, LogLevel>();
  if (value === undefined) return levels;
  for (const part of value.split(",")) {
    const [, component = "", word = ""] = /^(?:([\w.-]+)=)?(.*)$/.exec(part.trim()) ?? [];
    const level = LOG_LEVELS.find((known) => known === word);
    if (level === undefined) throw new Misuse(`--log-level: "${part}" is none of ${LOG_LEVELS.join(", ")}`);
    levels.set(component, level);
  }
  return levels;
}

import { isDeepStrictEqual } from "node:util";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { ConfigSection } from "../../session/config-section.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { userConfig } from "./user-config.ts";

/** Keys of config.toml that hold for the whole life of an engine. */
const OF_THE_ENGINE = ["providers", "routes", "prices", "vertex", "copilot"] as const;

export interface ConfigNow {
  readonly config: Config;
  /** Sentences about what has changed and does not count yet. */
  readonly notices: readonly string[];
}

/**
 * Reads config.toml for a new session. An engine outlives many sessions; a rule written meanwhile holds for the next
 * one. Keys of the engine keep the value of its start. A notice names each that has changed since.
 *
 * @throws HarnessError ConfigInvalid with file, line and key.
 */
export async function configNow(
  options: Pick<HarnessOptions, "world" | "paths" | "embedding" | "features">,
  atStart: Config,
): Promise<ConfigNow> {
  const now = await userConfig(options);
  const { vertex: _vertex, copilot: _copilot, ...read } = now;
  const { providers, routes, prices, vertex, copilot } = atStart;
  const config: Config = {
    ...read,
    ...{ providers, routes, prices },
    ...defined({ vertex, copilot }),
  };
  const others: string[] = OF_THE_ENGINE.filter((key) => !isDeepStrictEqual(now[key], atStart[key]));
  for (const section of options.features.sections)
    if (!isDeepStrictEqual(fixedValues(section, now), fixedValues(section, atStart)))
      others.push(section.name);
  return { config, notices: others.length === 0 ? [] : [changedText(others)] };
}

/** Returns the values of the keys that an engine reads at its start only. */
function fixedValues(section: ConfigSection, config: Config): readonly unknown[] {
  const fixed = Object.entries(section.keys).filter(([, key]) => key.fixedAtStart === true);
  if (fixed.length === 0) return [];
  const settings = settingsOf(section, { config });
  return fixed.map(([property]) => Reflect.get(settings, property));
}

/** Reasons that a provider or a route is not there which config.toml may have by now. */
const NOT_THERE: readonly Reason[] = ["UnknownProvider", "UsageInvalid", "ProviderKeyMissing", "NoModel"];

/**
 * Returns the failure of a session's start. If a change of `config.toml` may be the cause, its text names the changes.
 */
export function withNotices(thrown: unknown, notices: readonly string[]): unknown {
  if (!(thrown instanceof HarnessError) || !NOT_THERE.includes(thrown.reason) || notices.length === 0)
    return thrown;
  const { reason, fields, message } = thrown;
  return new HarnessError(reason, fields, { cause: thrown, text: [message, ...notices].join(" ") });
}

function changedText(keys: readonly string[]): string {
  const names = keys.map((key) => (key === "routes" ? "routing" : key)); // as the file calls it
  return `config.toml has changed since the engine that runs was started: what it says of ${names.join(", ")} counts in those that are started from now on. cinch --no-listen starts one of its own; this one ends by itself once nobody uses it.`;
}

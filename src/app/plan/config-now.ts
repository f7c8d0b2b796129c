import { isDeepStrictEqual } from "node:util";
import { HarnessError } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import type { Config } from "../../config/config.ts";
import { credentialsSection } from "../../config/sections/credentials.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { telemetrySection } from "../../features/telemetry/config.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { userConfig } from "./settings.ts";

/** What of config.toml an engine works with from its start to its end, whatever its sessions are. */
const OF_THE_ENGINE = ["providers", "routes", "prices", "vertex", "copilot"] as const;

export interface ConfigNow {
  readonly config: Config;
  /** Sentences about what has changed and does not count yet. */
  readonly notices: readonly string[];
}

/**
 * What config.toml says when a session begins: an engine outlives many of them, and a rule that was written meanwhile counts
 * for the next one. What belongs to the engine stays as it was at its start, which is told where it is another by now.
 *
 * @throws HarnessError ConfigInvalid with file, line and key.
 */
export async function configNow(
  { world, paths }: Pick<HarnessOptions, "world" | "paths">,
  atStart: Config,
): Promise<ConfigNow> {
  const now = await userConfig({ world, paths });
  const { vertex: _vertex, copilot: _copilot, ...read } = now;
  const { providers, routes, prices, vertex, copilot } = atStart;
  const config: Config = {
    ...read,
    ...{ providers, routes, prices },
    ...(vertex === undefined ? {} : { vertex }),
    ...(copilot === undefined ? {} : { copilot }),
  };
  const others: string[] = OF_THE_ENGINE.filter((key) => !isDeepStrictEqual(now[key], atStart[key]));
  const usesKeychain = (of: Config) => settingsOf(credentialsSection, { config: of }).keychain;
  if (usesKeychain(now) !== usesKeychain(atStart)) others.push(credentialsSection.name);
  const collector = ({ sections }: Config) => saidOf(sections, telemetrySection)?.otlp;
  if (collector(now) !== collector(atStart)) others.push(telemetrySection.name);
  return { config, notices: others.length === 0 ? [] : [changedText(others)] };
}

/** Reasons that a provider or a route is not there which config.toml may have by now. */
const NOT_THERE: readonly Reason[] = ["UnknownProvider", "UsageInvalid", "ProviderKeyMissing"];

/** Has a session that could not begin say what has changed, where that may be why. Returns what is to be thrown. */
export function withNotices(thrown: unknown, notices: readonly string[]): unknown {
  if (thrown instanceof HarnessError && NOT_THERE.includes(thrown.reason))
    thrown.message = [thrown.message, ...notices].join(" ");
  return thrown;
}

function changedText(keys: readonly string[]): string {
  const names = keys.map((key) => (key === "routes" ? "routing" : key)); // as the file calls it
  return `config.toml has changed since the engine that runs was started: what it says of ${names.join(", ")} counts in those that are started from now on. cinch --no-listen starts one of its own; this one ends by itself once nobody uses it.`;
}

import { HarnessError } from "../../../base/errors.ts";
import { NOTHING } from "../../../config/config.ts";
import { EMBEDDED } from "../../../config/profile-files.ts";
import { compactionSection } from "../../../features/compaction/config.ts";
import { limitsSection } from "../../../features/limits/config.ts";
import type { Config, Profile } from "../../../session/settings/settings.ts";
import type { EngineSetup } from "./setup.ts";

/** Name of the one profile of such an engine, in the logs of its sessions. */
export const ENGINE_PROFILE = "library";

/** Returns the settings of a setup as a session's plan is made from them. @throws HarnessError UsageInvalid for a wrong limit. */
export function settingsOfSetup(setup: EngineSetup): { readonly config: Config; readonly profile: Profile } {
  const { provider, model, price, contextTokens, limits = {} } = setup;
  assertLimits({ ...limits, contextTokens });
  const { rounds, timeMs, costUsd, outputTokens, answerMs } = limits;
  const limitsSaid = present({
    roundsMax: rounds,
    timeMs,
    costUsd,
    outputTokens,
    permissionTimeoutMs: answerMs,
    unknownPrice: "refuse",
  });
  const sections = new Map<string, unknown>([[limitsSection.name, limitsSaid]]);
  if (contextTokens !== undefined) sections.set(compactionSection.name, { contextTokens });
  return {
    config: {
      ...NOTHING,
      prices: price === undefined ? NOTHING.prices : new Map([[`${provider.name}:${model}`, price]]),
    },
    profile: {
      name: ENGINE_PROFILE,
      path: `${EMBEDDED}${ENGINE_PROFILE}`,
      files: [],
      sections,
      promptHeader: "",
      contextSources: [],
      skillPacks: [],
      toolPacks: [],
      plugins: [],
      permissions: { rules: [] },
      allowProjectHooks: false,
      toolExecution: "sequential",
      warnings: [],
    },
  };
}

/** A value that is no number would be no limit at all. */
function assertLimits({ costUsd = 0, ...counts }: Readonly<Record<string, number | undefined>>): void {
  if (!(costUsd >= 0)) throw misuse("limits.costUsd is a number of US dollars of at least 0");
  for (const [name, value = 1] of Object.entries(counts))
    if (!Number.isSafeInteger(value) || value < 1) throw misuse(`${name} is a whole number of at least 1`);
}

function misuse(problem: string): HarnessError {
  return new HarnessError("UsageInvalid", { problem });
}

function present(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

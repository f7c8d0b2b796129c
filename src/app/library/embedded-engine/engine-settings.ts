import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { NOTHING } from "../../../config/config.ts";
import { EMBEDDED } from "../../../config/profile-files.ts";
import { limitsSection } from "../../../config/sections/limits.ts";
import { PERMISSION_TIMEOUT_MS } from "../../../session/questions.ts";
import type { Config, Profile } from "../../../session/settings/settings.ts";
import { FEATURES } from "../../features.ts";
import { describeValue } from "./describe-value.ts";
import type { EngineSetup } from "./setup.ts";

/** Name of the one profile of such an engine, in the logs of its sessions. */
export const ENGINE_PROFILE = "library";

/**
 * Returns the settings of a setup as a session's plan is made from them.
 * @throws HarnessError UsageInvalid for a wrong limit or price.
 */
export function settingsOfSetup(setup: EngineSetup): { readonly config: Config; readonly profile: Profile } {
  const { provider, model, price, contextTokens, limits = {} } = setup;
  assertLimits({ ...limits, contextTokens });
  assertPrice(price);
  const { rounds, timeMs, costUsd, outputTokens, answerMs } = limits;
  const limitsSaid = present({
    roundsMax: rounds,
    timeMs,
    costUsd,
    outputTokens,
    // Set in any case: the program is always subscribed, and its `onQuestion` may never settle.
    permissionTimeoutMs: answerMs ?? PERMISSION_TIMEOUT_MS,
    unknownPrice: "refuse",
  });
  const wishes = defined({ contextTokens });
  const ofFeatures = FEATURES.flatMap((feature) => [...(feature.inPrograms?.settings?.(wishes) ?? [])]);
  const sections = new Map<string, unknown>([[limitsSection.name, limitsSaid], ...ofFeatures]);
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
      toolPacks: [],
      plugins: [],
      permissions: { rules: [] },
      toolExecution: "sequential",
      warnings: [],
    },
  };
}

/** Throws for a limit that is no number: it would not limit anything. */
function assertLimits({ costUsd = 0, ...counts }: Readonly<Record<string, unknown>>): void {
  if (typeof costUsd !== "number" || !(costUsd >= 0))
    throw misuse(`limits.costUsd is ${describeValue(costUsd)}; give a number of US dollars of at least 0`);
  for (const [name, value = 1] of Object.entries(counts)) {
    if (!COUNTS.includes(name))
      throw misuse(`limits.${name} is unknown; known: costUsd, ${LIMITS.join(", ")}`);
    const isCount = Number.isSafeInteger(value) && (value as number) >= 1;
    const key = name === CONTEXT ? name : `limits.${name}`;
    if (!isCount) throw misuse(`${key} is ${describeValue(value)}; give a whole number of at least 1`);
  }
}

const LIMITS: readonly string[] = ["rounds", "timeMs", "outputTokens", "answerMs", "storeMs"];
const CONTEXT = "contextTokens";
const COUNTS = [...LIMITS, CONTEXT];

/** Throws for a price that is no number: costs would be unknown or negative. */
function assertPrice(price: unknown): void {
  if (price === undefined) return;
  if (!isObject(price)) throw misuse(`price is ${describeValue(price)}; give { input, output }`);
  const { longInput, ...rates } = price;
  assertRates("price", rates);
  if (longInput === undefined) return;
  if (!isObject(longInput))
    throw misuse(`price.longInput is ${describeValue(longInput)}; give { aboveTokens, input, output }`);
  assertRates("price.longInput", longInput);
}

function assertRates(key: string, rates: JsonObject): void {
  for (const name of ["input", "output", ...Object.keys(rates)])
    if (!isAmount(rates[name]))
      throw misuse(`${key}.${name} is ${describeValue(rates[name])}; give a number of at least 0`);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function misuse(problem: string): HarnessError {
  return new HarnessError("UsageInvalid", { problem });
}

function present(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

import { settingsOf, sourceOf } from "../../config/settings/settings.ts";
import { TREE_ROUNDS_MAX, TurnLimits } from "../../engine/loop/turn-limits.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import { least } from "../../session/plan/run-settings.ts";
import { limitsSection } from "./config.ts";

export interface OpenedLimits {
  /** Rounds of the session's own agent. */
  readonly roundsMax: number;
  /** Limits of a turn with all its sub-agents. */
  readonly limits: TurnLimits;
}

/**
 * Opens the limits of a session's turns, as flags, configuration and profile say. A limit that somebody has set holds for
 * a turn with its sub-agents; the built-in one of rounds holds for each agent, and a wider one for all of them.
 */
export function turnLimits({ profile, defaults }: Pick<RunMaterial, "profile" | "defaults">): OpenedLimits {
  const { config, atMost = {}, endsAtMs, world } = defaults;
  const sources = { wishes: defaults, config, profile };
  const said = settingsOf(limitsSection, sources);
  const isSet = sourceOf(limitsSection, "roundsMax", sources) !== "default";
  const rounds = isSet ? least(said.roundsMax, atMost.maxTurns) : atMost.maxTurns;
  const msMax = least(said.timeMs, atMost.maxTimeMs);
  const limits = new TurnLimits({
    clock: world.clock,
    roundsMax: rounds ?? TREE_ROUNDS_MAX,
    ...(msMax === undefined ? {} : { msMax }),
    ...(endsAtMs === undefined ? {} : { endsAtMs }),
  });
  return { roundsMax: Math.min(said.roundsMax, atMost.maxTurns ?? said.roundsMax), limits };
}

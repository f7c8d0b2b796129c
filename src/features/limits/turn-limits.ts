import { ROUNDS_MAX } from "../../engine/loop/turn.ts";
import { TREE_ROUNDS_MAX, TurnLimits } from "../../engine/loop/turn-limits.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import { least } from "../../session/plan/run-settings.ts";

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
  const said = defaults.maxTurns ?? config.maxTurns ?? profile.limits.rounds;
  const rounds = least(said, atMost.maxTurns);
  const msMax = least(defaults.maxTimeMs ?? config.maxTimeMs ?? profile.limits.timeMs, atMost.maxTimeMs);
  const limits = new TurnLimits({
    clock: world.clock,
    roundsMax: rounds ?? TREE_ROUNDS_MAX,
    ...(msMax === undefined ? {} : { msMax }),
    ...(endsAtMs === undefined ? {} : { endsAtMs }),
  });
  return { roundsMax: least(said ?? ROUNDS_MAX, atMost.maxTurns) ?? ROUNDS_MAX, limits };
}

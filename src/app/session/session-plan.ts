import { ROUNDS_MAX } from "../../engine/loop/turn.ts";
import { TREE_ROUNDS_MAX } from "../../engine/loop/turn-limits.ts";
import type { Permitting } from "../../guard/permissions/permitting.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import { least } from "../../session/plan/run-settings.ts";
import type { SessionPlan } from "../../session/plan.ts";

/** Returns the plan of an opened session. */
export function planOf(
  { profile, place, workspace, defaults }: RunMaterial,
  permission: Pick<Permitting, "policy">,
  permissionTimeoutMs: number,
): SessionPlan {
  const { config, atMost = {}, endsAtMs } = defaults;
  const rounds = defaults.maxTurns ?? config.maxTurns ?? profile.limits.rounds;
  const tree = least(rounds, atMost.maxTurns);
  const turnMsMax = least(defaults.maxTimeMs ?? config.maxTimeMs ?? profile.limits.timeMs, atMost.maxTimeMs);
  const said = defaults.maxCostUsd ?? config.maxCostUsd;
  const costUsdMax = least(said ?? profile.limits.costUsd, atMost.maxCostUsd);
  return {
    root: workspace.root,
    reference: place.reference,
    profile,
    config,
    wishes: defaults,
    project: [],
    limits: {
      roundsMax: least(rounds ?? ROUNDS_MAX, atMost.maxTurns) ?? ROUNDS_MAX,
      treeRoundsMax: tree ?? TREE_ROUNDS_MAX,
      ...(turnMsMax === undefined ? {} : { turnMsMax }),
      ...(endsAtMs === undefined ? {} : { endsAtMs }),
      ...(costUsdMax === undefined ? {} : { costUsdMax }),
      isCostCarried: said !== undefined,
    },
    policy: permission.policy(),
    tools: defaults.tools,
    permissionTimeoutMs,
  };
}

/** See `SessionHost.planUnder`. */
export async function planUnder(
  { workspace, defaults }: Pick<RunMaterial, "workspace" | "defaults">,
  name: string,
): Promise<Pick<SessionPlan, "reference" | "profile">> {
  const { wantedProfile } = await import("../../features/profiles/wanted-profile.ts");
  return await wantedProfile({ workspace, defaults }, name);
}

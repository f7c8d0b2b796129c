import { settingsOf, sourceOf } from "../../config/settings/settings.ts";
import { TREE_ROUNDS_MAX } from "../../engine/loop/turn-limits.ts";
import { limitsSection } from "../../features/limits/config.ts";
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
  const sources = { wishes: defaults, config, profile };
  const limits = settingsOf(limitsSection, sources);
  const isSet = sourceOf(limitsSection, "roundsMax", sources) !== "default";
  const tree = isSet ? least(limits.roundsMax, atMost.maxTurns) : atMost.maxTurns;
  const turnMsMax = least(limits.timeMs, atMost.maxTimeMs);
  const costUsdMax = least(limits.costUsd, atMost.maxCostUsd);
  return {
    root: workspace.root,
    reference: place.reference,
    profile,
    config,
    wishes: defaults,
    project: [],
    limits: {
      roundsMax: Math.min(limits.roundsMax, atMost.maxTurns ?? limits.roundsMax),
      treeRoundsMax: tree ?? TREE_ROUNDS_MAX,
      ...(turnMsMax === undefined ? {} : { turnMsMax }),
      ...(endsAtMs === undefined ? {} : { endsAtMs }),
      ...(costUsdMax === undefined ? {} : { costUsdMax }),
      isCostCarried: ["flag", "config"].includes(sourceOf(limitsSection, "costUsd", sources)),
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

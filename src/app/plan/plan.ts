import { defined } from "../../base/defined.ts";
import { limitsSection } from "../../config/sections/limits.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { settingsOf, sourceOf } from "../../config/settings/settings.ts";
import { TREE_ROUNDS_MAX } from "../../engine/loop/turn-limits.ts";
import { policyAt } from "../../guard/permissions/policy.ts";
import { cinchDirectories, existingFiles } from "../../guard/sandbox/policy/cinch-directories.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { SettingsContext, TrustItem, TrustKind } from "../../session/guard/trust.ts";
import type { PlannedLimits, SessionPlan, SessionWishes } from "../../session/plan.ts";
import { least } from "../../session/plan.ts";
import type { ProjectSettings } from "../../session/settings/settings.ts";
import type { FeatureSet } from "./feature-set.ts";

/** Everything that a plan is made from. */
export interface PlanSources extends SettingsContext {
  readonly reference: string;
  readonly wishes: SessionWishes;
  readonly features: FeatureSet;
  /** Files that extend the session, acknowledged or not. */
  readonly items: readonly TrustItem[];
  readonly embedded: readonly unknown[];
  /** Settings of the project that a person has acknowledged. */
  readonly project: readonly ProjectSettings[];
  /** Rules and tools of plugins. Absent: no plugin is known, so a rule may name no tool of one. */
  readonly pluginRules?: PluginRules;
}

/** Plans of one session. `current` is the plan that holds; each change makes the next one by the same function. */
export interface SessionPlans {
  readonly current: SessionPlan;
  /** Makes the next plan with what a person has acknowledged or set, or a plugin brings. */
  change(change: Partial<Pick<PlanSources, "project" | "pluginRules" | "wishes">>): void;
}

/**
 * Makes the plan of a session.
 * @throws HarnessError ConfigInvalid for an invalid rule, with its file and line.
 */
export async function openPlans(sources: PlanSources): Promise<SessionPlans> {
  const { world, config, profile, paths, wishes } = sources;
  const steering = await Promise.all(
    sources.features.features.map((feature) => feature.trust?.steering?.(sources) ?? []),
  );
  const { lockfile } = settingsOf(trustSection, { wishes, config });
  const files = {
    ownDirectories: await cinchDirectories(world.files, paths),
    steering: await existingFiles(world.files, [lockfile, ...profile.files, ...steering.flat()]),
  };
  let planSources = sources;
  let current = planFrom(planSources, files);
  return {
    get current() {
      return current;
    },
    change(change) {
      planSources = { ...planSources, ...change };
      current = planFrom(planSources, files);
    },
  };
}

interface GuardedFiles {
  readonly ownDirectories: readonly string[];
  readonly steering: readonly string[];
}

function planFrom(sources: PlanSources, guarded: GuardedFiles): SessionPlan {
  const { root, reference, profile, config, wishes, project, items, embedded, pluginRules } = sources;
  const { tools } = sources.features;
  const { level, atMost = {} } = wishes;
  return {
    root,
    reference,
    profile,
    config,
    wishes,
    project,
    tools,
    embedded,
    kinds: new Set<TrustKind>(items.map(({ kind }) => kind)),
    limits: limitsOf(sources),
    permissionTimeoutMs: settingsOf(limitsSection, { profile }).permissionTimeoutMs,
    questionsStayOpen: sourceOf(limitsSection, "permissionTimeoutMs", { profile }) === "default",
    policy: policyAt(root, {
      profile: profile.permissions,
      user: config.permissions,
      project: project.map(({ permissions }) => permissions),
      tools,
      ...defined({ plugins: pluginRules }),
      strictPermissions: wishes.strictPermissions || atMost.strict === true,
      ...defined({ levelMax: atMost.level }),
      ...guarded,
      ...defined({ level, allowed: wishes.allow }),
    }),
  };
}

/**
 * Returns the limits of the session's turns. A limit that somebody has set holds for a turn with its sub-agents. The
 * built-in limit of rounds holds for each agent, and a wider one for all of them.
 */
function limitsOf({ profile, config, wishes, project }: PlanSources): PlannedLimits {
  const { atMost = {}, endsAtMs } = wishes;
  const sources = { wishes, config, profile, project };
  const limits = settingsOf(limitsSection, sources);
  const isSet = sourceOf(limitsSection, "roundsMax", sources) !== "default";
  const turnMsMax = least(limits.timeMs, atMost.maxTimeMs);
  const costUsdMax = least(limits.costUsd, atMost.maxCostUsd);
  return {
    roundsMax: Math.min(limits.roundsMax, atMost.maxTurns ?? limits.roundsMax),
    treeRoundsMax: (isSet ? least(limits.roundsMax, atMost.maxTurns) : atMost.maxTurns) ?? TREE_ROUNDS_MAX,
    ...defined({ turnMsMax, endsAtMs, costUsdMax }),
    isCostCarried: ["flag", "config"].includes(sourceOf(limitsSection, "costUsd", sources)),
  };
}
